package tex

import (
	"fmt"
	"maps"
	"slices"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

const dec0Block = 168 // bytes of the parameter block

// dec0 is what the call for the head needs.
type dec0 struct {
	array  string // shared
	in     int    // offset of the pointer to the input
	size   int    // offset of the two sizes
	ox, oy string // registers: the tile's first pixel
}

// dec0Head replaces what stands from the first read of %laneid to the last
// shared store before the next barrier.
func (e *editor) dec0Head() {
	e.expectBlock(dec0Block)
	first, last, ok := e.findHead()
	if !ok {
		return
	}
	begin, ok1 := e.outermost(e.list[first], false, "the read of %laneid, where the head begins,")
	end, ok2 := e.outermost(e.list[last], true, "the last shared store of the head")
	if !ok1 || !ok2 {
		return
	}
	cut := e.cutMiddle(ptx.Span{Start: begin.Range().Start, End: end.Range().End}, last)
	at := e.headInputs(first, last)
	kept := e.needed(first, last, func(string) bool { return false })
	if e.problems.list.HasErrors() {
		return
	}
	s := e.script()
	s.move("smem", at.array)
	s.load(0, "b64", "weights")
	s.load(at.in, "b64", "in")
	s.load(at.size, "b32", "dimx", "dimy")
	s.pass(at.ox)
	s.pass(at.oy)
	e.uses(dec0Head)
	e.insteadOf(cut, kept, dec0Head.call(e.names, s.statements(), s.args, "", nil))
	if e.r.Options.FP8 {
		e.conversions()
	}
}

// findHead finds the first and the last instruction of the head.
func (e *editor) findHead() (first, last int, ok bool) {
	first, last = -1, -1
	for i, in := range e.list {
		if in.Op() == "mov" && written(in, 1) == "%laneid" {
			first = i
			break
		}
	}
	if first < 0 {
		e.problems.places(e.f.NameAt, nil, "", "the kernel does not read %laneid, where its head begins", otherKernel)
		return 0, 0, false
	}
	end := first
	for end < len(e.list) && e.list[end].Op() != "bar" && e.list[end].Op() != "barrier" {
		if a, space := memory(e.list[end]); a != nil && space == "shared" && (e.list[end].Op() == "st" || e.list[end].Op() == "stmatrix") {
			last = end
		}
		end++
	}
	switch {
	case end == len(e.list):
		e.problems.at(e.list[first].Span, "no barrier follows the read of %laneid, where the head begins", otherKernel)
		return 0, 0, false
	case last < 0:
		e.problems.at(e.list[end].Span, "no shared store stands between the read of %laneid and this barrier", otherKernel)
		return 0, 0, false
	}
	return first, last, true
}

// headInputs finds what the head works on.
func (e *editor) headInputs(first, last int) (at dec0) {
	inside := func(in *ptx.Instruction) bool { i := e.index[in]; return i >= first && i <= last }
	head := e.list[first : last+1]

	var stores []*ptx.Instruction
	pointers := map[int]bool{}
	for _, in := range head {
		a, space := memory(in)
		switch {
		case a == nil:
		case space == "shared" && (in.Op() == "st" || in.Op() == "stmatrix"):
			stores = append(stores, in)
		case space != "global" && space != "generic":
		case in.Op() != "ld" && in.Op() != "ldu":
			e.problems.at(in.Span, "the head writes to global memory", otherKernel)
		default:
			for _, off := range e.addressOrigin(in, nil).pointers {
				pointers[off] = true
			}
		}
	}
	at.array, _ = e.staging(stores)
	if list := slices.Sorted(maps.Keys(pointers)); len(list) == 2 && list[0] == 0 {
		at.in = list[1]
	} else {
		e.problems.at(e.list[first].Span, fmt.Sprintf("the head that begins here loads through the pointers at the offsets %v of the parameters, not through that at 0 and one other", list), otherKernel)
	}

	sizes, coordinates := e.headValues(head, inside)
	if list := slices.Sorted(maps.Keys(sizes)); len(list) == 2 && list[1] == list[0]+4 {
		at.size = list[0]
	} else {
		e.problems.at(e.list[first].Span, fmt.Sprintf("the head that begins here uses the 32-bit parameters at the offsets %v, not two that follow each other", list), otherKernel)
	}
	if len(coordinates) != 2 {
		var names []string
		for _, c := range coordinates {
			names = append(names, c.reg)
		}
		e.problems.at(e.list[first].Span, fmt.Sprintf("the head that begins here uses %s from before it, not two coordinates", orElse(diag.And(names), "no register")), otherKernel)
		return at
	}
	a, b := coordinates[0], coordinates[1]
	for _, c := range coordinates {
		if !e.outer(c.reg) {
			e.problems.at(c.use.Span, c.reg+" is a coordinate, but declared in a scope", otherKernel)
		}
	}
	switch e.axis(a) + e.axis(b) {
	case "xy":
		at.ox, at.oy = a.reg, b.reg
	case "yx":
		at.ox, at.oy = b.reg, a.reg
	default:
		e.problems.places(e.list[first].Span, []ptx.Span{a.use.Span, b.use.Span}, "a coordinate is used here",
			fmt.Sprintf("which of %s and %s is x and which y does not show: one must come from %%ctaid.x, the other from %%ctaid.y", a.reg, b.reg), otherKernel)
	}
	return at
}

// headValues sorts what the head reads besides pointers, the lane, constants
// and shared arrays: 32-bit parameters (offsets), themselves or through
// registers made of nothing else, and registers made of anything else.
func (e *editor) headValues(head []*ptx.Instruction, inside func(*ptx.Instruction) bool) (sizes map[int]bool, coordinates []reading) {
	sizes = map[int]bool{}
	seen := map[string]bool{}
	take := func(o origin) {
		for off, size := range o.params {
			if size == 4 {
				sizes[off] = true
			}
		}
	}
	for _, in := range head {
		if off, size, n, ok := e.paramLoad(in); ok && size == 4 {
			for i := range n {
				sizes[off+4*i] = true
			}
		}
		for _, reg := range e.flow.Reads(in) {
			if seen[reg] || !slices.ContainsFunc(e.flow.ReachingDefs(in, reg), func(def *ptx.Instruction) bool { return !inside(def) }) {
				continue
			}
			seen[reg] = true
			o := e.slice(in, []string{reg}, nil)
			switch {
			case len(o.specials) > 0 && e.onlyLane(o):
				// the function asks for its lane itself
			case len(o.pointers) == 0 && (len(o.specials) > 0 || o.loads):
				coordinates = append(coordinates, reading{in, reg})
			default:
				take(o)
			}
		}
	}
	return sizes, coordinates
}

// axis is "x" or "y": from which part of the block's index a coordinate comes.
func (e *editor) axis(c reading) string {
	o := e.slice(c.use, []string{c.reg}, nil)
	x, y := slices.Contains(o.specials, "%ctaid.x"), slices.Contains(o.specials, "%ctaid.y")
	switch {
	case x && !y:
		return "x"
	case y && !x:
		return "y"
	}
	return ""
}
