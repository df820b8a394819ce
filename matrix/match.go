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
		if in[c.Family] && (s.targets == nil || s.targets[c.Target.Name]) && s.fits(c) &&
			(s.kernel == "" || glob(s.kernel, c.Kernel)) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		s.nothing()
	}
	return out
}

// fits reports whether the selector agrees with the cell's point.
func (s *selector) fits(c *Cell) bool {
	for _, v := range c.Point {
		want, named := s.values[v.Axis]
		switch {
		case named && want == "*", !named && s.every:
		case named && want != v.Text, !named && !v.Default:
			return false
		}
	}
	return true
}

// nothing says why a selector whose names are all known matches no cell.
func (s *selector) nothing() {
	var kernels []string
	for _, f := range s.families {
		if !f.Exists && len(s.families) == 1 {
			p := s.errorf("family %s does not exist in this run", f.Name)
			if f.decl.when != nil {
				p.note(f.decl.when.where(), "this is false")
			}
			return
		}
		for _, g := range f.Groups {
			kernels = append(kernels, g.Kernels...)
		}
	}
	if s.kernel != "" && !slices.ContainsFunc(kernels, func(k string) bool { return glob(s.kernel, k) }) {
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
