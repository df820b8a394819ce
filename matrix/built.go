package matrix

import (
	"kmx/internal/diag"
)

// builtDecl is what one block says about cells: a family, a family that
// another one extends, or a group.
type builtDecl struct {
	title     string           // "family k", "family k kernels layers"
	x         map[string]*expr // by attribute
	when      []*expr          // conditions that must all hold
	overrides []overrideDecl
	limits    []limitDecl
	lets      []letDecl
}

// limitDecl is a limit block.
type limitDecl struct {
	fields []fieldDecl
	when   *expr
}

type fieldDecl struct {
	name  string
	where diag.Range
	x     *expr
}

type letDecl struct {
	name string
	x    *expr
}

// built reads what families and groups share. What is not own was read before,
// for the family that is extended.
func (l *loader) built(d *builtDecl, n *node, title string, own bool) {
	d.title = title
	d.x = map[string]*expr{}
	for _, spec := range built {
		if a := n.attrs[spec.name]; a != nil {
			d.x[spec.name] = newAttr(a.expr, title+" "+spec.name)
		}
	}
	if a := n.attrs["when"]; a != nil {
		d.when = conjuncts(a.expr, title+" when")
	}
	if a := n.attrs["override"]; a != nil {
		d.overrides = l.overrides(a, title)
	}
	for _, b := range n.all("limit") {
		lim := limitDecl{}
		for _, a := range b.order {
			x := newAttr(a.expr, title+" limit")
			if a.name == "when" {
				lim.when = x
				continue
			}
			where := a.at
			where.End = a.where().End
			lim.fields = append(lim.fields, fieldDecl{a.name, where, x})
		}
		d.limits = append(d.limits, lim)
	}
	for _, b := range n.all("let") {
		for _, a := range b.order {
			if !l.localName("a let", a.name, a.at) {
				continue
			}
			if !own || l.names.declareIn(title, "let", a.name, a.at) {
				d.lets = append(d.lets, letDecl{a.name, newExpr(a.expr, title+" let "+a.name)})
			}
		}
	}
}

// exprs is every expression of the block but its lets.
func (d *builtDecl) exprs() []*expr {
	var out []*expr
	for _, spec := range built {
		if x := d.x[spec.name]; x != nil {
			out = append(out, x)
		}
	}
	out = append(out, d.when...)
	for _, o := range d.overrides {
		out = append(out, o.when)
		for _, field := range o.fields {
			out = append(out, field.x)
		}
	}
	for _, lim := range d.limits {
		if lim.when != nil {
			out = append(out, lim.when)
		}
		for _, field := range lim.fields {
			out = append(out, field.x)
		}
	}
	return out
}

// localName refuses names that would hide another meaning.
func (l *loader) localName(what, name string, where diag.Range) bool {
	if why := l.reserved(name); why != "" {
		l.errorf(where, "%s cannot be called %s: %s", what, name, why)
		return false
	}
	for _, ax := range l.d.axes {
		if ax.Name == name {
			l.errorf(where, "%s cannot be called %s: that is an axis", what, name).note(ax.Declared, "the axis is declared here")
			return false
		}
	}
	return true
}
