package matrix

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestWhen holds the two meanings of when, and what the ledger says.
func TestWhen(t *testing.T) {
	text := `family "off" {
  toolchain = toolchain.hip
  axes      = [axis.numerics]
  source    = "k.hip"
  when      = (var.on && numerics == "fast") && target.name != "gfx11"
  kernels "g" {
    for  = { n = ["a", "b"] }
    name = "k_${n}"
    when = n == "a" || target.name == "gfx10"
    twin = { none = "only fast sets call them" }
  }
  kernel "never" {
    when = n == 1
    let {
      n = 2
    }
  }
  adjust "idle while the family is off" {
    match = "off/k_a@gfx10"
    flags = ["-a"]
  }
}
family "on" {
  toolchain = toolchain.hip
  source    = "k.hip"
  when      = true
  kernel "k" {}
  kernel "l" {
    when = var.on && target.name == "gfx10"
  }
  adjust "idle while the kernel is off" {
    match = "on/l@gfx10"
    flags = ["-a"]
  }
}
exclude "idle while the family is off" {
  match  = "off/k_b@gfx10"
  reason = "it hangs"
}
`
	m, x := blocks(t, text, Options{})
	if got := addresses(x); got != "on/k@gfx10 on/k@gfx11" {
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
	if got := addresses(x); got != "off/k_a@gfx10 on/k@gfx10 on/k@gfx11 on/l@gfx10" {
		t.Errorf("on: %s", got)
	}
	if got := ledger(x); len(got) != 1 || got[0].Cells != 1 || x.LeftOut[0].Addresses[0] != "off/k_b@gfx10" {
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
  match  = "f/k@gfx10+accuracy, f/l@gfx11+*"
  reason = "it hangs"
  issue  = "https://example.invalid/7"
}
exclude "for a while" {
  match  = "f/k@gfx10+fp8"
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
	if got := strings.Join(x.LeftOut[0].Addresses, " "); got != "f/k@gfx10+accuracy f/l@gfx11 f/l@gfx11+fp8 f/l@gfx11+accuracy f/l@gfx11+fp8+accuracy" {
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
  match  = "f@gfx10"
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

// TestExcludeCollision holds that a cell that is left out collides with
// nothing: the other object of its name takes its place.
func TestExcludeCollision(t *testing.T) {
	_, x := blocks(t, `family "f" {
  toolchain = toolchain.hip
  source    = "f.hip"
  kernel "k" {}
}
family "g" {
  toolchain = toolchain.hip
  source    = "g.hip"
  kernel "k" {}
}
exclude "the old one" {
  match  = "f/k"
  reason = "g has a better one"
}
`, Options{})
	for _, s := range x.Sets {
		if len(s.Cells) != 1 || s.Cells[0].Family != "g" || len(s.LeftOut) != 0 {
			t.Errorf("%s: %v, left out %v", s.Path, s.Cells, s.LeftOut)
		}
	}
}

// TestExcludeWhen holds that an exclusion whose when is false leaves out nothing
// and is in no ledger, and that its selectors are checked all the same.
func TestExcludeWhen(t *testing.T) {
	text := func(match string) string {
		return smallHead + `
variable "tool" {
  type    = string
  default = ""
}
family "f" {
  toolchain = toolchain.hip
  kernel "a" {
    source = "a.hip"
  }
}
exclude "without the tool" {
  match  = "` + match + `"
  reason = "needs the tool"
  when   = var.tool == ""
}
`
	}
	for tool, want := range map[string]int{"": 1, "there": 0} {
		m, l := load(t, text("f/a@gfx11"), Options{Vars: map[string]string{"tool": tool}})
		x, more := m.Expand()
		if l = append(l, more...); len(l) > 0 {
			t.Fatal(printed(m, l))
		}
		if len(x.LeftOut) != want || x.byAddress("f/a@gfx11") == nil != (want == 1) {
			t.Errorf("with tool %q: %d rules, cell there: %v", tool, len(x.LeftOut), x.byAddress("f/a@gfx11") != nil)
		}
		m, _ = load(t, text("f/a@gfx11"), Options{Vars: map[string]string{"tool": tool}, Whole: true})
		if x, _ := m.Expand(); x.byAddress("f/a@gfx11") == nil || len(x.LeftOut) > 0 {
			t.Errorf("with tool %q the whole matrix leaves something out", tool)
		}
		if _, l = load(t, text("f/b@gfx11"), Options{Vars: map[string]string{"tool": tool}}); !l.HasErrors() {
			t.Errorf("with tool %q: a kernel that does not exist is no error", tool)
		}
	}
}
