package ptx

import (
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	m := &Module{Text: []byte("ab\r\nüx\n\nlast")}
	for _, c := range []struct{ offset, line, column int }{
		{0, 1, 1}, {2, 1, 3}, {3, 1, 4}, {4, 2, 1}, {6, 2, 2}, {7, 2, 3}, {8, 3, 1}, {9, 4, 1}, {13, 4, 5}, {99, 4, 5}, {-5, 1, 1},
	} {
		if l, col := m.Line(c.offset); l != c.line || col != c.column {
			t.Errorf("%d: %d:%d, want %d:%d", c.offset, l, col, c.line, c.column)
		}
	}
	for i, want := range []string{"", "ab", "üx", "", "last", ""} {
		if got := m.LineText(i); got != want {
			t.Errorf("line %d: %q, want %q", i, got, want)
		}
	}
	for _, c := range []struct {
		from, to int
		want     string
		ok       bool
	}{{1, 1, "ab\r\n", true}, {2, 3, "üx\n\n", true}, {4, 4, "last", true}, {1, 4, "ab\r\nüx\n\nlast", true}, {0, 1, "", false}, {2, 1, "", false}, {4, 5, "", false}} {
		s, ok := m.LineSpan(c.from, c.to)
		if ok != c.ok || ok && m.Source(s) != c.want {
			t.Errorf("lines %d to %d: %q %v", c.from, c.to, m.Source(s), ok)
		}
	}
	if m.Newline() != "\r\n" || (&Module{Text: []byte("a\nb\r\n")}).Newline() != "\n" || (&Module{}).Newline() != "\n" {
		t.Error("line ends")
	}
	for _, s := range []Span{{-1, 2}, {2, 1}, {0, 99}} {
		if m.Source(s) != "" {
			t.Errorf("source of %v", s)
		}
	}
}

func TestFunctions(t *testing.T) {
	m := parse(t, "m.ptx", `.version 7.5
.target sm_80
.address_size 64
.extern .func f(.param .b32 a);
.func f(.param .b32 a) { ret; }
.extern .func g;
.global .b32 x;
.visible .entry k(.param .u64 p, .param .align 8 .b8 q[20], .param .u8 r) .maxntid 32, 1, 1 { ret; }
.entry declared(.param .u64 p);`)
	if len(m.Functions()) != 5 || len(m.Entries()) != 1 || m.Entries()[0].Name != "k" || len(m.Variables()) != 1 {
		t.Errorf("%d functions", len(m.Functions()))
	}
	if f := m.Function("f"); f == nil || f.Body == nil {
		t.Error("the definition of f is not what is found")
	}
	if g := m.Function("g"); g == nil || !g.Extern || m.Source(g.NameAt) != "g" {
		t.Error("the declaration of g")
	}
	if m.Function("h") != nil {
		t.Error("there is no h")
	}
	k := m.Function("k")
	for _, c := range []struct {
		offset int
		name   string
		inside int
	}{{0, "p", 0}, {7, "p", 7}, {8, "q", 0}, {27, "q", 19}, {28, "r", 0}, {29, "", 0}, {-1, "", 0}} {
		p, inside := k.Parameter(c.offset)
		name := ""
		if p != nil {
			name = p.Name
		}
		if name != c.name || inside != c.inside {
			t.Errorf("offset %d: %q %d, want %q %d", c.offset, name, inside, c.name, c.inside)
		}
	}
	if k.ParameterBytes() != 29 || k.ParameterNamed("q").Offset != 8 || k.ParameterNamed("none") != nil {
		t.Error("parameters")
	}
	if d := k.Attribute("maxntid"); d == nil || strings.Join(d.Args, " ") != "32 1 1" || k.Attribute(".maxntid") != d || k.Attribute("reqntid") != nil {
		t.Error("attributes")
	}
}

func TestWalkThroughStatements(t *testing.T) {
	m := parse(t, "m.ptx", ".entry k() {\n.reg .b32 %r<3>;\n{ $a: { @%p1 ld.b32 %r1, [%rd1+4]; } .loc 1 2 3\n}\nret;\n}")
	k := m.Function("k")
	var got []string
	for s := range m.Statements(k) {
		if s.Scopes[0] != k.Body {
			t.Error("the first scope is not the body")
		}
		got = append(got, strings.Repeat(">", len(s.Scopes))+describe(s.Item))
	}
	if s := strings.Join(got, "; "); s != ">variable %r reg b32 range 3; >>label $a; >>>@%p1 ld.b32 r:%r1 [r:%rd1+4]; >>.loc 1|2|3; >ret" {
		t.Error(s)
	}
	for range m.Statements(k) {
		break // leaving early is no panic
	}
	n := 0
	for in := range m.Instructions(k) {
		n++
		if in.Op() == "ld" {
			var seen []string
			in.Walk(func(o Operand) { seen = append(seen, m.Source(o.Range())) })
			if s := strings.Join(seen, " "); s != "%p1 %r1 [%rd1+4] %rd1" {
				t.Error(s)
			}
			if !in.Has("b32") || in.Has("ld") {
				t.Error("parts")
			}
		}
	}
	for range m.Statements(nil) {
		t.Error("statements of nothing")
	}
	if n != 2 {
		t.Errorf("%d instructions", n)
	}
}

func TestCoordinates(t *testing.T) {
	m := parse(t, "m.ptx", ".entry k() { tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, s, {%f1, %f2}]; tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, %r1]; ld.b32 %r1, [%rd1]; }")
	want := []string{"{%f1, %f2}", "", ""}
	for i, it := range m.Function("k").Body.Items {
		got := ""
		if v := it.(*Instruction).Operands[1].(*Address).Coordinates(); v != nil {
			got = m.Source(v.Span)
		}
		if got != want[i] {
			t.Errorf("%d: %q, want %q", i, got, want[i])
		}
	}
}
