package matrix

import (
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// instance is one group of one family made ready to evaluate: a frame whose
// coordinates are the row variables, the target and the family's axes, and a
// slot for everything a cell holds.
type instance struct {
	d   *declarations
	m   *Matrix
	fam *Family
	g   *Group
	f   *frame

	cell, family, group *scope // what a toolchain, family and group may read
	lets                map[*expr]*slot
	nameBound           *bound
	whenFamily          []*bound // conditions
	whenGroup           []*bound
	matches             []match // adjusts

	toolchain, source, recipe, reference, counts, include, flags, defines, env *slot
	hook, wave64, redirect, limits, bitcode, when                              *slot
	allow                                                                      []*slot // by axis
	slots                                                                      []*slot
}

// newInstance binds every expression of a group. With check it first checks
// the names they read, reporting into ps.
func newInstance(d *declarations, m *Matrix, fam *Family, g *Group, ps *problems, check bool) *instance {
	in := &instance{d: d, m: m, fam: fam, g: g, f: newFrame(ps)}
	in.scopes()
	if check {
		in.check(ps)
	}
	in.bindLets()
	in.bindAttributes()
	for _, s := range in.slots {
		in.f.resolve(s)
	}
	if in.nameBound != nil {
		in.f.resolveBound(in.nameBound)
	}
	for _, b := range in.whenFamily {
		in.f.resolveBound(b)
	}
	return in
}

// scopes builds the coordinates and what can be read where.
func (in *instance) scopes() {
	f, g := in.f, in.g.decl
	rows := newScope(nil)
	for _, v := range g.rows {
		sym := f.addCoord(rows, coord{name: v.name, values: v.values})
		sym.dom, sym.parts = v.dom, v.parts
		if v.table {
			sym.rows = v.rows
		}
	}
	in.cell = newScope(in.d.file)
	in.cell.explain = in.explainCell
	in.cell.hush = in.fam.decl.poor
	in.cell.lost = func(name string) bool {
		return in.fam.decl.axesLost && slices.ContainsFunc(in.d.axes, func(ax *axisDecl) bool { return ax.Name == name })
	}
	addTarget(f, in.cell, in.m.Targets).parts = in.d.targetParts(in.m.Targets)
	for _, ax := range g.axes {
		f.addCoord(in.cell, coord{ax.Name, ax.values, ax.texts}).dom = ax.domain()
	}
	for _, ax := range in.fam.decl.axes {
		if !slices.Contains(g.axes, ax) { // the group has fewer: it stands at the default
			in.cell.constant(ax.Name, ax.values[ax.def]).dom = ax.domain()
		}
	}
	in.cell.constant("family", cty.StringVal(in.fam.Name)).dom = in.d.familyDomain()
	for _, name := range append([]string{"name"}, readable...) {
		in.cell.add(&symbol{name: name, slot: in.newSlot(name), dom: attributeDomain(name)})
	}
	in.family = newScope(in.cell)
	in.family.explain = in.explainFamily
	in.group = newScope(in.family)
	in.group.hush = g.rowsLost
	for _, name := range rows.names {
		in.group.add(rows.syms[name])
	}
	in.lets = map[*expr]*slot{}
	for _, part := range []struct {
		lets  []letDecl
		scope *scope
	}{{in.fam.decl.lets, in.family}, {g.lets, in.group}} {
		for _, let := range part.lets {
			s := in.newSlot(let.name)
			in.lets[let.x] = s
			part.scope.add(&symbol{name: let.name, slot: s, let: let.x, in: part.scope})
		}
	}
}

func (in *instance) newSlot(name string) *slot {
	s := &slot{name: name}
	in.slots = append(in.slots, s)
	return s
}

// addTarget adds the targets as a coordinate.
func addTarget(f *frame, s *scope, targets []Target) *symbol {
	c := coord{name: "target"}
	for _, t := range targets {
		c.values = append(c.values, t.value())
		c.texts = append(c.texts, t.Name)
	}
	sym := f.addCoord(s, c)
	sym.attrs = targetAttrs
	return sym
}

// toolScope is what a toolchain and conditions of axes read: a cell of any
// family, so an axis that this one lacks has its default.
func (in *instance) toolScope() *scope {
	s := newScope(in.cell)
	addDefaults(s, in.d.axes, in.g.decl.axes)
	return s
}

// addDefaults adds the axes that are not in have as constants.
func addDefaults(s *scope, axes, have []*axisDecl) {
next:
	for _, ax := range axes {
		for _, h := range have {
			if h == ax {
				continue next
			}
		}
		s.constant(ax.Name, ax.values[ax.def])
	}
}

func (in *instance) explainCell(name string) (why, hint string) {
	for _, ax := range in.d.axes {
		if ax.Name == name {
			hint = fmt.Sprintf("add axis.%s to its axes, or leave %s out", name, name)
			if in.fam.Extends != "" {
				hint = fmt.Sprintf("add axis.%s to its axes; it takes what reads it from family %s", name, in.fam.Extends)
			}
			return fmt.Sprintf("family %s does not list axis %s", in.fam.Name, name), hint
		}
	}
	return "", ""
}

func (in *instance) explainFamily(name string) (why, hint string) {
	for _, b := range in.fam.decl.node.blocks {
		a := b.attrs["for"]
		if a == nil {
			continue
		}
		for _, item := range objectKeys(a.expr) {
			if item == name {
				return fmt.Sprintf("%s is a row variable of %s, which the family around it cannot read", name, b.title()),
					"move the attribute into the group"
			}
		}
	}
	return "", ""
}

// check reports the names in a family and a group that mean nothing there.
func (in *instance) check(ps *problems) {
	fam, g := in.fam.decl, in.g.decl
	in.family.check(fam.toolchain, ps)
	for _, l := range in.layers() {
		for _, x := range l.d.exprs() {
			l.s.check(x, ps)
		}
		for _, x := range l.d.when {
			in.d.lossy = in.d.lossy || x.bad
		}
	}
	for _, let := range fam.lets {
		in.family.check(let.x, ps)
	}
	for _, let := range g.lets {
		in.group.check(let.x, ps)
	}
	for _, bc := range fam.bitcode {
		for _, x := range bc.exprs() {
			in.family.check(x, ps)
		}
	}
	for _, adj := range fam.adjusts {
		for _, x := range adj.exprs() {
			in.family.check(x, ps)
		}
	}
	in.group.check(g.name, ps)
	in.d.lossy = in.d.lossy || fam.toolchain.bad
	if g.name != nil && g.name.bad {
		g.broken = true
	}
}

// checkUse reports what a group cannot do without.
func (in *instance) checkUse(l *loader) {
	switch {
	case l.broken, in.fam.decl.poor, slices.Contains(in.g.decl.node.meant, "source"):
	case len(in.parts("source"))+len(in.parts("recipe")) == 0:
		l.errorf(in.g.Declared, "%s has no source", in.g.decl.title).hint(`add source = "path/to/kernel.hip", or a recipe`)
	}
}

// bindLets gives every let its slot's expression.
func (in *instance) bindLets() {
	for _, part := range []struct {
		lets  []letDecl
		scope *scope
	}{{in.fam.decl.lets, in.family}, {in.g.decl.lets, in.group}} {
		for _, let := range part.lets {
			b := in.f.bind(let.x, part.scope)
			s := in.lets[let.x]
			s.exprs = []*bound{b}
			s.compute = func() any { return in.f.whole(b) }
			s.asValue = func(v any) cty.Value { return v.(cty.Value) }
		}
	}
}

// name is the name of the kernel at the present row.
func (in *instance) name() string {
	i := 0
	for v, row := range in.g.decl.rows {
		i = i*len(row.values) + in.f.idx[v]
	}
	if i < len(in.g.decl.names) {
		return in.g.decl.names[i]
	}
	return ""
}

// target is the target at the present point.
func (in *instance) target() *Target {
	return &in.m.Targets[in.f.idx[len(in.g.decl.rows)]]
}

// point is the axis values at the present point.
func (in *instance) point() []AxisValue {
	first := len(in.g.decl.rows) + 1
	out := make([]AxisValue, len(in.g.decl.axes))
	for i, ax := range in.g.decl.axes {
		out[i] = ax.at(in.f.idx[first+i])
	}
	return out
}

// address is the cell's name at the present point.
func (in *instance) address() string {
	axes := in.g.decl.axes
	return in.fam.Name + "/" + in.name() + "@" + in.target().Name +
		in.d.spellPoint(axes, in.f.idx[len(in.f.coords)-len(axes):])
}
