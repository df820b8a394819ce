package matrix

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

// bindAttributes makes the slots of a cell's attributes: how the expressions
// of toolchain, family and group come together.
func (in *instance) bindAttributes() {
	f, fam, g := in.f, in.fam.decl, in.g.decl
	both := func(family, group *expr) []*bound {
		var bs []*bound
		if family != nil {
			bs = append(bs, f.bind(family, in.family))
		}
		if group != nil {
			bs = append(bs, f.bind(group, in.group))
		}
		return bs
	}
	// inner is the group's expression where it has one, else the family's.
	inner := func(family, group *expr) *bound {
		bs := both(family, group)
		if len(bs) == 0 {
			return nil
		}
		return bs[len(bs)-1]
	}
	slotOf := func(name string, exprs []*bound, compute func() any, asValue func(any) cty.Value) *slot {
		var s *slot
		if sym := in.cell.syms[name]; sym != nil && sym.slot != nil {
			s = sym.slot
		} else {
			s = in.newSlot(name)
		}
		s.exprs, s.compute, s.asValue = exprs, compute, asValue
		return s
	}

	name := in.cell.syms["name"].slot
	if g.name != nil {
		in.nameBound = f.bind(g.name, in.group)
		name.exprs = []*bound{in.nameBound}
	}
	name.compute = func() any { return in.name() }
	name.asValue = func(v any) cty.Value { return cty.StringVal(v.(string)) }

	if fam.when != nil {
		in.whenFamily = f.bind(fam.when, in.family)
	}
	whens := both(fam.when, g.when)
	in.when = slotOf("when", whens, func() any {
		exists := true
		for _, b := range whens {
			if !f.boolean(b, true) {
				exists = false
			}
		}
		return exists
	}, nil)

	if b := inner(fam.source, g.source); b != nil {
		in.source = slotOf("source", []*bound{b}, func() any {
			path, ok := f.text(b)
			if ok && !f.validPath(b, b.x.where(), path) {
				path = ""
			}
			return Token{path, Origin{b.x.where(), b.x.what}}
		}, func(v any) cty.Value { return cty.StringVal(v.(Token).Text) })
	} else {
		unset(in.cell.syms["source"].slot, cty.NullVal(cty.String))
	}

	if b := inner(fam.wave64, g.wave64); b != nil {
		in.wave64 = slotOf("wave64", []*bound{b}, func() any { return f.boolean(b, false) },
			func(v any) cty.Value { return cty.BoolVal(v.(bool)) })
	} else {
		unset(in.cell.syms["wave64"].slot, cty.False)
	}

	includes := both(fam.include, g.include)
	in.include = slotOf("include", includes, func() any {
		var out []Token
		for _, b := range includes {
			out = append(out, f.paths(b)...)
		}
		return out
	}, tokensValue)

	in.bindToolchain(both(fam.flags, g.flags), slotOf)

	defines := both(fam.defines, g.defines)
	in.defines = slotOf("defines", defines, func() any {
		var out []definition
		for _, b := range defines {
			out = mergeDefinitions(out, f.defines(b, ""))
		}
		return present(out)
	}, func(v any) cty.Value {
		m := map[string]cty.Value{}
		for _, d := range v.([]Define) {
			m[d.Name] = cty.StringVal(d.Value)
		}
		return object(m)
	})

	hooks := both(fam.hook, g.hook)
	in.hook = slotOf("hook", hooks, func() any {
		var out []HookValue
		for _, b := range hooks {
			out = f.hook(b, out)
		}
		return out
	}, func(v any) cty.Value {
		m := map[string]cty.Value{}
		for _, h := range v.([]HookValue) {
			m[h.Name] = cty.NumberUIntVal(uint64(h.Value))
		}
		return object(m)
	})

	in.bindLimits(slotOf)
	in.allow = bindAllow(f, fam.axes, in.toolScope())
	in.slots = append(in.slots, in.allow...)
}

type makeSlot func(string, []*bound, func() any, func(any) cty.Value) *slot

