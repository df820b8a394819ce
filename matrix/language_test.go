package matrix

import (
	"fmt"
	"maps"
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
  targets = ["t", "u"]
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

// TestAdjust holds what an adjust makes of the cell f/k@t, and that it leaves
// f/k@u alone.
func TestAdjust(t *testing.T) {
	for _, c := range []struct{ name, family, kernel, adjust, want string }{
		{"flags append", `flags = ["-f"]`, `flags = ["-k"]`, `flags = ["-a"]`, "flags: -t -f -k -a"},
		{"flags replace, not the toolchain's", `flags = ["-f"]`, `flags = ["-k"]`, `replace = { flags = ["-a"] }`, "flags: -t -a"},
		{"nothing can replace", `flags = ["-f"]`, "", `replace = { flags = [] }`, "flags: -t"},
		{"includes", `include = ["a"]`, "", `include = ["b"]`, "include: a b"},
		{"defines merge", `defines = { A = 1 }`, `defines = { B = 2 }`, `defines = { A = 3, C = 4 }`, "defines: A=3 B=2 C=4"},
		{"defines are taken away", `defines = { A = 1, B = 2 }`, "", `defines = { A = null }`, "defines: B=2"},
		{"defines replace", `defines = { A = 1 }`, `defines = { B = 2 }`, `replace = { defines = { C = 3 } }`, "defines: C=3"},
		{"hooks merge", `hook = { a = 1, b = 2 }`, "", `hook = { b = 3 }`, "hook: a=1 b=3"},
		{"limits merge", "limit {\n vgprs = 100\n lds = 5\n}", "", `limit = { vgprs = 120 }`, "limits: vgprs=120 lds=5"},
		{"limits replace", "limit {\n vgprs = 100\n lds = 5\n}", "", `replace = { limit = { sgprs = 9 } }`, "limits: sgprs=9"},
		{"wave size, seen by others", `defines = { W = wave64 }`, "", `wave64 = true`, "defines: W=1"},
		{"source", "", "", `source = "other.hip"`, "group k, toolchain hip, source other.hip, licence \"Apache-2.0\", library \"\""},
		{"recipe and counts", "", "", "recipe = \"r\"\ncounts = { a = 1, b = \"pairs\" }", "counts: a=1 b=pairs"},
		{"reads cells and lets", "let {\n v = numerics == \"fast\" ? 7 : 8\n}", "", `defines = { V = v, T = target.name }`, "defines: V=7 T=t"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cells := func(adjust string) []*Cell {
				_, x := blocks(t, `family "f" {
  toolchain = toolchain.hip
  axes      = [axis.numerics]
  source    = "k.hip"
  `+c.family+`
  kernel "k" {
    `+c.kernel+`
  }
  `+adjust+`
}
`, Options{})
				return x.Cells
			}
			with := cells("adjust \"because\" {\n match = \"f/k@t\"\n" + c.adjust + "\n}\n")
			without := cells("")
			for i, cell := range with {
				var got, plain strings.Builder
				dumpCell(&got, cell)
				dumpCell(&plain, without[i])
				if cell.Address() == "f/k@t" {
					if !strings.Contains(got.String(), "\t"+c.want+"\n") {
						t.Errorf("got\n%s\nwant %s", got.String(), c.want)
					}
				} else if got.String() != plain.String() {
					t.Errorf("%s is changed as well:\n%s", cell.Address(), got.String())
				}
			}
		})
	}
}

