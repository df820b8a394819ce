package matrix

import (
	"fmt"
	"maps"
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
	for _, c := range e.x.gone {
		if c.DeveloperOnly {
			continue
		}
		for _, s := range byTarget[c.Target.Name] {
			if held[s][c.Kernel] == nil && agree(c, s) {
				held[s][c.Kernel] = c
				s.LeftOut = append(s.LeftOut, c)
			}
		}
	}
}

// count is the set with its size, for people.
func (s *Set) count() string {
	if len(s.LeftOut) == 0 {
		return fmt.Sprintf("%s (%d)", s.Path, len(s.Cells))
	}
	return fmt.Sprintf("%s (%d, %d of them left out)", s.Path, s.declared(), len(s.LeftOut))
}

// declared is the number of kernels that the set holds or leaves out by a rule.
func (s *Set) declared() int { return len(s.Cells) + len(s.LeftOut) }

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
	e.lossy = true
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

// countKernels checks how many kernels each set holds and says what is missing
// or extra, against the sets that should hold as many: those that do, else all.
func (e *expander) countKernels(r *Release, sets []*Set) {
	var lines, wants []string
	wrong := 0
	byWant := map[int][]*Set{}
	for _, s := range sets {
		byWant[s.want] = append(byWant[s.want], s)
	}
	for _, want := range slices.Sorted(maps.Keys(byWant)) {
		if want < 0 {
			continue
		}
		isWrong := func(s *Set) bool { return s.declared() != want }
		if !slices.ContainsFunc(byWant[want], isWrong) {
			continue
		}
		wants = append(wants, fmt.Sprint(want))
		model := kernelsOf(byWant[want], func(s *Set) bool { return !isWrong(s) })
		if len(model) == 0 {
			model = kernelsOf(byWant[want], isWrong)
		}
		var reasons []string
		paths := map[string][]string{}
		for _, s := range byWant[want] {
			if !isWrong(s) {
				continue
			}
			wrong++
			why := deviation(s, model)
			if paths[why] == nil {
				reasons = append(reasons, why)
			}
			paths[why] = append(paths[why], s.count())
		}
		for _, why := range reasons {
			lines = append(lines, shorten(paths[why], 20)+": "+why)
		}
	}
	if wrong == 0 {
		return
	}
	e.add(diag.Message{
		Where:   r.decl.perSet.where(),
		Summary: fmt.Sprintf("%d of %s do not hold %s", wrong, plural(len(sets), "set"), diag.Or(wants)+" kernels"),
		Detail:  strings.Join(lines, "\n"),
		Hint:    "correct kernels_per_set, or the families",
	})
}

// kernelsOf is the names of all kernels in some of the sets, in order.
func kernelsOf(sets []*Set, some func(*Set) bool) []string {
	var names []string
	seen := map[string]bool{}
	for _, s := range sets {
		if !some(s) {
			continue
		}
		for _, c := range slices.Concat(s.Cells, s.LeftOut) {
			if !seen[c.Kernel] {
				seen[c.Kernel] = true
				names = append(names, c.Kernel)
			}
		}
	}
	return names
}

// deviation is what a set lacks of the model and has beyond it, or, where it
// is the model, what it holds.
func deviation(s *Set, model []string) string {
	var have, missing, extra, parts []string
	modelled, held := map[string]bool{}, map[string]bool{}
	for _, k := range model {
		modelled[k] = true
	}
	for _, c := range slices.Concat(s.Cells, s.LeftOut) {
		have = append(have, c.Kernel)
		held[c.Kernel] = true
		if !modelled[c.Kernel] {
			extra = append(extra, c.Family+"/"+c.Kernel)
		}
	}
	for _, k := range model {
		if !held[k] {
			missing = append(missing, k)
		}
	}
	if len(missing) > 0 {
		parts = append(parts, "missing "+shorten(missing, 24))
	}
	if len(extra) > 0 {
		parts = append(parts, "extra "+shorten(extra, 24))
	}
	if len(parts) == 0 {
		return shorten(have, 24)
	}
	return strings.Join(parts, "; ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
