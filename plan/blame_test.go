package plan

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"kmx/matrix"
	"kmx/toolchains"
)

// Every word of every command of the whole example has an origin: a place in
// the matrix, or the mechanism.
func TestBlameExample(t *testing.T) {
	m, list := matrix.Load("example.hcl", matrix.Options{ReadFile: func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join("..", "matrix", "testdata", name))
	}})
	if list.HasErrors() {
		t.Fatal(list)
	}
	x, list := m.Expand()
	if list.HasErrors() {
		t.Fatal(list)
	}
	kinds := map[string]string{}
	for _, tc := range m.Toolchains {
		kinds[tc.Name] = tc.Kind
	}
	cells, adjusted := 0, 0
	for _, c := range x.Cells {
		if kinds[c.Toolchain] != toolchains.KindClang {
			continue
		}
		cells++
		a := compileHIP(c, &toolchains.Toolchain{Name: c.Toolchain}, reading{})
		var argv []string
		for _, b := range BlameCell(c, m, "") {
			if b.What == "" || b.Where.IsZero() != (b.What == Mechanism) {
				t.Fatalf("%s: %s comes from %q at %v", c.Address(), b.Text, b.What, b.Where)
			}
			if b.Adjust != "" {
				adjusted++
			}
			if !b.Env {
				argv = append(argv, b.Text)
			}
		}
		if want := append([]string{a.Tool}, a.Args...); !slices.Equal(argv, want) {
			t.Fatalf("%s: the words are\n%q\nthe command is\n%q", c.Address(), argv, want)
		}
	}
	if cells < 300 || adjusted == 0 {
		t.Errorf("looked at %d cells, %d words of adjusts", cells, adjusted)
	}
}