// TestOriginOfAdjust holds that what an adjust puts there says so, with what
// it reads.
func TestOriginOfAdjust(t *testing.T) {
	m, x := blocks(t, `family "f" {
  toolchain = toolchain.emit
  axes      = [axis.numerics]
  source    = "k.hip"
  let {
    exact = numerics == "accuracy"
  }
  kernels "g" {
    for     = { row = [{ id = "a", n = 1 }, { id = "b", n = 2 }] }
    name    = "k_${row.id}"
    flags   = concat(row.n > 1 ? ["-two", "-n${row.n}"] : ["-one"], var.on ? [] : ["-off"])
    defines = merge({ N = row.n }, exact ? {} : { FAST = true })
    hook    = { h = row.n }
    counts  = { c = row.n }
    recipe  = row.id
    include = ["inc/${row.id}"]
  }
  limit {
    vgprs = exact ? 1 : 2
  }
  adjust "because of b" {
    match  = "f/k_b@t"
    flags  = ["-b", var.on ? "-on" : "-not"]
    wave64 = !exact
    limit  = { lds = 5 }
  }
}
`, Options{})
	cells, l := x.Select("f/k_b@t", "")
	if len(l) > 0 || len(cells) != 1 {
		t.Fatal(l)
	}
	c := cells[0]
	var got []string
	say := func(what string, from Origin) {
		r := from.Range
		text := strings.Join(strings.Fields(string(m.Source(r.File)[r.Start.Byte:r.End.Byte])), " ")
		got = append(got, fmt.Sprintf("%s | %s | %s | %s | %s", what, text, from.What, from.Adjust, strings.Join(from.Reads, " ")))
	}
	for _, list := range [][]Token{c.Flags, c.Include} {
		for _, f := range list {
			say(f.Text, f.From)
		}
	}
	for _, list := range [][]Define{c.Defines, c.Counts, c.Env} {
		for _, d := range list {
			say(d.Name+"="+d.Value, d.From)
		}
	}
	for _, h := range c.Hook {
		say(h.Name, h.From)
	}
	for _, b := range c.Bounds {
		say(fmt.Sprint(b.Name, b.Value), b.From)
	}
	say("wave64", c.Wave64From)
	say("recipe "+c.Recipe, c.RecipeFrom)
	say("source "+c.Source, c.SourceFrom)
	const group, adjust = "family f kernels g ", `family f adjust "because of b" `
	want := []string{
		`-two | "-two" | ` + group + `flags |  | row.n`,
		`-n2 | "-n${row.n}" | ` + group + `flags |  | row.n`,
		`-off | "-off" | ` + group + `flags |  | var.on`,
		`-b | "-b" | ` + adjust + `flags | because of b | `,
		`-not | var.on ? "-on" : "-not" | ` + adjust + `flags | because of b | var.on`,
		`inc/b | "inc/${row.id}" | ` + group + `include |  | row.id`,
		`N=2 | N = row.n | ` + group + `defines |  | row.n`,
		`FAST=1 | FAST = true | ` + group + `defines |  | exact`,
		`c=2 | c = row.n | ` + group + `counts |  | row.n`,
		`WAVE64=1 | WAVE64 = wave64 | toolchain emit env |  | wave64`,
		`RECIPE=b | RECIPE = recipe | toolchain emit env |  | recipe`,
		`h | h = row.n | ` + group + `hook |  | row.n`,
		`vgprs2 | vgprs = exact ? 1 : 2 | family f limit |  | exact`,
		`lds5 | lds = 5 | ` + adjust + `limit | because of b | `,
		`wave64 | !exact | ` + adjust + `wave64 | because of b | exact`,
		`recipe b | row.id | ` + group + `recipe |  | row.id`,
		`source k.hip | "k.hip" | family f source |  | `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
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
		"derived/d@t+fp8": `derived/d@t+fp8
	group d, toolchain hip, source base.hip, licence "MIT", library "one"
	flags: -t -derived
	defines: F=derived A=1 B=3 C=4
	limits: vgprs=100 lds=7
	bitcode help: toolchain hip, source help.hip
		flags: -t
		defines: K=d O=1
`,
		"third/e@u+fp8+accuracy": `third/e@u+fp8+accuracy
	group e, toolchain hip, source third.hip, licence "BSD-3-Clause", library "one"
	flags: -t -derived
	defines: F=third A=1 B=3 C=4
	limits: vgprs=100 lds=7
	bitcode help: toolchain emit, source help3.hip
`,
		"base/b@t": `base/b@t
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

// TestWhen holds the two meanings of when, and what the ledger says.
func TestWhen(t *testing.T) {
	text := `family "off" {
  toolchain = toolchain.hip
  axes      = [axis.numerics]
  source    = "k.hip"
  when      = (var.on && numerics == "fast") && target.name != "u"
  kernels "g" {
    for  = { n = ["a", "b"] }
    name = "k_${n}"
    when = n == "a" || target.name == "t"
    twin = { none = "only fast sets call them" }
  }
  kernel "never" {
    when = n == 1
    let {
      n = 2
    }
  }
  adjust "idle while the family is off" {
    match = "off/k_a@t"
    flags = ["-a"]
  }
}
family "on" {
  toolchain = toolchain.hip
  source    = "k.hip"
  when      = true
  kernel "k" {}
  kernel "l" {
    when = var.on && target.name == "t"
  }
  adjust "idle while the kernel is off" {
    match = "on/l@t"
    flags = ["-a"]
  }
}
exclude "idle while the family is off" {
  match  = "off/k_b@t"
  reason = "it hangs"
}
`
	m, x := blocks(t, text, Options{})
	if got := addresses(x); got != "on/k@t on/k@u" {
		t.Errorf("off: %s", got)
	}
	want := []comparableLeftOut{
		{Rule: "family off, when", Reason: "var.on is false", Cells: 2},
		{Rule: `exclude "idle while the family is off"`, Reason: "it hangs"},
	}
	if got := ledger(x); !slices.Equal(got, want) {
		t.Errorf("off: %+v", got)
	}
	if f := m.Families[0]; f.Exists || f.Absent != "var.on is false" {
		t.Errorf("%+v", f)
	}
	m, x = blocks(t, text, Options{Vars: map[string]string{"on": "true"}})
	if got := addresses(x); got != "off/k_a@t on/k@t on/k@u on/l@t" {
		t.Errorf("on: %s", got)
	}
	if got := ledger(x); len(got) != 1 || got[0].Cells != 1 || x.LeftOut[0].Addresses[0] != "off/k_b@t" {
		t.Errorf("on: %+v", x.LeftOut)
	}
	if !m.Families[0].Exists || !x.Cells[0].NoTwin || x.Cells[0].NoTwinReason != "only fast sets call them" {
		t.Errorf("on: %+v", x.Cells[0])
	}
}

// TestRequires holds that a family without its library is left out of every
// set that it is declared for.
func TestRequires(t *testing.T) {
	text := `family "f" {
  toolchain = toolchain.emit
  requires  = [library.one, library.two]
  axes      = [axis.numerics]
  kernel "k" {
    recipe = "r"
  }
}
family "g" {
  extends = family.f
  when    = var.on
  kernel "l" {
    recipe = "r"
  }
}
family "h" {
  toolchain = toolchain.hip
  source    = "h.hip"
  kernel "h" {}
}
`
	with := strings.Replace(smallHead, "release \"r\" {\n", "release \"r\" {\n  kernels_per_set = 2\n", 1)
	for _, c := range []struct {
		absent, on, want string
		cells, left      int
	}{
		{"", "false", "family g, when", 2 + 4, 0},
		{"one", "false", "family f, requires library.one; family g, when", 2, 4},
		{"two", "false", "family f, requires library.two; family g, when", 2, 4},
		{"two", "true", "family f, requires library.two; family g, requires library.two", 2, 8},
	} {
		head := with
		if c.on == "true" {
			head = strings.Replace(head, "kernels_per_set = 2", "kernels_per_set = 3", 1)
		}
		m, l := load(t, head+text, Options{
			Vars: map[string]string{"on": c.on}, HasLibrary: func(l Library) bool { return l.Name != c.absent },
		})
		x, more := m.Expand()
		if l = append(l, more...); len(l) > 0 {
			t.Fatal(printed(m, l))
		}
		var rules []string
		left := 0
		for _, r := range x.LeftOut {
			rules = append(rules, r.Rule)
			left += len(r.Addresses)
		}
		if got := strings.Join(rules, "; "); got != c.want || left != c.left || len(x.Cells) != c.cells {
			t.Errorf("without %q: %d cells, %d left out by %s", c.absent, len(x.Cells), left, got)
		}
		inSets := 0
		for _, s := range x.Sets {
			inSets += len(s.LeftOut)
			for _, cell := range s.LeftOut {
				if cell.Target.Name != s.Target.Name || cell.Address() == "" {
					t.Errorf("%s leaves out %+v", s.Path, cell)
				}
			}
		}
		if inSets != 2*c.left { // with and without fp8
			t.Errorf("without %q: sets leave out %d", c.absent, inSets)
		}
	}
}

// TestExclude holds what an exclusion does to cells, sets and the ledger.
func TestExclude(t *testing.T) {
	_, x := blocks(t, `family "f" {
  toolchain = toolchain.hip
  axes      = [axis.numerics, axis.fp8]
  source    = "f.hip"
  kernel "k" {}
  kernel "l" {}
}
exclude "for good" {
  match  = "f/k@t+accuracy, f/l@u+*"
  reason = "it hangs"
  issue  = "https://example.invalid/7"
}
exclude "for a while" {
  match  = "f/k@t+fp8"
  reason = "it loops"
  until  = "2026-11-30"
}
`, Options{})
	want := []comparableLeftOut{
		{Rule: `exclude "for good"`, Reason: "it hangs", Cells: 5, Issue: "https://example.invalid/7"},
		{Rule: `exclude "for a while"`, Reason: "it loops", Cells: 1, Until: "2026-11-30"},
	}
	if got := ledger(x); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := strings.Join(x.LeftOut[0].Addresses, " "); got != "f/k@t+accuracy f/l@u f/l@u+fp8 f/l@u+accuracy f/l@u+fp8+accuracy" {
		t.Errorf("addresses %s", got)
	}
	if len(x.Cells) != 16-6 {
		t.Errorf("%s", addresses(x))
	}
	for _, s := range x.Sets {
		names := map[string]int{}
		for _, c := range s.Cells {
			names[c.Kernel]++
		}
		for _, c := range s.LeftOut {
			names[c.Kernel]++
		}
		if !maps.Equal(names, map[string]int{"k": 1, "l": 1}) {
			t.Errorf("%s: %v", s.Path, names)
		}
	}
}

// TestUntil holds which day an exclusion is compared with.
func TestUntil(t *testing.T) {
	for _, c := range []struct {
		epoch, until string
		expired      bool
	}{
		{"", "2026-11-30", false},
		{"", "2026-11-29", true},
		{"1796083199", "2026-11-30", false}, // the last second of that day
		{"1796083200", "2026-11-30", true},
		{"0", "1970-01-01", false},
		{"0", "2026-11-30", false},
	} {
		m, l := load(t, smallHead+`family "f" {
  toolchain = toolchain.hip
  source    = "f.hip"
  kernel "k" {}
}
exclude "x" {
  match  = "f@t"
  reason = "r"
  until  = "`+c.until+`"
}
`, Options{Getenv: func(name string) (string, bool) { return c.epoch, name == "SOURCE_DATE_EPOCH" && c.epoch != "" }})
		if l.HasErrors() != c.expired {
			t.Errorf("%+v: %s", c, printed(m, l))
		}
		if !slices.Contains(m.Env, EnvRead{"SOURCE_DATE_EPOCH", c.epoch, c.epoch != ""}) {
			t.Errorf("%+v: read %v", c, m.Env)
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
  override  = [{ when = target.name == "u" && numerics == "fast", recipe = "u", counts = { n = 3 } }]
  kernels "g" {
    for      = { n = ["a", "b"] }
    name     = "k_${n}"
    recipe   = "group"
    counts   = { n = 2, m = 1 }
    override = [{ when = n == "a" && target.name == "t", recipe = "at", source = "a.hip" }]
  }
  adjust "last" {
    match  = "f/k_a@t"
    recipe = "adjusted"
  }
}
`, Options{})
	var got []string
	for _, c := range x.Cells {
		got = append(got, fmt.Sprintf("%s %s %s %s", c.Address(), c.Recipe, c.Source, strings.Join(spelledOut(c.Counts), ",")))
	}
	want := []string{
		"f/k_a@t adjusted a.hip n=2,m=1", "f/k_a@t+accuracy at a.hip n=2,m=1",
		"f/k_a@u u  n=3,m=1", "f/k_a@u+accuracy group  n=2,m=1",
		"f/k_b@t group  n=2,m=1", "f/k_b@t+accuracy group  n=2,m=1",
		"f/k_b@u u  n=3,m=1", "f/k_b@u+accuracy group  n=2,m=1",
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
	want := "f/k@t f/k@t+accuracy f/k@u f/k@u+accuracy f/l@t f/l@u " +
		"f/m@t f/m@t+fp8 f/m@t+accuracy f/m@t+fp8+accuracy f/m@u f/m@u+fp8 f/m@u+accuracy f/m@u+fp8+accuracy"
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
	if got := addresses(x); got != "a/m@t a/m@u c/l@t c/l@u b/k@t b/k@u d/n@t d/n@u" {
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

// ledger is the left-out rules without its lists and places.
func ledger(x *Expansion) []comparableLeftOut {
	var out []comparableLeftOut
	for _, l := range x.LeftOut {
		out = append(out, comparableLeftOut{l.Rule, l.Reason, l.Cells, l.Issue, l.Until})
	}
	return out
}

type comparableLeftOut struct {
	Rule, Reason string
	Cells        int
	Issue, Until string
}
