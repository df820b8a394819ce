package matrix

import (
	"fmt"
)

// hits is what a selector of the matrix found.
type hits struct {
	cells int // that it changed or left out
	taken int // that an earlier exclusion left out
	idle  int // that do not exist in this run, but for a reason of the run
}

// excluding is a selector of an exclusion that can mean a kernel.
type excluding struct {
	p    *pattern
	rule int // index of the exclusion
}

// meant is the selectors of exclusions that can mean a kernel.
func (e *expander) meant(fam *Family, kernel string) []excluding {
	var out []excluding
	for i, x := range e.m.Exclusions {
		for _, p := range x.decl.patterns {
			if !p.wrong && p.hasKernel(fam, kernel) {
				out = append(out, excluding{p, i})
			}
		}
	}
	return out
}

func (e *expander) hit(p *pattern, count func(h *hits)) {
	h := e.seen[p]
	count(&h)
	e.seen[p] = h
}

// absent notes a cell of a family that does not exist in this run. Where it is
// declared all the same, it is left out of its sets.
func (e *expander) absent(in *instance, c *Cell, meant []excluding, rule *LeftOut) {
	e.idle(in, c, meant)
	if !in.f.holds(in.whenGroup) {
		return // its group has no such cell in this run either
	}
	rule.Cells++
	if in.fam.decl.ledger && e.first[c.address] == nil {
		e.first[c.address] = c
		rule.Addresses = append(rule.Addresses, c.address)
		c.leftOut = len(e.x.LeftOut)
		e.x.gone = append(e.x.gone, c)
	}
}

// idle notes what an adjust or exclusion would do to a cell in another run.
func (e *expander) idle(in *instance, c *Cell, meant []excluding) {
	count := func(p *pattern) {
		if p.hasTarget(&c.Target) && p.s.fits(c.Point) {
			e.hit(p, func(h *hits) { h.idle++ })
		}
	}
	for _, x := range meant {
		count(x.p)
	}
	for _, m := range in.matches {
		for _, p := range m.patterns {
			if p.hasKernel(m.fam, c.Kernel) {
				count(p)
			}
		}
	}
}

// exclude leaves a cell out if an exclusion names it.
func (e *expander) exclude(c *Cell, meant []excluding) bool {
	by := -1
	for _, x := range meant {
		if !x.p.hasTarget(&c.Target) || !x.p.s.fits(c.Point) {
			continue
		}
		if by >= 0 && by != x.rule {
			e.hit(x.p, func(h *hits) { h.taken++ })
			continue
		}
		e.hit(x.p, func(h *hits) { h.cells++ })
		by = x.rule
	}
	if by < 0 {
		return false
	}
	c.leftOut = -1 - by // until the ledger is in order
	e.x.gone = append(e.x.gone, c)
	return true
}

// ledger lists the exclusions with what they leave out, after the families
// that do not exist, and reports those that leave out nothing.
func (e *expander) ledger() {
	first := len(e.x.LeftOut)
	for _, x := range e.m.Exclusions {
		e.x.LeftOut = append(e.x.LeftOut, LeftOut{
			Rule: fmt.Sprintf("exclude %q", x.Name), Reason: x.Reason, Issue: x.Issue, Until: x.Until, Declared: x.Declared,
		})
	}
	for _, c := range e.x.gone {
		if c.leftOut < 0 {
			c.leftOut = first - c.leftOut
			rule := &e.x.LeftOut[c.leftOut-1]
			rule.Cells++
			rule.Addresses = append(rule.Addresses, c.address)
		}
	}
	if e.lossy {
		return
	}
	for _, x := range e.m.Exclusions {
		for _, p := range x.decl.patterns {
			if h := e.seen[p]; p.wrong || h.cells > 0 || h.idle > 0 {
				continue
			} else if h.taken > 0 {
				e.errorf(x.decl.where, "exclude %q excludes nothing: other exclusions leave out all that %s means", x.Name, p.s.text).
					hint("take it out, or narrow the others")
			} else if !e.forPeople(p) {
				e.nothing(p)
			}
		}
	}
}

// forPeople reports whether a selector names a point that exists for tests and
// people only, and nothing but the axis itself keeps it from existing. Such a
// point joins no set, so an exclusion of it changes no release; it may stay in
// the ledger where the axis already says that the point is not there.
func (e *expander) forPeople(p *pattern) bool {
	s := *p.s
	s.values = map[string]string{}
	s.order = nil
	s.x = e.x
	named := false
	for _, axis := range p.s.order {
		people := false
		for _, ax := range e.d.axes {
			if ax.Name == axis && !ax.Release && p.s.values[axis] != ax.texts[ax.def] {
				people = ax.allow != nil || ax.allowBy != nil
			}
		}
		if named = named || people; !people {
			s.set(axis, p.s.values[axis])
		}
	}
	if !named {
		return false
	}
	families := map[string]bool{}
	for _, f := range s.families {
		families[f.Name] = true
	}
	for _, cells := range [][]*Cell{e.x.Cells, e.x.gone} {
		for _, c := range cells {
			if s.selects(c, families) {
				return true
			}
		}
	}
	return false
}

// nothing reports a selector of the matrix that no cell fits.
func (e *expander) nothing(p *pattern) {
	s := *p.s
	s.x, s.ps = e.x, e.problems
	s.nothing()
}

// adjusted notes that an adjust changes a cell.
func (e *expander) adjusted(m match, c *Cell) {
	for _, p := range m.patterns {
		if p.hasKernel(m.fam, c.Kernel) && p.hasTarget(&c.Target) && p.s.fits(c.Point) {
			e.hit(p, func(h *hits) { h.cells++ })
		}
	}
}

// idleAdjusts reports the selectors of adjusts that no cell fits, in families
// that exist.
func (e *expander) idleAdjusts() {
	for _, fam := range e.m.Families {
		if !fam.Exists {
			continue
		}
		for _, adj := range fam.decl.adjusts {
			for _, p := range adj.patterns {
				if h := e.seen[p]; !p.wrong && h.cells+h.idle == 0 {
					e.nothing(p)
				}
			}
		}
	}
}
