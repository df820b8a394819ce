package matrix

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"kmx/internal/diag"
)

func printed(m *Matrix, l diag.List) string {
	var b bytes.Buffer
	diag.Print(&b, l, diag.Style{Source: m.Source})
	return b.String()
}

// load reads a matrix from text.
func load(t testing.TB, text string, o Options) (*Matrix, diag.List) {
	t.Helper()
	o.ReadFile = func(string) ([]byte, error) { return []byte(text), nil }
	return Load("matrix.hcl", o)
}

// real is the project's own matrix, expanded.
func real(t testing.TB) (*Matrix, *Expansion) {
	t.Helper()
	data, err := os.ReadFile("../matrix.hcl")
	if err != nil {
		t.Fatal(err)
	}
	m, l := load(t, string(data), Options{})
	x, l2 := m.Expand()
	if l = append(l, l2...); len(l) > 0 {
		t.Fatal("\n" + printed(m, l))
	}
	return m, x
}

func TestReal(t *testing.T) {
	_, x := real(t)
	if len(x.Cells) != 40 || len(x.Sets) != 16 {
		t.Errorf("%d cells, %d sets", len(x.Cells), len(x.Sets))
	}
	for _, s := range x.Sets {
		if len(s.Cells) != 3 {
			t.Errorf("%s: %d", s.Path, len(s.Cells))
		}
	}
	for _, c := range x.Cells {
		var f []string
		for _, tok := range c.Flags {
			f = append(f, tok.Text)
		}
		t.Log(c.Address(), strings.Join(f, " "), c.Defines, c.Hook)
	}
}
