package flow

import (
	"strings"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/plan"
)

func TestFolds(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		asked *bool
		value string
		want  bool
		fails bool
	}{
		{nil, "", false, false}, {nil, "0", false, false}, {nil, "1", true, false}, {nil, "yes", false, true},
		{&yes, "", true, false}, {&yes, "0", true, false}, {&no, "1", false, false}, {&no, "yes", false, false},
	} {
		got, err := folds(c.asked, func(name string) string {
			if name != foldEnv {
				t.Errorf("%s is read", name)
			}
			return c.value
		})
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%v, %q: %t, %v", c.asked, c.value, got, err)
		}
		if err != nil && diag.ExitCode(err) != int(diag.Usage) {
			t.Errorf("exit code %d", diag.ExitCode(err))
		}
	}
	if *never() || foldChoices("a=1", false) != "a=1" || foldChoices("a=1", true) == "a=1" {
		t.Error("choices")
	}
}

// GPUs of a row are grouped by object; a row that has the objects of an earlier
// one says so, and what is not known is equal to nothing.
func TestFoldTable(t *testing.T) {
	m, list := matrix.Load("matrix.hcl", matrix.Options{ReadFile: func(string) ([]byte, error) {
		return []byte(`edition = 1
project "p" {
  version = "1"
}
generation "g" {
  targets = ["gfx1100", "gfx1101", "gfx1102"]
  waves   = [32]
}
toolchain "hip" {
  kind = "clang"
}
axis "numerics" {
  values  = ["fast", "accuracy"]
  default = "fast"
}
family "k" {
  toolchain = toolchain.hip
  axes      = [axis.numerics]
  kernel "a" {
    source = "k/a.hip"
  }
}
`), nil
	}})
	if list.HasErrors() {
		t.Fatal(list)
	}
	x, list := m.Expand()
	if list.HasErrors() {
		t.Fatal(list)
	}
	objects := map[string]string{
		"k/a@gfx1100": "x", "k/a@gfx1101": "y", "k/a@gfx1102": "x",
		"k/a@gfx1100+accuracy": "x", "k/a@gfx1101+accuracy": "", "k/a@gfx1102+accuracy": "",
	}
	var cells []compiledCell
	for _, numerics := range []string{"fast", "accuracy"} {
		for _, c := range x.Cells {
			if v, _ := c.Axis("numerics"); v.Text != numerics {
				continue
			}
			one := compiledCell{Compiled: plan.Compiled{Cell: c, Premise: cache.Sum([]byte(c.Address()))}}
			if object := objects[c.Address()]; object != "" {
				one.Object = cache.Sum([]byte(object))
			}
			cells = append(cells, one)
		}
	}
	table := newFoldTable(cells)
	table.rows[0].differences = []string{"gfx1100, gfx1101: ISA changed:\n  here"}
	var b strings.Builder
	table.print(&b)
	want := "k/a            gfx1100=gfx1102  gfx1101\n" +
		"    gfx1100, gfx1101: ISA changed:\n      here\n" +
		"k/a +accuracy  gfx1100 (as plain)  gfx1101  gfx1102\n"
	if b.String() != want || table.actions != 6 || table.different != 2 {
		t.Errorf("%d actions, %d different\ngot\n%swant\n%s", table.actions, table.different, b.String(), want)
	}
}

func TestDifferenceText(t *testing.T) {
	code := codeobj.Difference{Likeness: codeobj.Code, Symbol: "k", Offset: 0x1c}
	gone := code
	gone.Missing = true
	for _, c := range []struct {
		d    difference
		want string
	}{
		{difference{}, "the same bytes"},
		{difference{Difference: codeobj.Difference{Likeness: codeobj.MetadataOnly}, Byte: 0x40}, "metadata only, first at byte 0x40 of the file"},
		{difference{Difference: codeobj.Difference{Likeness: codeobj.Constants, Section: ".rodata", Offset: 4}}, "constants changed, first in .rodata at 0x4"},
		{difference{Difference: code}, "ISA changed, first in k at 0x1c"},
		{difference{Difference: gone}, "ISA changed, only one of them has k"},
		{difference{Difference: code, Instruction: 7, Text: [2]string{"s_nop 0", "s_nop 1"}},
			"ISA changed, first in k at 0x1c, instruction 7:\n  gfx1100   s_nop 0\n  gfx1101   s_nop 1"},
	} {
		if got := c.d.text("gfx1100", "gfx1101"); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
