package ptx

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"kmx/internal/diag"
)

// parse parses a text that has no errors.
func parse(t testing.TB, name, text string) *Module {
	t.Helper()
	m, err := Parse(name, []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, printed(err))
	}
	return m
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func printed(err error) string {
	var b bytes.Buffer
	if list, ok := err.(diag.List); ok {
		diag.Print(&b, list, diag.Style{})
	}
	return b.String()
}

// checkSpans holds the invariant of the package: items in order, apart, within
// their owner, and nothing but trivia between them.
func checkSpans(t testing.TB, m *Module) {
	t.Helper()
	var level func(owner Span, open, end int, items []Item)
	text := string(m.Text)
	between := func(from, to int) {
		p := &parser{m: m, src: text[:to], pos: from}
		if p.skip(); p.pos != to || from > to {
			t.Errorf("%s: %q lies between items", m.Name, m.Text[min(from, to):to])
		}
	}
	level = func(owner Span, open, end int, items []Item) {
		at := open
		for _, it := range items {
			s := it.Range()
			if s.Start < at || s.End <= s.Start || !owner.Contains(s) {
				t.Fatalf("%s: item %q [%d, %d) does not lie in order within [%d, %d)", m.Name, m.Source(s), s.Start, s.End, at, owner.End)
			}
			between(at, s.Start)
			at = s.End
			switch it := it.(type) {
			case *Block:
				level(it.Span, it.Start+1, it.End-1, it.Items)
			case *Function:
				if it.Body != nil {
					level(it.Span, it.Body.Start, it.End, []Item{it.Body})
				}
			case *Instruction:
				checkOperands(t, m, it)
			}
		}
		between(at, end)
	}
	level(Span{0, len(m.Text)}, 0, len(m.Text), m.Items)
}

// checkOperands holds that operands lie in their instruction in order and that
// operands within operands lie in them.
func checkOperands(t testing.TB, m *Module, in *Instruction) {
	t.Helper()
	at := in.OpcodeAt.End
	for _, o := range in.Operands {
		s := o.Range()
		if s.Start < at || !in.Contains(s) {
			t.Fatalf("%s: operand %q of %q is out of order", m.Name, m.Source(s), m.Source(in.Span))
		}
		at = s.End
	}
	inside := func(owner Span, o Operand) {
		if !owner.Contains(o.Range()) || o.Range().End <= o.Range().Start {
			t.Fatalf("%s: %q does not lie in %q", m.Name, m.Source(o.Range()), m.Source(owner))
		}
		first := true
		WalkOperand(o, func(x Operand) {
			if !first {
				if !o.Range().Contains(x.Range()) {
					t.Fatalf("%s: %q does not lie in %q", m.Name, m.Source(x.Range()), m.Source(o.Range()))
				}
			}
			first = false
			if r, ok := x.(*Register); ok && m.Source(r.Span) != r.Name {
				t.Fatalf("%s: register %s stands at %q", m.Name, r.Name, m.Source(r.Span))
			}
		})
	}
	in.Walk(func(o Operand) { inside(in.Span, o) })
}

func TestFormsParse(t *testing.T) {
	text := read(t, "testdata/forms.ptx")
	for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(text, "\t", " /* c */ ")} {
		m := parse(t, "forms.ptx", text)
		checkSpans(t, m)
		if string(m.Print()) != text {
			t.Error("printed text is another one")
		}
		if m.Version != "8.8" || m.Target != "sm_90a" || m.AddressSize != 64 {
			t.Errorf("%q %q %d", m.Version, m.Target, m.AddressSize)
		}
	}
}
