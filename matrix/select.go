package matrix

import (
	"fmt"
	"strings"

	"kmx/internal/diag"
)

// Select returns the cells that the selectors name and the not-selectors do
// not, in expansion order.
//
// Both arguments are comma-separated lists of selectors. A selector is an
// address whose parts may be patterns or left out:
//
//	FAMILY[/KERNEL][@TARGET][+POINT...]
//
// FAMILY and KERNEL are names or patterns with * and ?; TARGET is a target, a
// generation or a pattern of targets. A POINT is the name of a boolean axis,
// a value of another axis, or AXIS=VALUE, where VALUE may be *. An axis that
// is not named has its default; +* frees every axis that is not named.
//
// An empty selectors argument selects every cell. A selector that matches no
// cell is an error, with what is known instead.
func (x *Expansion) Select(selectors, not string) ([]*Cell, diag.List) {
	ps := newProblems()
	chosen := map[*Cell]bool{}
	if strings.TrimSpace(selectors) == "" {
		for _, c := range x.Cells {
			chosen[c] = true
		}
	} else {
		for _, c := range x.matches(selectors, "selector", ps) {
			chosen[c] = true
		}
	}
	if strings.TrimSpace(not) != "" {
		removed := 0
		for _, c := range x.matches(not, "not-selector", ps) {
			if chosen[c] {
				removed++
				delete(chosen, c)
			}
		}
		if removed == 0 && !ps.hasErrors() {
			ps.add(diag.Message{
				Severity: diag.Warning,
				Summary:  fmt.Sprintf("not-selector %q takes nothing away", not),
				Hint:     "an axis that is not named has its default; +* means every point",
			})
		}
		if len(chosen) == 0 && !ps.hasErrors() {
			ps.errorf(diag.Range{}, "the not-selectors %q take everything away", not)
		}
	}
	var out []*Cell
	for _, c := range x.Cells {
		if chosen[c] {
			out = append(out, c)
		}
	}
	return out, ps.messages()
}

// matches is the cells of a list of selectors.
func (x *Expansion) matches(list, what string, ps *problems) []*Cell {
	var out []*Cell
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			ps.errorf(diag.Range{}, "%s %q is empty between two commas", what, shown(list))
			continue
		}
		if c := x.byAddress(text); c != nil {
			out = append(out, c)
			continue
		}
		s := &selector{x: x, m: x.matrix, text: unshelled(text), what: fmt.Sprintf("%s %q", what, shown(text)), ps: ps, values: map[string]string{}}
		if !s.parse() {
			continue
		}
		out = append(out, s.cells()...)
	}
	return out
}

func shown(s string) string {
	if len(s) > 200 {
		return s[:200] + "..."
	}
	return s
}

func (x *Expansion) byAddress(text string) *Cell {
	x.index.Do(func() {
		x.address = make(map[string]*Cell, len(x.Cells))
		for _, c := range x.Cells {
			x.address[c.address] = c
		}
	})
	return x.address[text]
}
