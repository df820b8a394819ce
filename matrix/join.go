package matrix

import (
	"fmt"
	"slices"
	"strings"

	"kmx/internal/diag"
)

// join lets every cell join the sets of a release that agree with it on the
// axes it has. On an axis that a set does not name, the cell must be at the
// default.
func (e *expander) join(r *Release, sets []*Set) {
	byTarget := map[string][]*Set{}
	held := map[*Set]map[string]*Cell{}
	for _, s := range sets {
		byTarget[s.Target.Name] = append(byTarget[s.Target.Name], s)
		held[s] = map[string]*Cell{}
	}
	collisions := map[problemKey]int{}
	for _, c := range e.x.Cells {
		if c.DeveloperOnly {
			continue
		}
		for _, s := range byTarget[c.Target.Name] {
			if !agree(c, s) {
				continue
			}
			if other := held[s][c.Kernel]; other != nil {
				e.collide(s, other, c, collisions)
				continue
			}
			held[s][c.Kernel] = c
			s.Cells = append(s.Cells, c)
		}
	}
}

func agree(c *Cell, s *Set) bool {
next:
	for _, v := range c.Point {
		for _, w := range s.Point {
			if w.Axis == v.Axis {
				if w.Text != v.Text {
					return false
				}
				continue next
			}
		}
		if !v.Default {
			return false
		}
	}
	return true
}

// collide reports two objects of one name in one set, once for each pair of
// declarations.
func (e *expander) collide(s *Set, first, second *Cell, count map[problemKey]int) {
	p := e.errorf(second.Declared, "two objects named %s would lie in one set", second.Kernel)
	key := problemKey{p.Where, p.Summary}
	if count[key]++; count[key] == 1 {
		p.note(first.Declared, "the first one is here")
		p.detail("%s and %s both join %s", first.address, second.address, s.Path)
		p.hint("give one of them another name, or a `when` that keeps them apart")
	} else {
		base, _, _ := strings.Cut(p.Detail, " (and in ")
		p.detail("%s (and in %s)", base, plural(count[key]-1, "other set"))
	}
}

// countKernels checks kernels_per_set in every set and says what is missing
// or extra, against the sets that are right or else against all names.
func (e *expander) countKernels(r *Release, sets []*Set) {
	want := r.KernelsPerSet
	if want < 0 {
		return
	}
	wrong := 0
	model := map[string]bool{}
	var all []string
	for _, right := range []bool{true, false} {
		for _, s := range sets {
			if right != (len(s.Cells) == want) {
				continue
			}
			for _, c := range s.Cells {
				if !model[c.Kernel] {
					model[c.Kernel] = true
					all = append(all, c.Kernel)
				}
			}
		}
		if len(all) > 0 {
			break
		}
	}
	type reason struct{ missing, extra, text string }
	var reasons []reason
	paths := map[reason][]string{}
	for _, s := range sets {
		if len(s.Cells) == want {
			continue
		}
		wrong++
		var have, missing, extra []string
		for _, c := range s.Cells {
			have = append(have, c.Kernel)
			if !model[c.Kernel] {
				extra = append(extra, c.Family+"/"+c.Kernel)
			}
		}
		for _, k := range all {
			if !slices.Contains(have, k) {
				missing = append(missing, k)
			}
		}
		why := reason{missing: shorten(missing, 24), extra: shorten(extra, 24)}
		if why.missing == "" && why.extra == "" {
			why.text = shorten(have, 24)
		}
		if paths[why] == nil {
			reasons = append(reasons, why)
		}
		paths[why] = append(paths[why], fmt.Sprintf("%s (%d)", s.Path, len(s.Cells)))
	}
	if wrong == 0 {
		return
	}
	var lines []string
	for _, why := range reasons {
		line := shorten(paths[why], 20)
		if why.missing != "" {
			line += ": missing " + why.missing
		}
		if why.extra != "" {
			line += ": extra " + why.extra
		}
		if why.text != "" {
			line += ": " + why.text
		}
		lines = append(lines, line)
	}
	e.add(diag.Message{
		Where:   r.decl.node.attrs["kernels_per_set"].where(),
		Summary: fmt.Sprintf("%d of %s do not hold %s", wrong, plural(len(sets), "set"), plural(want, "kernel")),
		Detail:  strings.Join(lines, "\n"),
		Hint:    "correct kernels_per_set, or the families",
	})
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
