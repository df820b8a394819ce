package tex

import (
	"fmt"
	"slices"
	"strings"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// barriers are the bar.warp.sync of the kernel when there are three and all of
// them wait for all lanes.
func (e *editor) barriers() []*ptx.Instruction {
	var list []*ptx.Instruction
	for _, in := range e.list {
		if in.Opcode == "bar.warp.sync" {
			list = append(list, in)
		}
	}
	ok := len(list) == 3
	if !ok {
		e.problems.places(e.f.NameAt, spans(list), "a barrier", fmt.Sprintf("the kernel has %d bar.warp.sync, not 3", len(list)), otherKernel)
	}
	for _, in := range list {
		if len(in.Operands) == 1 {
			if c, isConst := in.Operands[0].(*ptx.Immediate); isConst && uint32(c.Bits) == 0xFFFFFFFF {
				continue
			}
		}
		e.problems.at(in.Span, "this barrier does not wait for all lanes", "expected bar.warp.sync -1")
		ok = false
	}
	if !ok {
		return nil
	}
	return list
}

// outermost is the item of the body that an instruction stands in: itself, or a
// scope. Code is cut there, so the instruction must always run and, in a scope,
// be the last one, or the first.
func (e *editor) outermost(in *ptx.Instruction, last bool, what string) (ptx.Item, bool) {
	at := slices.IndexFunc(e.f.Body.Items, func(it ptx.Item) bool { return it.Range().Contains(in.Span) })
	it := e.f.Body.Items[at]
	beside := e.index[in] - 1
	if last {
		beside = e.index[in] + 1
	}
	switch {
	case in.Guard != nil:
		e.problems.at(in.Span, what+" has a guard", otherKernel)
	case beside >= 0 && beside < len(e.list) && it.Range().Contains(e.list[beside].Span):
		e.problems.at(in.Span, what+" stands in a scope with "+e.list[beside].Opcode+" on the other side of the cut", otherKernel)
	default:
		return it, true
	}
	return it, false
}

// cutTail marks everything behind an instruction, or the scope it is in, as
// replaced. It returns the index of the first instruction there, the items
// there, and the labels that kept code may go to because nothing but a return
// follows them.
func (e *editor) cutTail(in *ptx.Instruction, last ptx.Item) (from int, items []ptx.Item, exits []string) {
	from = e.index[in] + 1
	at := slices.Index(e.f.Body.Items, last)
	s := ptx.Span{Start: e.f.Body.End - 1, End: e.f.Body.End - 1}
	if items = e.f.Body.Items[at+1:]; len(items) > 0 {
		s.Start = items[0].Range().Start
	}
	e.removed = append(e.removed, s)
	for i, o := range e.list {
		for _, l := range e.targets(o) {
			there := e.labelIn(l, s)
			switch {
			case i < from && there:
				if to := e.after[l][0]; to < len(e.list) && (e.list[to].Op() == "ret" || e.list[to].Op() == "exit") && e.list[to].Guard == nil {
					if !slices.Contains(exits, l) {
						exits = append(exits, l)
					}
					continue
				}
				e.crossing(o, l, "this branch leads into the part that is replaced")
			case i >= from && !there:
				e.crossing(o, l, "this branch leads back from the part that is replaced: the cut is in a loop")
			}
		}
	}
	return from, items, exits
}

// begin is where the first instruction of the body stands, or the scope that it
// is in.
func (e *editor) begin() int {
	for _, it := range e.f.Body.Items {
		switch it.(type) {
		case *ptx.Instruction, *ptx.Block:
			return it.Range().Start
		}
	}
	return e.f.Body.End - 1
}

// cutMiddle marks a span as replaced that ends behind the instruction last.
func (e *editor) cutMiddle(s ptx.Span, last int) ptx.Span {
	e.removed = append(e.removed, s)
	for _, o := range e.list {
		inside := s.Contains(o.Span)
		if inside && (o.Op() == "ret" || o.Op() == "exit" || o.Op() == "trap") {
			e.problems.at(o.Span, "the kernel may end in the part that is replaced", otherKernel)
		}
		for _, l := range e.targets(o) {
			there := e.labelIn(l, s)
			behind := slices.Equal(e.after[l], []int{last + 1}) // falling through leads there too
			switch {
			case inside && !there && !behind:
				e.crossing(o, l, "this branch leads out of the part that is replaced")
			case !inside && there:
				e.crossing(o, l, "this branch leads into the part that is replaced")
			}
		}
	}
	return s
}

func (e *editor) labelIn(name string, s ptx.Span) bool {
	return slices.ContainsFunc(e.label[name], func(l *ptx.Label) bool { return s.Contains(l.Span) })
}

func (e *editor) crossing(branch *ptx.Instruction, label, summary string) {
	m := e.problems.at(branch.Span, summary, otherKernel)
	for _, l := range e.label[label] {
		m.Notes = append(m.Notes, diag.Note{Where: e.m.Where(l.Span), Text: "the label " + l.Name})
	}
}

// insteadOf puts a call in the place of a span, behind those of its
// instructions that are kept and its declarations.
func (e *editor) insteadOf(s ptx.Span, kept []*ptx.Instruction, call string) {
	keep := map[ptx.Item]bool{}
	for _, in := range kept {
		keep[in] = true
	}
	text := ""
	var statement ptx.Span // of the variables just taken
	for _, it := range e.f.Body.Items {
		if !s.Contains(it.Range()) {
			continue
		}
		v, isVariable := it.(*ptx.Variable)
		switch {
		case isVariable && v.Statement != statement:
			statement = v.Statement
			text += e.m.Source(statement) + "\n\t"
		case keep[it]:
			text += e.m.Source(it.Range()) + "\n\t"
		}
	}
	e.replace("splice", s, text+strings.TrimPrefix(call, "\t"))
}

// tail is what stands instead of a removed tail: a call, and the end.
func tail(call string, exits []string) string {
	var b strings.Builder
	b.WriteString(strings.TrimPrefix(call, "\t") + "\n")
	for _, l := range exits {
		b.WriteString(l + ":\n")
	}
	b.WriteString("\tret;\n")
	return b.String()
}
