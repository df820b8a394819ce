package matrix

import (
	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

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
		if a := n.attrs["approved"]; a != nil {
			f, b := l.evaluate(a, once, n.title()+" approved")
			if path, ok := f.text(b); ok && f.validPath(b, a.where(), path) {
				lib.Approved = path
			}
		}
		lib.Without = l.onceText(n, "without", once)
		if a := n.attrs["without"]; a != nil && lib.Without != "" && !isName(lib.Without) {
			l.errorf(a.where(), "%q cannot end the name of a release: it becomes part of paths", lib.Without).
				hint("use letters, digits, ., - and _")
		}
		l.m.Libraries = append(l.m.Libraries, lib)
	}
}

// library is the library a family names; "" when it names none.
func (l *loader) library(n *node) string {
	a := n.attrs["library"]
	f, b := l.evaluate(a, l.d.file, n.title()+" library")
	v := f.whole(b)
	if !v.IsKnown() || v.IsNull() {
		return ""
	}
	name, _ := f.libraryName(b, piece{value: v, where: a.where()}, "library")
	return name
}

// requires is the libraries a family cannot do without: one, or a list.
func (l *loader) requires(n *node) []string {
	a := n.attrs["requires"]
	f, b := l.evaluate(a, l.d.file, n.title()+" requires")
	v := f.whole(b)
	if !v.IsKnown() || v.IsNull() {
		return nil
	}
	pieces := []piece{{value: v, where: a.where()}}
	if isList(v) {
		pieces = f.list(b, a.expr)
	}
	var names []string
	for _, p := range pieces {
		if name, ok := f.libraryName(b, p, "requires"); ok {
			names = append(names, name)
		}
	}
	return names
}

func (f *frame) libraryName(b *bound, p piece, what string) (string, bool) {
	if p.value == cty.NilVal || !p.value.IsKnown() {
		return "", false
	}
	r, ok := asRef(p.value)
	if !ok || r.kind != "library" {
		f.fail(b, diag.Message{Where: p.where, Summary: what + " must be one of library.NAME, not " + kindOf(p.value)})
		return "", false
	}
	return r.name, true
}

// missing is the first of the libraries that is not there.
func (l *loader) missing(names []string) string {
	if l.o.HasLibrary == nil {
		return ""
	}
	for _, name := range names {
		for _, lib := range l.m.Libraries {
			if lib.Name == name && !l.o.HasLibrary(lib) {
				return name
			}
		}
	}
	return ""
}
