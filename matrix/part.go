package matrix

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

// part is an expression that has a say in one attribute of a cell.
type part struct {
	b        *bound
	when     *bound     // nil: always
	key      string     // of a limit block: the one entry that b is the value of
	where    diag.Range // that entry, or the entry of an override
	override bool
}

// layer is one block's say about cells, with what it may read.
type layer struct {
	d *builtDecl
	s *scope
}

// layers is the blocks that make the group's cells, outermost first.
func (in *instance) layers() []layer {
	var out []layer
	for _, d := range in.fam.decl.layers {
		out = append(out, layer{d, in.family})
	}
	return append(out, layer{&in.g.decl.builtDecl, in.group})
}

// parts is what family and group say about an attribute, in the order in which
// it is said; overrides come last.
func (in *instance) parts(name string) []part {
	f := in.f
	var out []part
	layers := in.layers()
	for _, l := range layers {
		if x := l.d.x[name]; x != nil {
			out = append(out, part{b: f.bind(x, l.s)})
		}
		if name != "limit" {
			continue
		}
		for _, lim := range l.d.limits {
			when := f.bind(lim.when, l.s)
			for _, field := range lim.fields {
				out = append(out, part{b: f.bind(field.x, l.s), when: when, key: field.name, where: field.where})
			}
		}
	}
	for _, l := range layers {
		for _, o := range l.d.overrides {
			for _, field := range o.fields {
				if field.name == name {
					out = append(out, part{b: f.bind(field.x, l.s), when: f.bind(o.when, l.s), where: o.where, override: true})
				}
			}
		}
	}
	return out
}

// holding is the parts that have a say here. Two overrides that say the same
// attribute are a mistake: neither comes first.
func (f *frame) holding(parts []part) []part {
	if !slices.ContainsFunc(parts, func(p part) bool { return p.when != nil }) {
		return parts
	}
	var out []part
	var override *part
	for i := range parts {
		p := &parts[i]
		if p.when != nil && !f.boolean(p.when, !p.override) {
			continue
		}
		if p.override {
			if override != nil {
				f.fail(p.b, diag.Message{Where: p.where, Summary: "two overrides hold for one cell"}).
					note(override.where, "the first one is here").hint("make their conditions exclude each other")
				continue
			}
			override = p
		}
		out = append(out, *p)
	}
	return out
}

// attribute makes the slot of an attribute: what parts say, changed by the
// adjusts that match. more is further expressions that build looks at, needs
// further slots.
func (in *instance) attribute(name string, more []*bound, needs []*slot, build func([]part) any, asValue func(any) cty.Value) *slot {
	f := in.f
	var s *slot
	if sym := in.cell.syms[name]; sym != nil && sym.slot != nil {
		s = sym.slot
	} else {
		s = in.newSlot(name)
	}
	s.asValue = asValue
	base := s
	parts, changes := in.parts(name), in.changes(name)
	if len(changes) > 0 {
		base = in.newSlot(name) // most cells share what no adjust changes
	}
	base.needs = needs
	base.exprs = slices.Clip(more)
	for _, p := range parts {
		base.exprs = append(base.exprs, p.b)
		if p.when != nil {
			base.exprs = append(base.exprs, p.when)
		}
	}
	base.compute = func() any { return build(f.holding(parts)) }
	if base == s {
		return s
	}
	s.needs = append(s.needs, base)
	for _, c := range changes {
		s.needs = append(s.needs, c.match)
		s.exprs = append(s.exprs, c.bound())
	}
	s.compute = func() any {
		var by []*change
		for _, c := range changes {
			if at[bool](f, c.match) {
				by = append(by, c)
			}
		}
		if len(by) == 0 {
			return f.get(base).val
		}
		in.collisions(name, by)
		said := f.holding(parts)
		for _, c := range by {
			if c.replace != nil {
				said = []part{{b: c.replace}}
			}
		}
		said = slices.Clip(said)
		for _, c := range by {
			if c.add != nil {
				said = append(said, part{b: c.add})
			}
		}
		return build(said)
	}
	return s
}
