package matrix

import (
	"slices"
	"strings"

	"kmx/internal/diag"
)

// cells is what the selector matches; nothing is an error.
func (s *selector) cells() []*Cell {
	in := map[string]bool{}
	for _, f := range s.families {
		in[f.Name] = true
	}
	var out []*Cell
	for _, c := range s.x.Cells {
		if s.selects(c, in) {
			out = append(out, c)
		}
	}
	if len(out) == 0 && !s.gone(in) {
		s.nothing()
	}
	return out
}

func (s *selector) selects(c *Cell, families map[string]bool) bool {
	return families[c.Family] && (s.targets == nil || s.targets[c.Target.Name]) && s.fits(c.Point) &&
		(s.kernel == "" || glob(s.kernel, c.Kernel))
}

// fits reports whether the selector agrees with a point.
func (s *selector) fits(point []AxisValue) bool {
	found := 0
	for _, v := range point {
		want, named := s.values[v.Axis]
		if named {
			found++
		}
		switch {
		case named && want == "*", !named && s.every:
		case named && want != v.Text, !named && !v.Default:
			return false
		}
	}
	return found == len(s.order) // a group may have fewer axes than its family
}

// gone says so when what the selector matches is left out by a rule.
func (s *selector) gone(families map[string]bool) bool {
	for _, c := range s.x.gone {
		if !s.selects(c, families) {
			continue
		}
		rule := s.x.LeftOut[c.leftOut-1]
		s.errorf("%s is left out by %s: %s", c.address, rule.Rule, rule.Reason).note(rule.Declared, "the rule is here")
		return true
	}
	return false
}

// haveKernel reports a pattern that no kernel of the families fits.
func (s *selector) haveKernel() bool {
	if s.kernel == "" {
		return true
	}
	var kernels []string
	for _, f := range s.families {
		for _, g := range f.Groups {
			kernels = append(kernels, g.Kernels...)
		}
	}
	if slices.ContainsFunc(kernels, func(k string) bool { return glob(s.kernel, k) }) {
		return true
	}
	where := "there"
	if len(s.families) == 1 {
		where = "in family " + s.families[0].Name
	}
	p := s.errorf("there is no kernel %s %s", s.kernel, where)
	p.hint("%s", diag.DidYouMean(s.kernel, kernels))
	var containing []string
	for _, k := range kernels {
		if len(s.kernel) > 2 && strings.Contains(k, strings.Trim(s.kernel, "*?")) {
			containing = append(containing, k)
		}
	}
	if len(containing) > 0 && len(containing) <= 5 {
		p.hint("did you mean %s?", diag.Or(containing))
	}
	p.didYouMean(s.kernel, kernels)
	return false
}

// nothing says why a selector whose names are all known matches no cell.
func (s *selector) nothing() {
	if len(s.families) == 1 && !s.families[0].Exists {
		f := s.families[0]
		p := s.errorf("family %s does not exist in this run", f.Name)
		if off := f.decl.off; off != nil {
			p.note(off.Declared, "%s", f.Absent)
		}
		return
	}
	if !s.haveKernel() {
		return
	}
	p := s.errorf("no cell there")
	for _, ax := range s.m.decl.axes {
		switch text := s.values[ax.Name]; {
		case text == "" || text == "*":
		case ax.allow != nil:
			p.note(ax.allow.where(), "%s = %s exists where this holds", ax.Name, text)
		default:
			if x := ax.allowBy[slices.Index(ax.texts, text)]; x != nil {
				p.note(x.where(), "%s = %s exists where this holds", ax.Name, text)
			}
		}
	}
	if !s.every {
		p.hint("an axis that is not named has its default; +* means every point")
	}
}

// glob matches a name against a pattern of literal characters, * (any number
// of characters) and ? (one), in time linear in their product.
func glob(pattern, name string) bool {
	star, mark := -1, 0
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
