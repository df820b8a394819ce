package matrix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// compared is the fields of a Cell that Diff looks at, or that need not be
// looked at: what names the cell, and places.
var compared = map[string]string{
	"Family": "address", "Kernel": "address", "Point": "address", "Declared": "place", "SourceFrom": "place",
	"Target": "target", "Group": "group", "Toolchain": "toolchain", "Source": "source", "Include": "include",
	"Flags": "flags", "Defines": "define", "Env": "env", "Wave64": "wave64", "Hook": "hook",
	"Library": "library", "Licence": "licence", "NoTwin": "no twin", "DeveloperOnly": "developer only",
	"Wave64From": "place", "RecipeFrom": "place", "ReferenceFrom": "place", "RedirectFrom": "place", "Limits": "place", // Bounds say the same
	"Recipe": "recipe", "Reference": "reference", "Counts": "counts", "Redirect": "redirect", "Bounds": "limit", "Bitcode": "bitcode", "NoTwinReason": "no twin, reason",
}

// TestDiffLooksAtEverything holds that a new field of Cell is not forgotten.
func TestDiffLooksAtEverything(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Cell]()) {
		what, known := compared[f.Name]
		if !f.IsExported() {
			continue
		}
		if !known {
			t.Errorf("Diff does not look at Cell.%s: add it to aspects, and here", f.Name)
			continue
		}
		if what != "address" && what != "place" && !slices.ContainsFunc(aspects, func(a aspect) bool { return a.what == what }) {
			t.Errorf("there is no aspect %s", what)
		}
	}
}

// edited is the expansion of testdata/describe.hcl after some replacements.
func edited(t testing.TB, replace ...string) *Expansion {
	t.Helper()
	data, err := os.ReadFile("testdata/describe.hcl")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(text, replace[i]) {
			t.Fatalf("no %q", replace[i])
		}
		text = strings.Replace(text, replace[i], replace[i+1], 1)
	}
	m, l := load(t, text, Options{})
	x, more := m.Expand()
	if l = append(l, more...); l.HasErrors() {
		t.Fatal("\n" + printed(m, l))
	}
	return x
}

func TestDiff(t *testing.T) {
	var b bytes.Buffer
	base := edited(t)
	for _, c := range []struct {
		what    string
		replace []string
	}{
		{"nothing", nil},
		{"a flag for all", []string{`["-O3"]`, `["-O3", "-mcumode"]`}},
		{"another flag", []string{`["-O3"]`, `["-O2"]`}},
		{"flags in the middle", []string{`["-O3"]`, `["-a", "-O3", "-b", "-c"]`}},
		{"a flag for one generation", []string{`family "m" {`, "family \"m\" {\n  flags = target.gen == \"gfx12\" ? [\"-x\"] : []"}},
		{"a define", []string{`EXACT = numerics == "accuracy"`, `EXACT = numerics == "accuracy", N = 4`}},
		{"a define on some", []string{`EXACT = numerics == "accuracy"`, `EXACT = numerics == "accuracy" && target.name == "gfx1100"`}},
		{"a hook value", []string{`layer == "enc1" ? 2 : 1`, `layer == "dec1" ? 2 : layer == "enc1" ? 3 : 1`}},
		{"sources", []string{`source = "k/${layer}.hip"`, `source = "k/all.hip"`}},
		{"limits and waves", []string{`source = "m/mlp.hip"`, "source = \"m/mlp.hip\"\n    limit = { vgprs = 96 }\n    wave64 = target.gen == \"gfx11\""}},
		{"kernels less and more", []string{`"enc1", "enc2"`, `"enc2", "enc3"`, `layer == "enc1"`, `layer == "enc3"`}},
		{"a GPU more", []string{`"gfx1200", "gfx1201"`, `"gfx1200", "gfx1201", "gfx1202"`}},
		{"a family less", []string{`family "m" {`, "family \"m\" {\n  when = false"}},
		{"a family more", []string{"when      = var.native", ""}},
		{"markers and paths", []string{`"accuracy/" : ""`, `"exact/" : ""`, `"1\n"`, `"2\n"`}},
		{"a marker", []string{`"1\n"`, `"2\n"`}},
		{"an axis value more", []string{`values  = ["", "soft"]`, `values  = ["", "soft", "hard"]`}},
		{"an adjust", []string{`family "m" {`, "family \"m\" {\n  adjust \"it is slow\" {\n    match = \"m/mlp@gfx1201+*\"\n    flags = [\"-s\"]\n    limit = { lds = 64 }\n  }"}},
		{"an exclusion", []string{`family "m" {`, "exclude \"e\" {\n  match = \"k/*_enc0_*@gfx1100+*\"\n  reason = \"r\"\n}\nfamily \"m\" {"}},
		{"bitcode and a recipe", []string{`family "m" {`, "family \"m\" {\n  recipe = \"stores\"\n  counts = { round = 4 }\n  redirect = fp8\n  bitcode \"b\" {\n    toolchain = toolchain.hip\n    source = \"b.hip\"\n    defines = { F = fp8 }\n  }"}},
		{"a group with fewer axes", []string{`kernel "mlp" {`, "kernel \"mlp\" {\n    axes = [axis.numerics]"}},
		{"toolchain and licence", []string{`licence   = "MIT"`, `licence = "ISC"`, `toolchain.hip : toolchain.other`, `toolchain.other : toolchain.hip`}},
	} {
		x := edited(t, c.replace...)
		d := Diff(base, x)
		if d.Empty() != (c.replace == nil) {
			t.Errorf("%s: empty %v", c.what, d.Empty())
		}
		fmt.Fprintf(&b, "---- %s\n", c.what)
		if err := d.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		checkFolds(t, d, base, x)
		back := Diff(x, base)
		if back.Same != d.Same || count(back.Added) != count(d.Removed) || count(back.Removed) != count(d.Added) || len(back.Changed) != len(d.Changed) {
			t.Errorf("%s: the other way round it is not the same", c.what)
		}
		var data bytes.Buffer
		var again Difference
		if err := d.WriteJSON(&data); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data.Bytes(), &again); err != nil || !reflect.DeepEqual(&again, d) {
			t.Errorf("%s: JSON does not hold all of it: %v", c.what, err)
		}
	}
	golden(t, "testdata/diff.golden", b.String())
}

