package tex

import (
	"fmt"
	"slices"

	"kmx/cuda/ptx"
)

const (
	lEnc0MMAs   = 336
	lEnc0Shared = 2048 // bytes of the array with the features of 8x8 pixels
)

// lEnc0Tail replaces what follows the first barrier: the whole network part of
// the unfolded kernel.
func (e *editor) lEnc0Tail() {
	cut, items, exits, array, ok := e.findLEnc0()
	if !ok {
		return
	}
	if ref := e.reference(); ref != nil {
		if _, theirs, _, _, ok := ref.findLEnc0(); ok {
			e.align(ref, theirs, items)
		}
		e.blame(ref)
	}
	s := e.script()
	s.move("smem", array)
	s.load(0, "b64", "weights")
	s.load(40, "b64", "out")
	s.load(48, "b64", "merged")
	s.load(8, "b32", "sx", "sy")
	s.load(16, "b32", "tw", "th")
	s.move("bx", "%ctaid.x")
	s.move("by", "%ctaid.y")
	e.finish(enc0lTail, s, cut, exits)
}

func (e *editor) findLEnc0() (cut ptx.Span, items []ptx.Item, exits []string, array string, ok bool) {
	before := len(e.problems.list)
	e.expectBlock(enc0Block)
	e.expectCount("mma", lEnc0MMAs)
	array = e.expectArray(lEnc0Shared)
	bars := e.barriers()
	if bars == nil {
		return cut, nil, nil, "", false
	}
	last, ok := e.outermost(bars[0], true, "the first barrier")
	if !ok {
		return cut, nil, nil, "", false
	}
	var from int
	from, items, exits = e.cutTail(bars[0], last)
	if mmas := e.between(0, from, "mma"); len(mmas) > 0 {
		e.problems.places(e.f.NameAt, spans(mmas), "an mma", fmt.Sprintf("%s stand before the first barrier; all were expected behind it", plural(len(mmas), "mma instruction")), otherKernel)
	}
	e.expectStaging(from, array)
	return e.removed[0], items, exits, array, len(e.problems.list) == before
}

// expectArray finds the one shared array of a size.
func (e *editor) expectArray(size int) string {
	var names []string
	var places []ptx.Span
	for _, v := range e.sharedArrays() {
		if sizeOf(v) == size {
			names = append(names, v.Name)
			places = append(places, v.Span)
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	e.problems.places(e.f.NameAt, places, "an array", fmt.Sprintf("the kernel has %s of %d bytes, not 1", plural(len(names), "shared array"), size), otherKernel)
	return ""
}

// expectStaging checks that what is kept stores to the array that the call reads.
func (e *editor) expectStaging(from int, array string) {
	for _, in := range e.list[:from] {
		if a, space := memory(in); a != nil && space == "shared" && (in.Op() == "st" || in.Op() == "stmatrix") {
			if slices.Contains(e.addressOrigin(in, nil).symbols, array) {
				return
			}
		}
	}
	if array != "" {
		e.problems.places(e.f.NameAt, nil, "", "nothing before the first barrier stores to "+array+", where the call takes its input", otherKernel)
	}
}
