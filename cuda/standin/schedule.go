package standin

import (
	"slices"
	"strings"
)

// window is how far ahead the scheduler looks: compilers move instructions,
// but not across a whole kernel.
const window = 7

// schedule reorders the statements of all blocks that are not frozen, keeping
// every dependence, and gives registers their numbers.
func (f *fn) schedule(order *random) {
	for _, b := range f.blocks {
		if !b.frozen {
			for _, in := range b.insts {
				in.space, in.writes = effect(in)
			}
			b.insts = shuffle(b.insts, order)
		}
	}
}

func shuffle(in []*inst, order *random) []*inst {
	out := make([]*inst, 0, len(in))
	left := make([]*inst, 0, window) // those in sight, in their order
	ready := make([]int, 0, window)
	for len(out) < len(in) {
		for len(left) < window && len(out)+len(left) < len(in) {
			left = append(left, in[len(out)+len(left)])
		}
		ready = ready[:0]
		for i := range left {
			if free(left[:i], left[i]) {
				ready = append(ready, i)
			}
		}
		i := ready[order.below(len(ready))]
		out = append(out, left[i])
		left = slices.Delete(left, i, i+1)
	}
	return out
}

// free says whether an instruction may go before all of these.
func free(before []*inst, in *inst) bool {
	for _, b := range before {
		if meet(b.defs, in.uses) || meet(b.defs, in.defs) || meet(b.uses, in.defs) || ordered(b, in) {
			return false
		}
	}
	return true
}

func meet(a, b []*reg) bool {
	for _, r := range a {
		for _, s := range b {
			if r == s {
				return true
			}
		}
	}
	return false
}

// ordered: two accesses to one memory of which one writes, anything that
// several threads take part in, and the end of a block.
func ordered(a, b *inst) bool {
	sa, wa := a.space, a.writes
	sb, wb := b.space, b.writes
	switch {
	case sa == "end" || sb == "end":
		return true
	case sa == "warp" || sb == "warp":
		return sa != "" && sb != ""
	}
	return sa != "" && sa == sb && (wa || wb)
}

// effect is the memory that an instruction reads or writes.
func effect(in *inst) (space string, writes bool) {
	op := in.op
	has := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(op, p) {
				return true
			}
		}
		return false
	}
	switch {
	case op == "call":
		return "call", true
	case has("bra", "ret"):
		return "end", true
	case has("bar.", "shfl.", "vote.", "mma."):
		return "warp", true
	case has("ld.global.nc", "ld.param", "tex.", "tld4."):
		return "", false
	case has("ld.shared"):
		return "shared", false
	case has("st.shared"):
		return "shared", true
	case has("ld.global"):
		return "global", false
	case has("st.global", "red."):
		return "global", true
	case has("ld.local"):
		return "local", false
	case has("st.local"):
		return "local", true
	case has("sust."):
		return "surface", true
	}
	return "", false
}

// number gives registers their numbers: first those that live across blocks,
// then the others in the order of the text, as NVVM does. gaps: numbers left
// out before each class, so that variants differ. backwards: from the end of the
// text, so that a function comes out renamed.
func (f *fn) number(gaps *random, backwards bool) {
	var next [classes]int
	for c := range next {
		next[c] = 1 + gaps.below(5)
	}
	give := func(r *reg) {
		if r.number == 0 {
			r.number = next[r.class]
			next[r.class]++
		}
	}
	for _, r := range f.all {
		if r.wide {
			give(r)
		}
	}
	var rest []*reg
	for _, b := range f.blocks {
		for _, in := range b.insts {
			rest = append(rest, in.defs...)
		}
	}
	if backwards {
		slices.Reverse(rest)
	}
	for _, r := range rest {
		give(r)
	}
}
