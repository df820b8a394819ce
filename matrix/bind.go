package matrix

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// choice is a boolean attribute with its place.
type choice struct {
	on   bool
	from Origin
}

// bindAttributes makes the slots of a cell's attributes: how the expressions
// of toolchain, family and group come together.
func (in *instance) bindAttributes() {
	f, fam, g := in.f, in.fam.decl, in.g.decl
	in.bindName()
	in.bindWhen()
	in.bindMatches()

	in.source = in.attribute("source", nil, nil, in.lastToken(f.path), tokenValue)
	in.recipe = in.attribute("recipe", nil, nil, in.lastToken(func(b *bound) Token { return f.word(b, "recipe") }), tokenValue)
	in.reference = in.attribute("reference", nil, nil, in.lastToken(func(b *bound) Token { return f.word(b, "kernel") }), tokenValue)
	in.wave64 = in.attribute("wave64", nil, nil, in.lastChoice, choiceValue)
	in.redirect = in.attribute("redirect", nil, nil, in.lastChoice, choiceValue)

	in.include = in.attribute("include", nil, nil, func(parts []part) any {
		var out []Token
		for _, p := range parts {
			out = append(out, f.paths(p.b)...)
		}
		return out
	}, tokensValue)

	tool := in.bindToolchain(fam.toolchain, in.newSlot("toolchain"))
	in.toolchain = tool.slot
	in.flags = in.attribute("flags", tool.exprs, []*slot{tool.slot}, func(parts []part) any {
		out := tool.tokens(f)
		for _, p := range parts {
			out = append(out, f.tokens(p.b)...)
		}
		return out
	}, tokensValue)
	in.env = in.newSlot("env")
	in.env.exprs, in.env.needs = tool.envs, []*slot{tool.slot}
	in.env.compute = func() any {
		if b := tool.env[at[*toolchainDecl](f, tool.slot)]; b != nil {
			return present(f.defines(b, "0"))
		}
		return []Define(nil)
	}

	in.defines = in.attribute("defines", nil, nil, merged(func(b *bound) []definition { return f.defines(b, "") }), definesValue)
	in.counts = in.attribute("counts", nil, nil, merged(f.counts), definesValue)

	in.hook = in.attribute("hook", nil, nil, func(parts []part) any {
		var out []HookValue
		for _, p := range parts {
			out = f.hook(p.b, out)
		}
		return out
	}, func(v any) cty.Value {
		m := map[string]cty.Value{}
		for _, h := range v.([]HookValue) {
			m[h.Name] = cty.NumberUIntVal(uint64(h.Value))
		}
		return object(m)
	})

	in.limits = in.attribute("limit", nil, nil, func(parts []part) any {
		var out bounds
		for _, p := range parts {
			if p.key != "" {
				f.limit(p.b, &out, piece{key: p.key, value: f.whole(p.b), where: p.where, node: p.b.x.node})
				continue
			}
			if f.ready(p.b) {
				for _, entry := range f.pairs(p.b, p.b.x.node) {
					f.limit(p.b, &out, entry)
				}
			}
		}
		return out
	}, nil)

	in.bindBitcode()
	in.allow = bindAllow(f, g.axes, in.toolScope())
	in.slots = append(in.slots, in.allow...)
}

// bindName makes the slot of the kernel's name.
func (in *instance) bindName() {
	name := in.cell.syms["name"].slot
	if x := in.g.decl.name; x != nil {
		in.nameBound = in.f.bind(x, in.group)
		name.exprs = []*bound{in.nameBound}
	}
	name.compute = func() any { return in.name() }
	name.asValue = func(v any) cty.Value { return cty.StringVal(v.(string)) }
}

// bindWhen makes the slot of the conditions that a cell must fulfil.
func (in *instance) bindWhen() {
	f := in.f
	for _, x := range in.fam.decl.when {
		in.whenFamily = append(in.whenFamily, f.bind(x, in.family))
	}
	for _, x := range in.g.decl.when {
		in.whenGroup = append(in.whenGroup, f.bind(x, in.group))
	}
	in.when = in.newSlot("when")
	in.when.exprs = append(append(in.when.exprs, in.whenFamily...), in.whenGroup...)
	in.when.compute = func() any { return f.holds(in.whenFamily) && f.holds(in.whenGroup) }
}

// lastToken builds an attribute of which the last thing said counts.
func (in *instance) lastToken(read func(*bound) Token) func([]part) any {
	return func(parts []part) any {
		if len(parts) == 0 {
			return Token{}
		}
		return read(parts[len(parts)-1].b)
	}
}

func (in *instance) lastChoice(parts []part) any {
	if len(parts) == 0 {
		return choice{}
	}
	b := parts[len(parts)-1].b
	return choice{in.f.boolean(b, false), b.whole()}
}

// merged builds an object attribute of which later entries win.
func merged(read func(*bound) []definition) func([]part) any {
	return func(parts []part) any {
		var out []definition
		for _, p := range parts {
			out = mergeDefinitions(out, read(p.b))
		}
		return present(out)
	}
}

func tokenValue(v any) cty.Value {
	t := v.(Token)
	if t.From.Range.IsZero() {
		return cty.NullVal(cty.String)
	}
	return cty.StringVal(t.Text)
}

func choiceValue(v any) cty.Value { return cty.BoolVal(v.(choice).on) }

func tokensValue(v any) cty.Value {
	var vs []cty.Value
	for _, t := range v.([]Token) {
		vs = append(vs, cty.StringVal(t.Text))
	}
	return tuple(vs)
}

func definesValue(v any) cty.Value {
	m := map[string]cty.Value{}
	for _, d := range v.([]Define) {
		m[d.Name] = cty.StringVal(d.Value)
	}
	return object(m)
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
