package matrix

import (
	"fmt"

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
	whenFamily          *bound

	toolchain, source, include, flags, defines, env, hook, wave64, limits, when *slot
	allow                                                                       []*slot // by axis of the family
	slots                                                                       []*slot
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
	if in.whenFamily != nil {
		in.f.resolveBound(in.whenFamily)
	}
	return in
}

// scopes builds the coordinates and what can be read where.
func (in *instance) scopes() {
	f, g, fam := in.f, in.g.decl, in.fam.decl
	rows := newScope(nil)
	for _, v := range g.rows {
		sym := f.addCoord(rows, coord{name: v.name, values: v.values})
		if v.table {
			sym.rows = v.rows
		}
	}
	in.cell = newScope(in.d.file)
	in.cell.explain = in.explainCell
	addTarget(f, in.cell, in.m.Targets)
	for _, ax := range fam.axes {
		f.addCoord(in.cell, coord{ax.Name, ax.values, ax.texts})
	}
	in.cell.constant("family", cty.StringVal(in.fam.Name))
	for _, name := range append([]string{"name"}, readable...) {
		in.cell.add(&symbol{name: name, slot: in.newSlot(name)})
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
	}{{fam.lets, in.family}, {g.lets, in.group}} {
		for _, let := range part.lets {
			s := in.newSlot(let.name)
			in.lets[let.x] = s
			part.scope.add(&symbol{name: let.name, slot: s})
		}
	}
}

func (in *instance) newSlot(name string) *slot {
	s := &slot{name: name}
	in.slots = append(in.slots, s)
	return s
}

// addTarget adds the targets as a coordinate.
func addTarget(f *frame, s *scope, targets []Target) {
	c := coord{name: "target"}
	for _, t := range targets {
		c.values = append(c.values, t.value())
		c.texts = append(c.texts, t.Name)
	}
	f.addCoord(s, c).attrs = targetAttrs
}

// toolScope is what a toolchain and conditions of axes read: a cell of any
// family, so an axis that this one lacks has its default.
func (in *instance) toolScope() *scope {
	s := newScope(in.cell)
	addDefaults(s, in.d.axes, in.fam.decl.axes)
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
			return fmt.Sprintf("family %s does not list axis %s", in.fam.Name, name),
				fmt.Sprintf("add axis.%s to its axes, or leave %s out", name, name)
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
	for _, part := range []struct {
		d *builtDecl
		s *scope
	}{{&fam.builtDecl, in.family}, {&g.builtDecl, in.group}} {
		for _, x := range []*expr{part.d.source, part.d.include, part.d.flags, part.d.defines, part.d.hook, part.d.wave64, part.d.when} {
			part.s.check(x, ps)
		}
		for _, let := range part.d.lets {
			part.s.check(let.x, ps)
		}
		for _, lim := range part.d.limits {
			part.s.check(lim.object, ps)
			part.s.check(lim.when, ps)
			for _, field := range lim.fields {
				part.s.check(field.x, ps)
			}
		}
	}
	in.group.check(g.name, ps)
	for _, x := range []*expr{fam.when, g.when, fam.toolchain} {
		if x != nil && x.bad {
			in.d.lossy = true
		}
	}
	if g.name != nil && g.name.bad {
		g.broken = true
	}
}

// checkUse reports what a group cannot do without.
func (in *instance) checkUse(l *loader) {
	if in.source == nil && !l.broken {
		l.errorf(in.g.Declared, "%s has no source", in.g.decl.title).hint(`add source = "path/to/kernel.hip"`)
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
