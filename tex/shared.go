package tex

import (
	"fmt"
	"slices"
	"strings"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// sharedArrays are the shared variables that the kernel can name.
func (k *kernel) sharedArrays() []*ptx.Variable {
	var list []*ptx.Variable
	for _, v := range k.m.Variables() {
		if v.Space == "shared" {
			list = append(list, v)
		}
	}
	for s := range k.m.Statements(k.f) {
		if v, ok := s.Item.(*ptx.Variable); ok && v.Space == "shared" {
			list = append(list, v)
		}
	}
	return list
}

func (k *kernel) isShared(symbol string) bool {
	return slices.ContainsFunc(k.sharedArrays(), func(v *ptx.Variable) bool { return v.Name == symbol })
}

// sizeOf is the size of a variable.
func sizeOf(v *ptx.Variable) int {
	size, _ := ptx.TypeSize(v.Type)
	return size * max(1, v.Vector) * v.Count
}

// byLane reports whether a value depends on which lane of the warp computes it.
func (o origin) byLane() bool {
	return o.loads || slices.Contains(o.specials, "%laneid") || slices.Contains(o.specials, "%tid.x") || slices.Contains(o.specials, "%tid")
}

// onlyLane reports whether a value depends on the lane and on addresses only.
// In a block of one warp %tid.x is the lane.
func (k *kernel) onlyLane(o origin) bool {
	for _, s := range o.specials {
		if s != "%laneid" && (s != "%tid.x" || k.threads() != 32) {
			return false
		}
	}
	return !o.loads && len(o.params) == 0
}

// threads is how many threads a block has by .reqntid or .maxntid, 0 where
// neither says.
func (k *kernel) threads() int {
	for _, d := range k.f.Attributes {
		if d.Name != ".maxntid" && d.Name != ".reqntid" {
			continue
		}
		n := 1
		for _, a := range d.Args {
			var v int
			if _, err := fmt.Sscanf(a, "%d", &v); err != nil || v < 1 || v > 1024 {
				return 0
			}
			n *= v
		}
		return n
	}
	return 0
}

// base is where shared memory begins for a piece of code: a register that is
// the same in all lanes, or a symbol.
type base struct{ reg, symbol string }

// sharedBase finds the base of the shared memory that the instructions from
// from on use: the one register from before that holds the address of a shared
// array and is the same in every lane; or, where there is none, the one array
// whose address and the lane make up all addresses.
func (e *editor) sharedBase(from int) (base, bool) {
	inside := func(in *ptx.Instruction) bool { return e.index[in] >= from }
	var uses []*ptx.Instruction
	regs, symbols := map[string]bool{}, map[string]bool{}
	lanes := true
	for _, in := range e.list[from:] {
		a, space := memory(in)
		if a == nil || space != "shared" {
			continue
		}
		uses = append(uses, in)
		whole := e.addressOrigin(in, nil)
		lanes = lanes && e.onlyLane(whole)
		for _, s := range whole.symbols {
			if e.isShared(s) {
				symbols[s] = true
			}
		}
		for _, r := range e.addressOrigin(in, inside).outside {
			o := e.slice(r.use, []string{r.reg}, nil)
			if !o.byLane() && slices.ContainsFunc(o.symbols, e.isShared) {
				regs[r.reg] = true
			}
		}
	}
	names, arrays := sorted(regs), sorted(symbols)
	switch {
	case len(names) == 1 && e.outer(names[0]):
		return base{reg: names[0]}, true
	case len(names) == 0 && len(arrays) == 1 && lanes:
		return base{symbol: arrays[0]}, true
	}
	summary := "the base of shared memory behind the cut was not found"
	if len(names) > 1 {
		summary = "several registers may be the base of shared memory behind the cut: " + diag.And(names)
	}
	e.problems.places(e.f.NameAt, spans(uses), "shared memory is used here", summary, otherKernel)
	return base{}, false
}

// staging is the one shared array that stores write to, at addresses made of
// its own and the lane.
func (e *editor) staging(stores []*ptx.Instruction) (string, bool) {
	symbols := map[string]bool{}
	for _, in := range stores {
		o := e.addressOrigin(in, nil)
		if !e.onlyLane(o) {
			also(e.problems.at(in.Span, "the address of this shared store is not made of a shared array and the lane alone", otherKernel), "it is made of %s", o)
			return "", false
		}
		for _, s := range o.symbols {
			if e.isShared(s) {
				symbols[s] = true
			}
		}
	}
	arrays := sorted(symbols)
	if len(arrays) != 1 {
		e.problems.places(e.f.NameAt, spans(stores), "a shared store", "the staging does not use one shared array but "+orElse(strings.Join(arrays, ", "), "none"), otherKernel)
		return "", false
	}
	return arrays[0], true
}

// String names the leaves, for messages.
func (o origin) String() string {
	list := append(slices.Clone(o.symbols), o.specials...)
	var offsets []int
	for off := range o.params {
		offsets = append(offsets, off)
	}
	slices.Sort(offsets)
	for _, off := range offsets {
		list = append(list, fmt.Sprintf("the parameter at offset %d", off))
	}
	if o.loads {
		list = append(list, "values from memory")
	}
	return orElse(diag.And(list), "nothing")
}

func sorted(set map[string]bool) []string {
	var list []string
	for s := range set {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}
