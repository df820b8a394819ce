package matrix

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
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
			t.flags = newExpr(a.expr, n.title()+" flags")
		}
		if a := n.attrs["env"]; a != nil {
			t.env = newExpr(a.expr, n.title()+" env")
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
	for _, name := range append([]string{"family", "name"}, readable...) {
		s.constant(name, cty.DynamicVal)
	}
	for _, t := range l.d.toolchains {
		s.check(t.flags, l.problems)
		s.check(t.env, l.problems)
	}
}

func (l *loader) libraries(root *node) {
	once := l.fileScope()
	for _, n := range root.all("library") {
		if !l.names.declare("library", n.label, n.head) {
			continue
		}
		if !isName(n.label) {
			l.errorf(n.head, "%q cannot name a library", n.label).hint("use letters, digits, ., - and _")
		}
		lib := Library{Name: n.label, Declared: n.head, Match: l.onceText(n, "match", once)}
		for _, t := range l.onceTexts(n, "paths", once) {
			lib.Paths = append(lib.Paths, t.Text)
		}
		l.m.Libraries = append(l.m.Libraries, lib)
	}
}
