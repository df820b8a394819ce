package matrix

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

// toolchainDecl is a toolchain with its expressions.
type toolchainDecl struct {
	Toolchain
	flags, env *expr
}

var toolchainKinds = []string{"clang", "emitter"}

func (l *loader) toolchains(root *node) {
	nothing := newScope(nil)
	for _, n := range root.all("toolchain") {
		if !l.names.declare("toolchain", n.label, n.head) {
			continue
		}
		if !isName(n.label) {
			l.errorf(n.head, "%q cannot name a toolchain", n.label).hint("use letters, digits, ., - and _")
		}
		t := &toolchainDecl{Toolchain: Toolchain{Name: n.label, Declared: n.head}}
		t.Kind = l.onceText(n, "kind", nothing)
		if a := n.attrs["kind"]; a != nil && t.Kind != "" && !slices.Contains(toolchainKinds, t.Kind) {
			l.errorf(a.where(), "there is no kind of toolchain %s", t.Kind).didYouMean(t.Kind, toolchainKinds)
		}
		if a := n.attrs["flags"]; a != nil {
			t.flags = newAttr(a.expr, n.title()+" flags")
		}
		if a := n.attrs["env"]; a != nil {
			t.env = newAttr(a.expr, n.title()+" env")
		}
		l.d.toolchains = append(l.d.toolchains, t)
		l.m.Toolchains = append(l.m.Toolchains, t.Toolchain)
	}
}

func (d *declarations) toolchain(name string) *toolchainDecl {
	for _, t := range d.toolchains {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// checkToolchains checks the names that toolchains read. An axis that a family
// lacks has its default there, so every axis is known.
func (l *loader) checkToolchains() {
	s := l.checkScope(l.d.file)
	s.constant("family", cty.DynamicVal).dom = l.d.familyDomain()
	for _, name := range append([]string{"name"}, readable...) {
		s.constant(name, cty.DynamicVal).dom = attributeDomain(name)
	}
	for _, t := range l.d.toolchains {
		s.check(t.flags, l.problems)
		s.check(t.env, l.problems)
	}
}

// toolChoice is the slot of a toolchain and what the toolchains that it can be
// say about the cell.
type toolChoice struct {
	slot       *slot
	flags, env map[*toolchainDecl]*bound
	exprs      []*bound // of flags
	envs       []*bound
}

// bindToolchain makes s the slot of the toolchain that x chooses.
func (in *instance) bindToolchain(x *expr, s *slot) *toolChoice {
	f := in.f
	pick := f.bind(x, in.family)
	c := &toolChoice{slot: s, flags: map[*toolchainDecl]*bound{}, env: map[*toolchainDecl]*bound{}}
	s.exprs = []*bound{pick}
	s.compute = func() any {
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
	}
	if x.bad {
		return c
	}
	// Which toolchains the expression can name is seen in the expression.
	tool := in.toolScope()
	for _, t := range x.node.Variables() {
		if t.RootName() != "toolchain" || len(t) < 2 {
			continue
		}
		name, _ := stepName(t[1])
		d := in.d.toolchain(name)
		if d == nil {
			continue
		}
		if d.flags != nil && c.flags[d] == nil {
			c.flags[d] = f.bind(d.flags, tool)
			c.exprs = append(c.exprs, c.flags[d])
		}
		if d.env != nil && c.env[d] == nil {
			c.env[d] = f.bind(d.env, tool)
			c.envs = append(c.envs, c.env[d])
		}
	}
	return c
}

// tokens is the flags of the chosen toolchain, in a list of the caller's.
func (c *toolChoice) tokens(f *frame) []Token {
	if b := c.flags[at[*toolchainDecl](f, c.slot)]; b != nil {
		return f.tokens(b)
	}
	return nil
}
