package tex

import (
	"fmt"
	"slices"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

const enc0Block = 360 // bytes of the parameter block

// enc0 is what the call for the tail needs, and where the tail begins.
type enc0 struct {
	items  []ptx.Item
	exits  []string
	smem   base
	ox, oy string // registers: the tile's first pixel
}

// enc0Tail replaces what follows the third barrier.
func (e *editor) enc0Tail() {
	at, cut, ok := e.findEnc0()
	if !ok {
		return
	}
	if ref := e.reference(); ref != nil {
		if other, _, ok := ref.findEnc0(); ok {
			e.compareEnc0(ref, other, at)
		}
		e.blame(ref)
	}
	s := e.script()
	if at.smem.reg != "" {
		s.pass(at.smem.reg)
	} else {
		s.move("smem", at.smem.symbol)
	}
	s.load(0, "b64", "weights")
	s.load(40, "b64", "out")
	s.load(8, "b32", "dimx", "dimy")
	s.pass(at.ox)
	s.pass(at.oy)
	e.finish(enc0Tail, s, cut, at.exits)
}

// finish puts a call and the end of the kernel in the place of a tail.
func (e *editor) finish(f function, s *script, cut ptx.Span, exits []string) {
	e.uses(f)
	e.replace("splice", cut, tail(f.call(e.names, s.statements(), s.args, "", nil), exits))
}

// findEnc0 finds the tail and its inputs, or adds what is wrong.
func (e *editor) findEnc0() (at enc0, cut ptx.Span, ok bool) {
	before := len(e.problems.list)
	e.expectBlock(enc0Block)
	e.expectLoad(40, 8, 1, "the pointer to the output")
	e.expectLoad(8, 4, 2, "the size of the image")
	bars := e.barriers()
	if bars == nil {
		return at, cut, false
	}
	last, ok := e.outermost(bars[2], true, "the third barrier")
	if !ok {
		return at, cut, false
	}
	var from int
	from, at.items, at.exits = e.cutTail(bars[2], last)
	e.expectPointers(from)
	at.smem, _ = e.sharedBase(from)
	at.oy, at.ox = e.tileOrigin(from)
	return at, e.removed[0], len(e.problems.list) == before
}

// expectPointers checks which memory the tail uses: it loads weights and stores
// output.
func (e *editor) expectPointers(from int) {
	stores := 0
	var bad [2][]*ptx.Instruction // loads and stores
	var made [2]origin
	for _, in := range e.list[from:] {
		a, space := memory(in)
		if a == nil || space != "global" && space != "generic" {
			continue
		}
		i, want := 0, 0
		if in.Op() != "ld" && in.Op() != "ldu" {
			i, want = 1, 40
			stores++
		}
		if o := e.addressOrigin(in, nil); !slices.Equal(o.pointers, []int{want}) {
			if len(bad[i]) == 0 {
				made[i] = o
			}
			bad[i] = append(bad[i], in)
		}
	}
	for i, what := range []string{"load from the weights was expected, through the pointer at offset 0", "store to the output was expected, through the pointer at offset 40"} {
		if len(bad[i]) > 0 {
			m := e.problems.places(bad[i][0].Span, spans(bad[i]), "found", "behind the cut a global "+what, otherKernel)
			m.Detail = "the address of the first is made of " + made[i].String()
		}
	}
	if stores == 0 {
		e.problems.places(e.f.NameAt, nil, "", "nothing behind the cut stores to the output", otherKernel)
	}
}

// tileOrigin finds the first pixel of the tile: the first two registers from before
// the cut, other than the sizes, that are halved behind it as signed numbers
// (shr 31, add). The first of them is y.
func (e *editor) tileOrigin(from int) (oy, ox string) {
	var found []string
	var places []ptx.Span
	for i, in := range e.list[from:] {
		if in.Op() != "shr" || len(in.Operands) != 3 {
			continue
		}
		shift, ok := in.Operands[2].(*ptx.Immediate)
		r, isReg := e.reg(in, 1)
		t, _ := e.reg(in, 0)
		if !ok || shift.Bits != 31 || !isReg || !e.outer(r) || slices.Contains(found, r) {
			continue
		}
		if !slices.ContainsFunc(e.list[from+i+1:], func(add *ptx.Instruction) bool {
			a, _ := e.reg(add, 1)
			b, _ := e.reg(add, 2)
			return add.Op() == "add" && (a == r && b == t || a == t && b == r) && contains(e.flow.ReachingDefs(add, t), in)
		}) {
			continue
		}
		if slices.ContainsFunc(e.flow.ReachingDefs(in, r), func(def *ptx.Instruction) bool { return e.index[def] >= from }) {
			continue
		}
		if def, reg := e.root(in, r); def != nil {
			if off, size, isParam := e.paramOf(def, reg); isParam && size == 4 && (off == 8 || off == 12) {
				continue
			}
		}
		found = append(found, r)
		places = append(places, in.Span)
		if o := e.slice(in, []string{r}, nil); slices.Contains(o.specials, "%laneid") {
			e.problems.at(in.Span, r+" is halved here as a coordinate of the tile, but depends on the lane", otherKernel)
		}
		if len(found) == 2 {
			return found[0], found[1]
		}
	}
	e.problems.places(e.f.NameAt, places, "halved", fmt.Sprintf("behind the cut %s from before it halved as a signed number, not 2: the tile's first pixel was not found", are(len(found), "register")), otherKernel)
	return "", ""
}

func are(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return plural(n, thing) + " are"
}

// compareEnc0 compares the tails, and what was found to be their inputs.
func (e *editor) compareEnc0(ref *editor, other, at enc0) {
	names := e.align(ref, other.items, at.items)
	if names == nil {
		return
	}
	for _, c := range []struct{ what, ref, own string }{
		{"the base of shared memory", other.smem.reg, at.smem.reg},
		{"the x coordinate of the tile", other.ox, at.ox},
		{"the y coordinate of the tile", other.oy, at.oy},
	} {
		if want := names[c.ref]; want != c.own {
			m := e.problems.add(diag.Message{
				Summary: fmt.Sprintf("%s is %s here, but %s of %s stands for %s", c.what, c.own, c.ref, ref.m.Name, orElse(want, "no register")),
				Where:   e.m.Where(e.f.NameAt), Hint: otherKernel,
			})
			m.Notes = append(m.Notes, diag.Note{Where: ref.m.Where(ref.f.NameAt), Text: "the reference kernel"})
		}
	}
}