// checkFolds holds that selectors select what they stand for.
func checkFolds(t *testing.T, d *Difference, before, after *Expansion) {
	t.Helper()
	check := func(f Fold, x *Expansion) {
		if f.Count != len(f.Addresses) {
			t.Errorf("%d cells, %d addresses", f.Count, len(f.Addresses))
		}
		if f.Selectors == nil {
			return
		}
		cells, l := x.Select(strings.Join(f.Selectors, ","), "")
		var got []string
		for _, c := range cells {
			got = append(got, c.Address())
		}
		if len(l) > 0 || !slices.Equal(got, f.Addresses) {
			t.Errorf("%v select %d cells and stand for %d: %v", f.Selectors, len(got), len(f.Addresses), l)
		}
	}
	for _, f := range d.Added {
		check(f, after)
	}
	for _, f := range d.Removed {
		check(f, before)
	}
	for _, c := range d.Changed {
		check(c.Fold, after)
	}
}

func TestListEdits(t *testing.T) {
	a := &aspect{what: "flags", list: true}
	items := func(text string) []item {
		var out []item
		for _, f := range strings.Fields(text) {
			out = append(out, item{text: f})
		}
		return out
	}
	for _, c := range []struct{ before, after, want string }{
		{"a b c", "a b c", ""},
		{"", "a", "+ flags: a"},
		{"a b", "b", "- flags: a"},
		{"a b c", "a x c", "~ flags: b -> x"},
		{"a b c d", "a c d e", "- flags: b | + flags: e"},
		{"a b", "b a", "- flags: a | + flags: a"},
		{"a a a", "a a", "- flags: a"},
	} {
		var got []string
		for _, e := range a.edits(items(c.before), items(c.after)) {
			got = append(got, e.text())
		}
		if text := strings.Join(got, " | "); text != c.want {
			t.Errorf("%q to %q: got %q, want %q", c.before, c.after, text, c.want)
		}
	}
	long := items(strings.Repeat("a ", 3000))
	if got := a.edits(long, items(strings.Repeat("b ", 3000))); len(got) != 1 || got[0].Op != "changed" {
		t.Error("long lists")
	}
}

// TestDiffLarge holds that many cells with many changes do not take for ever.
func TestDiffLarge(t *testing.T) {
	rows := make([]string, 1000)
	for i := range rows {
		rows[i] = fmt.Sprintf(`"x%d"`, i)
	}
	more := strings.Join(rows, ", ")
	a := edited(t, `"enc0", `, more+`, "enc0", `)
	b := edited(t, `"enc0", `, more+`, "enc0", `, `layer == "enc1" ? 2 : 1`, `side == "left" ? 2 : 7`, `EXACT = numerics`, `NAME = name, EXACT = numerics`)
	start := time.Now()
	d := Diff(a, b)
	if len(d.Changed) < 1000 || d.Same > 30 {
		t.Errorf("%d changes, %d the same", len(d.Changed), d.Same)
	}
	t.Logf("%d cells, %d changes in %v", len(a.Cells), len(d.Changed), time.Since(start))
}
