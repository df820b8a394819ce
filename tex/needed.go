package tex

import (
	"fmt"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// needed are the instructions from first to last whose results are used outside
// of them, and what those need of them, in order. Registers for which given is
// true are set by what takes their place. Only instructions that give the same
// wherever they stand may be needed, and at most maxNeeded.
func (e *editor) needed(first, last int, given func(reg string) bool) []*ptx.Instruction {
	found := map[*ptx.Instruction]bool{}
	inside := func(in *ptx.Instruction) bool { i := e.index[in]; return i >= first && i <= last }
	var todo []*ptx.Instruction
	look := func(use *ptx.Instruction, reg string) {
		defs := e.flow.ReachingDefs(use, reg)
		for _, def := range defs {
			if !inside(def) || !inside(use) && given(reg) || found[def] {
				continue
			}
			found[def] = true
			why := ""
			switch {
			case inside(use) && given(reg):
				why = "needs a result of the part that is replaced"
			case len(defs) > 1:
				why = fmt.Sprintf("sets %s, which is set elsewhere too", reg)
			case def.Guard != nil:
				why = "has a guard"
			case e.depth[def] > 0:
				why = "stands in a scope"
			case !movable(def):
				why = "cannot be kept apart from it: only mov, add, sub, shl, shr, and, or and ld.param can"
			}
			if why != "" {
				m := e.problems.at(def.Span, "this statement of the part that is replaced is needed outside of it, and it "+why, otherKernel)
				m.Notes = append(m.Notes, diag.Note{Where: e.m.Where(use.Span), Text: reg + " is used here: " + oneLine(e.m.Source(use.Span), 120)})
				continue
			}
			todo = append(todo, def)
		}
	}
	for _, in := range e.list {
		if !inside(in) {
			for _, reg := range e.flow.Reads(in) {
				look(in, reg)
			}
		}
	}
	for len(todo) > 0 {
		in := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, reg := range e.flow.Reads(in) {
			look(in, reg)
		}
	}
	var list []*ptx.Instruction
	for _, in := range e.list[first : last+1] {
		if found[in] {
			list = append(list, in)
		}
	}
	if len(list) > maxNeeded {
		e.problems.places(list[0].Span, spans(list), "needed", fmt.Sprintf("%d statements of the part that is replaced are needed outside of it; at most %d are expected", len(list), maxNeeded), otherKernel)
	}
	return list
}

const maxNeeded = 24

func movable(in *ptx.Instruction) bool {
	switch in.Op() {
	case "mov", "add", "sub", "shl", "shr", "and", "or":
		return !in.Has("cc")
	case "ld":
		return in.Has("param")
	}
	return false
}
