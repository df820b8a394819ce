package matrix

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

// builtDecl is what families and groups have in common.
type builtDecl struct {
	title                                               string // "family k", "family k kernels layers"
	source, include, flags, defines, hook, wave64, when *expr
	limits                                              []limitDecl
	lets                                                []letDecl
}

// limitDecl is a limit attribute or block.
type limitDecl struct {
	object *expr
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

type familyDecl struct {
	builtDecl
	node      *node
	axes      []*axisDecl
	toolchain *expr
}

type groupDecl struct {
	builtDecl
	node   *node
	rows   []rowVar
	name   *expr // nil: the label
	names  []string
	noTwin bool
	broken bool // its names are not known: it has no cells

	rowsLost bool // some row variables are not known
}

func (l *loader) families(root *node) {
	for _, n := range root.all("family") {
		if !l.names.declare("family", n.label, n.head) {
			l.d.lossy = true
			continue
		}
		if !isName(n.label) {
			l.errorf(n.head, "%q cannot name a family", n.label).hint("use letters, digits, ., - and _")
		}
		l.family(n)
	}
}

func (l *loader) family(n *node) {
	d := &familyDecl{node: n}
	fam := &Family{Name: n.label, Declared: n.head, Exists: true, decl: d}
	l.d.families = append(l.d.families, fam)
	l.m.Families = append(l.m.Families, fam)
	fam.Title = l.onceText(n, "title", l.d.file)
	fam.Licence = l.onceText(n, "licence", l.d.file)
	if n.attrs["licence"] == nil {
		fam.Licence = l.m.Project.Licence
	}
	fam.Library = l.library(n)
	d.axes = l.familyAxes(n)
	for _, ax := range d.axes {
		fam.Axes = append(fam.Axes, ax.Name)
	}
	l.built(&d.builtDecl, n, n.title())
	if a := n.attrs["toolchain"]; a != nil {
		d.toolchain = newExpr(a.expr, n.title()+" toolchain")
		if name, ok := reference(a.expr, "toolchain"); ok {
			fam.Toolchain = name
		}
	} else {
		d.toolchain = &expr{bad: true}
	}
	for _, g := range n.blocks {
		if g.spec.name == "kernel" || g.spec.name == "kernels" {
			l.group(fam, g)
		}
	}
	if len(fam.Groups) == 0 {
		if !l.d.lossy {
			l.errorf(n.head, "%s has no kernels", n.title()).hint(`write kernel "NAME" { ... } or kernels "GROUP" { ... }`)
		}
		// Its own expressions are still checked, with a group of nothing.
		g := &Group{decl: &groupDecl{node: n, builtDecl: builtDecl{title: n.title()}, broken: true}}
		newInstance(l.d, l.m, fam, g, l.problems, true)
	}
}

func (l *loader) library(n *node) string {
	a := n.attrs["library"]
	if a == nil {
		return ""
	}
	f, b := l.evaluate(a, l.d.file, n.title()+" library")
	v := f.whole(b)
	if !v.IsKnown() || v.IsNull() {
		return ""
	}
	r, ok := asRef(v)
	if !ok || r.kind != "library" {
		l.errorf(a.where(), "library must be one of library.NAME, not %s", kindOf(v))
		return ""
	}
	return r.name
}

// familyAxes reads a list of axis.NAME as written.
func (l *loader) familyAxes(n *node) []*axisDecl {
	a := n.attrs["axes"]
	if a == nil {
		return nil
	}
	list, ok := a.expr.(*hclsyntax.TupleConsExpr)
	if !ok {
		l.d.lossy = true
		l.errorf(a.where(), "axes must be a list as written").hint("write axes = [axis.NAME, ...]")
		return nil
	}
	var axes []*axisDecl
	var names []string
	for _, ax := range l.d.axes {
		names = append(names, ax.Name)
	}
	for _, x := range list.Exprs {
		at := toRange(x.Range())
		name, ok := reference(x, "axis")
		i := slices.IndexFunc(l.d.axes, func(ax *axisDecl) bool { return ax.Name == name })
		switch {
		case !ok:
			l.errorf(at, "an element of axes must be axis.NAME").didYouMean(name, names)
		case i < 0:
			l.errorf(at, "there is no axis %s", name).didYouMean(name, names)
		case slices.Contains(axes, l.d.axes[i]):
			l.errorf(at, "axis %s is listed twice", name)
		default:
			axes = append(axes, l.d.axes[i])
			continue
		}
		l.d.lossy = true
	}
	return axes
}

// built reads the attributes that families and groups share.
func (l *loader) built(d *builtDecl, n *node, title string) {
	d.title = title
	get := func(name string) *expr {
		if a := n.attrs[name]; a != nil {
			return newExpr(a.expr, title+" "+name)
		}
		return nil
	}
	d.source, d.include, d.flags = get("source"), get("include"), get("flags")
	d.defines, d.hook, d.wave64, d.when = get("defines"), get("hook"), get("wave64"), get("when")
	if x := get("limit"); x != nil {
		d.limits = append(d.limits, limitDecl{object: x})
	}
	for _, b := range n.all("limit") {
		lim := limitDecl{}
		for _, a := range b.order {
			x := newExpr(a.expr, title+" limit")
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
			l.let(d, a)
		}
	}
}

func (l *loader) let(d *builtDecl, a *attr) {
	if !l.localName("a let", a.name, a.at) {
		return
	}
	if l.names.declare("let of "+d.title+":", a.name, a.at) {
		d.lets = append(d.lets, letDecl{a.name, newExpr(a.expr, d.title+" let "+a.name)})
	}
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

// familyWhen decides whether a family whose `when` reads no cell exists.
func (in *instance) familyWhen() {
	b := in.whenFamily
	if b == nil || b.deps != 0 {
		return
	}
	if v := in.f.whole(b); v.IsKnown() && !v.IsNull() && v.Type() == cty.Bool && v.False() {
		in.fam.Exists = false
	}
}
