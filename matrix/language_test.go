package matrix

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

const smallHead = `edition = 1
project "p" {
  licence = "Apache-2.0"
  version = "1"
  date    = "2026-11-30"
}
variable "on" {
  type    = bool
  default = false
}
generation "g" {
  targets = ["gfx10", "gfx11"]
  waves   = [32, 64]
}
axis "numerics" {
  values = ["fast", "accuracy"]
}
axis "fp8" {
  values = [false, true]
}
library "one" {
  paths = []
  match = "one.dll"
}
library "two" {
  paths = []
  match = "two.dll"
}
toolchain "hip" {
  kind  = "clang"
  flags = ["-t"]
}
toolchain "emit" {
  kind = "emitter"
  env  = { WAVE64 = wave64, RECIPE = recipe }
}
release "r" {
  sets {
    for  = { numerics = axis.numerics, target = "*", fp8 = axis.fp8 }
    path = "${numerics}/${target.name}${fp8 ? "-fp8" : ""}"
  }
}
`

// blocks loads the head above with further blocks, which must be right.
func blocks(t *testing.T, text string, o Options) (*Matrix, *Expansion) {
	t.Helper()
	m, l := load(t, smallHead+text, o)
	x, more := m.Expand()
	if l = append(l, more...); len(l) > 0 {
		t.Fatal("\n" + printed(m, l))
	}
	return m, x
}

// TestExtends holds that a family takes attributes, in whatever order the two
// are written, but no kernels and no adjusts.
func TestExtends(t *testing.T) {
	base := `family "base" {
  toolchain = toolchain.hip
  library   = library.one
  licence   = "MIT"
  axes      = [axis.fp8]
  source    = "base.hip"
  flags     = [said]
  defines   = { F = family, A = 1, B = 2 }
  limit {
    vgprs = 100
  }
  let {
    said  = "-base"
    other = fp8
  }
  bitcode "help" {
    toolchain = toolchain.hip
    source    = "help.hip"
    defines   = { K = name, O = other }
  }
  adjust "only here" {
    match = "base+*"
    flags = ["-adjusted"]
  }
  kernel "b" {}
}
`
	derived := `family "derived" {
  extends = family.base
  title   = "the other one"
  defines = { B = 3, C = 4 }
  let {
    said = "-derived"
  }
  limit {
    lds = 7
  }
  kernel "d" {}
}
family "third" {
  extends = family.derived
  axes    = [axis.numerics, axis.fp8]
  source  = "third.hip"
  licence = "BSD-3-Clause"
  bitcode "help" {
    toolchain = toolchain.emit
    source    = "help3.hip"
  }
  kernel "e" {}
}
`
	want := map[string]string{
		"derived/d@gfx10+fp8": `derived/d@gfx10+fp8
	group d, toolchain hip, source base.hip, licence "MIT", library "one"
	flags: -t -derived
	defines: F=derived A=1 B=3 C=4
	limits: vgprs=100 lds=7
	bitcode help: toolchain hip, source help.hip
		flags: -t
		defines: K=d O=1
`,
		"third/e@gfx11+fp8+accuracy": `third/e@gfx11+fp8+accuracy
	group e, toolchain hip, source third.hip, licence "BSD-3-Clause", library "one"
	flags: -t -derived
	defines: F=third A=1 B=3 C=4
	limits: vgprs=100 lds=7
	bitcode help: toolchain emit, source help3.hip
`,
		"base/b@gfx10": `base/b@gfx10
	group b, toolchain hip, source base.hip, licence "MIT", library "one"
	flags: -t -base -adjusted
	defines: F=base A=1 B=2
	limits: vgprs=100
	bitcode help: toolchain hip, source help.hip
		flags: -t
		defines: K=b
`,
	}
	for _, text := range []string{base + derived, derived + base} {
		m, x := blocks(t, text, Options{})
		if len(x.Cells) != 4+4+8 {
			t.Errorf("%d cells", len(x.Cells))
		}
		for address, want := range want {
			var b strings.Builder
			cells, _ := x.Select(address, "")
			for _, c := range cells {
				dumpCell(&b, c)
			}
			if b.String() != want {
				t.Errorf("got\n%swant\n%s", b.String(), want)
			}
		}
		for _, f := range m.Families {
			if want := map[string]string{"base": "", "derived": "base", "third": "derived"}[f.Name]; f.Extends != want {
				t.Errorf("%s extends %q", f.Name, f.Extends)
			}
		}
	}
}

