package ptx

import (
	"fmt"
	"strings"
)

// side is one of two pieces of code that are compared: what its names mean.
type side struct {
	m         *Module
	f         *Function // nil: module scope
	params    map[string]int
	labels    map[string]bool
	variables map[string]*Variable // no registers; of the module and the function
}

func newSide(m *Module, f *Function) *side {
	s := &side{m: m, f: f, params: map[string]int{}, labels: map[string]bool{}, variables: map[string]*Variable{}}
	for _, v := range m.Variables() {
		s.variables[v.Name] = v
	}
	if f == nil {
		return s
	}
	for i, p := range f.Params {
		s.params[p.Name] = i
	}
	for i, p := range f.Returns {
		s.params[p.Name] = -1 - i
	}
	for st := range m.Statements(f) {
		switch it := st.Item.(type) {
		case *Label:
			s.labels[it.Name] = true
		case *Variable:
			if it.Space != "reg" {
				s.variables[it.Name] = it
			}
		}
	}
	return s
}

// sideOf is the side of items that all stand in one function or at module
// scope.
func sideOf(m *Module, items []Item) *side {
	for _, f := range m.functions {
		if len(items) > 0 && f.Contains(items[0].Range()) && f.Span != items[0].Range() {
			return newSide(m, f)
		}
	}
	return newSide(m, nil)
}

// at is the place of an item for messages: file and line.
func (s *side) at(it Item) string {
	line, _ := s.m.Line(it.Range().Start)
	return fmt.Sprintf("%s:%d", s.m.Name, line)
}

// text is a statement on one line.
func (s *side) text(it Item) string { return oneLine(s.m.Source(it.Range())) }

// oneLine is a text with every run of white space made one blank.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// own replaces the name of the function of s in name by that of t, as it is
// and as C++ writes it into the names of variables, with its length before it.
func (s *side) own(name string, t *side) string {
	if s.f == nil || t.f == nil || s.f.Name == t.f.Name {
		return name
	}
	mangled := func(n string) string { return fmt.Sprintf("%d%s", len(n), n) }
	if strings.Contains(name, mangled(s.f.Name)) {
		return strings.Replace(name, mangled(s.f.Name), mangled(t.f.Name), 1)
	}
	return strings.Replace(name, s.f.Name, t.f.Name, 1)
}

// sameShape reports whether two variables differ in their names only.
func sameShape(a, b *Variable) bool {
	if a.Space != b.Space || a.Align != b.Align || a.Type != b.Type || a.Vector != b.Vector ||
		a.Linkage != b.Linkage || a.Array != b.Array || a.Ranged != b.Ranged || len(a.Dims) != len(b.Dims) || len(a.Init) != len(b.Init) {
		return false
	}
	for i := range a.Dims {
		if a.Dims[i] != b.Dims[i] {
			return false
		}
	}
	return a.Ranged || a.Count == b.Count
}
