package matrix

import (
	"os"
	"strings"
	"testing"
)

// small is a matrix of one target and the given blocks.
func small(t *testing.T, blocks string) (*Matrix, *Expansion) {
	t.Helper()
	m, l := load(t, `edition = 1
project "p" {
  licence = "Apache-2.0"
  version = "1"
}
generation "g" {
  targets = ["gfx10"]
  waves   = [32, 64]
}
axis "numerics" {
  values = ["fast", "accuracy"]
}
axis "fp8" {
  values = [false, true]
}
toolchain "hip" {
  kind  = "clang"
  flags = ["-t"]
}
`+blocks, Options{})
	x, more := m.Expand()
	if l = append(l, more...); len(l) > 0 {
		t.Fatal("\n" + printed(m, l))
	}
	return m, x
}

// TestMerging holds how a family's attributes and a group's come together.
func TestMerging(t *testing.T) {
	for _, c := range []struct{ name, family, group, want string }{
		{"flags append, toolchain first", `flags = ["-f", null]`, `flags = ["-g"]`, "flags: -t -f -g"},
		{"includes append", `include = ["a"]`, `include = ["b"]`, "include: a b"},
		{"defines keep the first's place", `defines = { A = 1, B = 2 }`, `defines = { C = 3, A = 4 }`, "defines: A=4 B=2 C=3"},
		{"defines can be taken away", `defines = { A = 1, B = true }`, `defines = { A = false, B = null, C = "" }`, "defines: C="},
		{"defines keep their type", `defines = true ? { A = true, B = "x", C = 1.5 } : {}`, `defines = { D = false ? 3 : true }`, "defines: A=1 B=x C=1.5 D=1"},
		{"merge keeps the order", `defines = merge({ Z = 1, A = 2 }, { M = 3, Z = 4 })`, "", "defines: Z=4 A=2 M=3"},
		{"a computed object is sorted", `defines = { for n in ["z", "a"] : n => 1 }`, "", "defines: a=1 z=1"},
		{"hooks merge", `hook = { a = 1, b = 2 }`, `hook = { b = null, c = 3, a = 4 }`, "hook: a=4 c=3"},
		{"limits merge", `limit = { vgprs = 1, lds = 2 }`, "limit = { vgprs = 3, lds = null }\nlimit {\n spills = 4\n}", "limits: vgprs=3 spills=4"},
		{"a limit can have a condition", "limit {\n vgprs = 1\n when = numerics == \"accuracy\"\n}", "", ""},
		{"the group's wave size wins", `wave64 = true`, `wave64 = false`, ""},
		{"attributes read each other", "wave64 = true\nflags = wave64 ? [\"-w\"] : []", `defines = { N = name, S = source, F = join("", flags), H = hook.x }
hook = { x = 7 }`, "defines: N=k S=k.hip F=-t-w H=7"},
		{"a let of the group hides the family's", "let {\n a = 1\n}\ndefines = { A = a }", "let {\n a = 2\n}\ndefines = { B = a }", "defines: A=1 B=2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, x := small(t, `family "f" {
toolchain = toolchain.hip
axes = [axis.numerics]
`+c.family+`
kernel "k" {
source = "k.hip"
`+c.group+`
}
}
`)
			if len(x.Cells) != 2 {
				t.Fatalf("%d cells", len(x.Cells))
			}
			x.Cells = x.Cells[:1]
			got := dump(x)
			if c.want != "" && !strings.Contains(got, "\t"+c.want+"\n") {
				t.Errorf("got\n%s\nwant %s", got, c.want)
			}
			if c.want == "" && (strings.Contains(got, "limits") || strings.Contains(got, "wave64")) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// TestOrder holds that rows, targets and axes come in the file's order.
func TestOrder(t *testing.T) {
	_, x := small(t, `family "f" {
  toolchain = toolchain.hip
  axes      = [axis.fp8, axis.numerics]
  source    = "f.hip"
  kernels "g" {
    for  = { z = ["b", "a"], a = [2, 1] }
    name = "k_${z}${a}"
  }
}
`)
	var got []string
	for _, c := range x.Cells {
		got = append(got, strings.TrimPrefix(c.Address(), "f/k_"))
	}
	want := "b2@gfx10 b2@gfx10+accuracy b2@gfx10+fp8 b2@gfx10+fp8+accuracy b1@gfx10 b1@gfx10+accuracy b1@gfx10+fp8 b1@gfx10+fp8+accuracy " +
		"a2@gfx10 a2@gfx10+accuracy a2@gfx10+fp8 a2@gfx10+fp8+accuracy a1@gfx10 a1@gfx10+accuracy a1@gfx10+fp8 a1@gfx10+fp8+accuracy"
	if strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
}

// TestJoin holds which sets a cell joins: those that agree on the axes it has.
func TestJoin(t *testing.T) {
	_, x := small(t, `family "both" {
  toolchain = toolchain.hip
  source    = "f.hip"
  axes      = [axis.numerics, axis.fp8]
  kernel "a" {
    twin = "none"
  }
}
family "one" {
  toolchain = toolchain.hip
  source    = "f.hip"
  axes      = [axis.numerics]
  kernel "b" {}
}
family "none" {
  toolchain = toolchain.hip
  source    = "f.hip"
  kernel "c" {}
}
release "r" {
  sets {
    for  = { target = "g", fp8 = axis.fp8 }
    path = "by/fp8-${fp8}"
  }
  sets {
    for  = { target = ["gfx10"], numerics = "accuracy", fp8 = [true] }
    path = "accuracy"
  }
}
`)
	var got []string
	for _, s := range x.Sets {
		line := s.Path + ":"
		for _, c := range s.Cells {
			line += " " + c.Address()
		}
		got = append(got, line)
	}
	want := "by/fp8-false: both/a@gfx10 one/b@gfx10 none/c@gfx10\n" +
		"by/fp8-true: both/a@gfx10+fp8 one/b@gfx10 none/c@gfx10\n" +
		"accuracy: both/a@gfx10+fp8+accuracy one/b@gfx10+accuracy none/c@gfx10"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestUnreadable holds that there is always a Matrix to ask.
func TestUnreadable(t *testing.T) {
	m, l := Load("nowhere/matrix.hcl", Options{ReadFile: func(string) ([]byte, error) { return nil, os.ErrNotExist }})
	if len(l) != 1 || !strings.Contains(l[0].Summary, "cannot be read") {
		t.Errorf("got %v", l)
	}
	x, l := m.Expand()
	if len(x.Cells) != 0 || len(l) != 0 {
		t.Errorf("%d cells, %v", len(x.Cells), l)
	}
	if _, l := x.Select("a@b+c", "d"); !l.HasErrors() {
		t.Error("a selector of an empty matrix is right")
	}
}