// TestOverride holds that an override says more than family and group, and
// less than an adjust.
func TestOverride(t *testing.T) {
	_, x := blocks(t, `family "f" {
  toolchain = toolchain.emit
  axes      = [axis.numerics]
  recipe    = "plain"
  override  = [{ when = target.name == "gfx11" && numerics == "fast", recipe = "u", counts = { n = 3 } }]
  kernels "g" {
    for      = { n = ["a", "b"] }
    name     = "k_${n}"
    recipe   = "group"
    counts   = { n = 2, m = 1 }
    override = [{ when = n == "a" && target.name == "gfx10", recipe = "at", source = "a.hip" }]
  }
  adjust "last" {
    match  = "f/k_a@gfx10"
    recipe = "adjusted"
  }
}
`, Options{})
	var got []string
	for _, c := range x.Cells {
		got = append(got, fmt.Sprintf("%s %s %s %s", c.Address(), c.Recipe, c.Source, strings.Join(spelledOut(c.Counts), ",")))
	}
	want := []string{
		"f/k_a@gfx10 adjusted a.hip n=2,m=1", "f/k_a@gfx10+accuracy at a.hip n=2,m=1",
		"f/k_a@gfx11 u  n=3,m=1", "f/k_a@gfx11+accuracy group  n=2,m=1",
		"f/k_b@gfx10 group  n=2,m=1", "f/k_b@gfx10+accuracy group  n=2,m=1",
		"f/k_b@gfx11 u  n=3,m=1", "f/k_b@gfx11+accuracy group  n=2,m=1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestGroupAxes holds that a group can have fewer axes than its family, and
// stands at the default of those it lacks.
func TestGroupAxes(t *testing.T) {
	_, x := blocks(t, `family "f" {
  toolchain = toolchain.hip
  axes      = [axis.numerics, axis.fp8]
  source    = "f.hip"
  defines   = { FP8 = fp8, NOT8 = !fp8 }
  kernel "k" {
    axes = [axis.numerics]
  }
  kernel "l" {
    axes = []
  }
  kernel "m" {}
}
`, Options{})
	want := "f/k@gfx10 f/k@gfx10+accuracy f/k@gfx11 f/k@gfx11+accuracy f/l@gfx10 f/l@gfx11 " +
		"f/m@gfx10 f/m@gfx10+fp8 f/m@gfx10+accuracy f/m@gfx10+fp8+accuracy f/m@gfx11 f/m@gfx11+fp8 f/m@gfx11+accuracy f/m@gfx11+fp8+accuracy"
	if got := addresses(x); got != want {
		t.Errorf("got %s", got)
	}
	for _, c := range x.Cells[:6] {
		if got := strings.Join(spelledOut(c.Defines), " "); got != "NOT8=1" {
			t.Errorf("%s: %s", c.Address(), got)
		}
	}
	for _, s := range x.Sets {
		if len(s.Cells) != 3 {
			t.Errorf("%s holds %d", s.Path, len(s.Cells))
		}
	}
	for selector, want := range map[string]int{"f": 6, "f+fp8": 2, "f+accuracy": 4, "f+*": 14, "f+fp8=*": 4, "f+fp8=false": 2} {
		if cells, l := x.Select(selector, ""); len(cells) != want {
			t.Errorf("%s: %d cells, want %d: %v", selector, len(cells), want, l)
		}
	}
}

// TestInclude holds that blocks stand where the include stands, and that
// places name their file.
func TestInclude(t *testing.T) {
	a := txtar.Parse([]byte(`-- more/b.hcl --
include = ["deep/c.hcl"]
family "b" {
  toolchain = toolchain.hip
  source    = local.file
  kernel "k" {}
}
-- more/deep/c.hcl --
edition = 1
family "c" {
  toolchain = toolchain.hip
  flags     = ["-c"]
  source    = "c.hip"
  kernel "l" {}
}
-- locals.hcl --
locals {
  file = "b.hip"
}
`))
	m, l := loadFiles(`family "a" {
  extends = family.c
  kernel "m" {}
}
include = ["more/b.hcl", "./locals.hcl"]
family "d" {
  extends = family.b
  kernel "n" {}
}
`+smallHead, a, Options{})
	x, more := m.Expand()
	if l = append(l, more...); len(l) > 0 {
		t.Fatal(printed(m, l))
	}
	if got := addresses(x); got != "a/m@gfx10 a/m@gfx11 c/l@gfx10 c/l@gfx11 b/k@gfx10 b/k@gfx11 d/n@gfx10 d/n@gfx11" {
		t.Errorf("got %s", got)
	}
	var files []string
	for _, f := range m.Files {
		files = append(files, f.Name)
	}
	if got := strings.Join(files, " "); got != "matrix.hcl more/b.hcl more/deep/c.hcl locals.hcl" {
		t.Errorf("files %s", got)
	}
	flag := x.Cells[0].Flags[1]
	if r := flag.From.Range; flag.Text != "-c" || r.File != "more/deep/c.hcl" || r.Start.Line != 4 || string(m.Source(r.File)[r.Start.Byte:r.End.Byte]) != `"-c"` {
		t.Errorf("%+v", flag)
	}
}

// TestArchives holds what archives say.
func TestArchives(t *testing.T) {
	m, _ := good(t, "testdata/example.hcl", Options{})
	var got []string
	for _, a := range m.Releases[0].Archives {
		got = append(got, fmt.Sprintf("%s: %v %v, %v, %v", a.Name, a.Families, a.Families == nil, a.Formats, a.Redistributable))
	}
	if want := []string{"network: [k m] false, [tar.zst], true", "full: [] true, [zip], false"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if m.Libraries[0].Approved != "modules.lock.hcl" {
		t.Errorf("%+v", m.Libraries[0])
	}
}

func addresses(x *Expansion) string {
	var out []string
	for _, c := range x.Cells {
		out = append(out, c.Address())
	}
	return strings.Join(out, " ")
}