// bindToolchain makes the slots that depend on which toolchain a cell has.
func (in *instance) bindToolchain(flags []*bound, slotOf makeSlot) {
	f, x := in.f, in.fam.decl.toolchain
	pick := f.bind(x, in.family)
	in.toolchain = slotOf("toolchain", []*bound{pick}, func() any {
		v := f.whole(pick)
		if !v.IsKnown() {
			return (*toolchainDecl)(nil)
		}
		r, ok := asRef(v)
		if !ok || r.kind != "toolchain" {
			f.fail(pick, diag.Message{Summary: "toolchain must be one of toolchain.NAME, not " + kindOf(v)})
			return (*toolchainDecl)(nil)
		}
		return in.d.toolchain(r.name)
	}, nil)

	// Which toolchains the expression can name is seen in the expression.
	tool := in.toolScope()
	toolFlags, toolEnv := map[*toolchainDecl]*bound{}, map[*toolchainDecl]*bound{}
	exprs := append([]*bound(nil), flags...)
	var envs []*bound
	if !x.bad {
		for _, t := range x.node.Variables() {
			if t.RootName() != "toolchain" || len(t) < 2 {
				continue
			}
			name, _ := stepName(t[1])
			d := in.d.toolchain(name)
			if d == nil {
				continue
			}
			if d.flags != nil && toolFlags[d] == nil {
				toolFlags[d] = f.bind(d.flags, tool)
				exprs = append(exprs, toolFlags[d])
			}
			if d.env != nil && toolEnv[d] == nil {
				toolEnv[d] = f.bind(d.env, tool)
				envs = append(envs, toolEnv[d])
			}
		}
	}
	in.flags = slotOf("flags", exprs, func() any {
		var out []Token
		if b := toolFlags[at[*toolchainDecl](f, in.toolchain)]; b != nil {
			out = append(out, f.tokens(b)...)
		}
		for _, b := range flags {
			out = append(out, f.tokens(b)...)
		}
		return out
	}, tokensValue)
	in.env = slotOf("env", envs, func() any {
		var out []definition
		if b := toolEnv[at[*toolchainDecl](f, in.toolchain)]; b != nil {
			out = f.defines(b, "0")
		}
		return present(out)
	}, nil)
	in.flags.needs = []*slot{in.toolchain}
	in.env.needs = []*slot{in.toolchain}
}

// bindLimits makes the slot of the limits: attributes and blocks of the
// family, then the group's, later ones winning.
func (in *instance) bindLimits(slotOf makeSlot) {
	type boundLimit struct {
		object, when *bound
		names        []fieldDecl
		fields       []*bound
	}
	f := in.f
	var limits []boundLimit
	var exprs []*bound
	add := func(d []limitDecl, s *scope) {
		for _, lim := range d {
			var bl boundLimit
			if lim.object != nil {
				bl.object = f.bind(lim.object, s)
				exprs = append(exprs, bl.object)
			}
			if lim.when != nil {
				bl.when = f.bind(lim.when, s)
				exprs = append(exprs, bl.when)
			}
			for _, field := range lim.fields {
				bl.names = append(bl.names, field)
				bl.fields = append(bl.fields, f.bind(field.x, s))
			}
			exprs = append(exprs, bl.fields...)
			limits = append(limits, bl)
		}
	}
	add(in.fam.decl.limits, in.family)
	add(in.g.decl.limits, in.group)
	in.limits = slotOf("limit", exprs, func() any {
		var out Limits
		for _, bl := range limits {
			if bl.when != nil && !f.boolean(bl.when, true) {
				continue
			}
			if bl.object != nil && f.ready(bl.object) {
				for _, p := range f.pairs(bl.object, bl.object.x.node) {
					f.limit(bl.object, &out, p)
				}
			}
			for i, b := range bl.fields {
				f.limit(b, &out, piece{bl.names[i].name, f.whole(b), bl.names[i].where})
			}
		}
		return out
	}, nil)
}

func unset(s *slot, v cty.Value) {
	s.compute = func() any { return v }
	s.asValue = func(any) cty.Value { return v }
}

func tokensValue(v any) cty.Value {
	var vs []cty.Value
	for _, t := range v.([]Token) {
		vs = append(vs, cty.StringVal(t.Text))
	}
	return tuple(vs)
}

// objectKeys is the keys of an object as written that are plain names.
func objectKeys(e hclsyntax.Expression) []string {
	o, ok := e.(*hclsyntax.ObjectConsExpr)
	if !ok {
		return nil
	}
	var names []string
	for _, item := range o.Items {
		if key, diags := item.KeyExpr.Value(rootContext); !diags.HasErrors() {
			if s, ok := text(key); ok {
				names = append(names, s)
			}
		}
	}
	return names
}
