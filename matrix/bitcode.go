package matrix

import (
	"slices"

	"kmx/internal/diag"
)

// bitcodeDecl is a bitcode block.
type bitcodeDecl struct {
	name                                              string
	toolchain, source, include, flags, defines, guard *expr
	declared                                          diag.Range
}

// bitcode reads the bitcode blocks of one layer of a family; one replaces a
// block of the same name of an earlier layer.
func (l *loader) bitcode(d *familyDecl, n *node) {
	for _, b := range n.all("bitcode") {
		title := n.title() + " " + b.title()
		if n == d.node && !l.names.declareIn(n.title(), "bitcode", b.label, b.head) {
			continue
		}
		if !isName(b.label) {
			l.errorf(b.head, "%q cannot name bitcode", b.label).hint("use letters, digits, ., - and _")
		}
		get := func(name string) *expr {
			if a := b.attrs[name]; a != nil {
				return newAttr(a.expr, title+" "+name)
			}
			return nil
		}
		bc := &bitcodeDecl{
			name: b.label, declared: b.head, toolchain: get("toolchain"), source: get("source"), include: get("include"),
			flags: get("flags"), defines: get("defines"), guard: get("when"),
		}
		if bc.toolchain == nil || bc.source == nil {
			continue // reported
		}
		if i := slices.IndexFunc(d.bitcode, func(have *bitcodeDecl) bool { return have.name == bc.name }); i >= 0 {
			d.bitcode[i] = bc
		} else {
			d.bitcode = append(d.bitcode, bc)
		}
	}
}

func (d *bitcodeDecl) exprs() []*expr {
	return []*expr{d.toolchain, d.source, d.include, d.flags, d.defines, d.guard}
}

// bindBitcode makes the slot of the helpers of a cell.
func (in *instance) bindBitcode() {
	f := in.f
	type helper struct {
		d                                     *bitcodeDecl
		tool                                  *toolChoice
		source, include, flags, defines, when *bound
	}
	var helpers []helper
	s := in.newSlot("bitcode")
	for _, d := range in.fam.decl.bitcode {
		h := helper{
			d: d, source: f.bind(d.source, in.family), include: f.bind(d.include, in.family),
			flags: f.bind(d.flags, in.family), defines: f.bind(d.defines, in.family), when: f.bind(d.guard, in.family),
		}
		h.tool = in.bindToolchain(d.toolchain, in.newSlot("toolchain of bitcode "+d.name))
		s.needs = append(s.needs, h.tool.slot)
		s.exprs = append(s.exprs, h.tool.exprs...)
		for _, b := range []*bound{h.source, h.include, h.flags, h.defines, h.when} {
			if b != nil {
				s.exprs = append(s.exprs, b)
			}
		}
		helpers = append(helpers, h)
	}
	s.compute = func() any {
		var out []Bitcode
		for _, h := range helpers {
			if h.when != nil && !f.boolean(h.when, true) {
				continue
			}
			b := Bitcode{Name: h.d.name, Declared: h.d.declared}
			if t := at[*toolchainDecl](f, h.tool.slot); t != nil {
				b.Toolchain = t.Name
			}
			b.Source = f.path(h.source)
			if h.include != nil {
				b.Include = f.paths(h.include)
			}
			b.Flags = h.tool.tokens(f)
			if h.flags != nil {
				b.Flags = append(b.Flags, f.tokens(h.flags)...)
			}
			if h.defines != nil {
				b.Defines = present(f.defines(h.defines, ""))
			}
			out = append(out, b)
		}
		return out
	}
	in.bitcode = s
}
