package matrix

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

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

// good loads and expands a file that must have nothing wrong with it.
func good(t testing.TB, path string, o Options) (*Matrix, *Expansion) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, l := load(t, string(data), o)
	x, more := m.Expand()
	if l = append(l, more...); len(l) > 0 {
		t.Fatal("\n" + printed(m, l))
	}
	return m, x
}

// dump is everything an expansion holds, without places.
func dump(x *Expansion) string {
	var b strings.Builder
	for _, c := range x.Cells {
		dumpCell(&b, c)
	}
	for _, s := range x.Sets {
		fmt.Fprintf(&b, "set %s (%s, %s): %d markers\n", s.Path, s.Release, s.Target.Name, len(s.Markers))
		for _, c := range s.Cells {
			fmt.Fprintf(&b, "\t%s\n", c.Address())
		}
	}
	for _, l := range x.LeftOut {
		fmt.Fprintf(&b, "left out by %s: %d cells: %s\n", l.Rule, l.Cells, l.Reason)
	}
	return b.String()
}

func dumpCell(b *strings.Builder, c *Cell) {
	fmt.Fprintf(b, "%s\n\tgroup %s, toolchain %s, source %s, licence %q, library %q", c.Address(), c.Group, c.Toolchain, c.Source, c.Licence, c.Library)
	for _, flag := range []struct {
		on   bool
		text string
	}{
		{c.Wave64, "wave64"}, {c.Redirect, "redirect"}, {c.DeveloperOnly, "developer only"}, {c.NoTwin, "no twin"},
		{c.Recipe != "", "recipe " + c.Recipe}, {c.Reference != "", "reference " + c.Reference},
	} {
		if flag.on {
			b.WriteString(", " + flag.text)
		}
	}
	b.WriteString("\n")
	words := func(name string, tokens []Token) {
		if len(tokens) > 0 {
			fmt.Fprintf(b, "\t%s:", name)
			for _, t := range tokens {
				b.WriteString(" " + t.Text)
			}
			b.WriteString("\n")
		}
	}
	values := func(name string, defines []Define) {
		if len(defines) > 0 {
			fmt.Fprintf(b, "\t%s:", name)
			for _, d := range defines {
				b.WriteString(" " + d.Name + "=" + d.Value)
			}
			b.WriteString("\n")
		}
	}
	words("include", c.Include)
	words("flags", c.Flags)
	values("defines", c.Defines)
	values("env", c.Env)
	values("counts", c.Counts)
	if len(c.Hook) > 0 {
		b.WriteString("\thook:")
		for _, h := range c.Hook {
			fmt.Fprintf(b, " %s=%d", h.Name, h.Value)
		}
		b.WriteString("\n")
	}
	if c.Limits != (Limits{}) {
		b.WriteString("\tlimits:")
		for _, a := range limitAttrs {
			if v := *c.Limits.field(a.name); v != nil {
				fmt.Fprintf(b, " %s=%d", a.name, *v)
			}
		}
		b.WriteString("\n")
	}
	for _, h := range c.Bitcode {
		fmt.Fprintf(b, "\tbitcode %s: toolchain %s, source %s\n", h.Name, h.Toolchain, h.Source.Text)
		words("\tinclude", h.Include)
		words("\tflags", h.Flags)
		values("\tdefines", h.Defines)
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s:%d\n got %s\nwant %s\n(if that is meant: go test ./matrix -update)", path, i+1, g[i], w[i])
		}
	}
	t.Fatalf("got %d lines, want %d", len(g), len(w))
}

func TestExpansion(t *testing.T) {
	_, x := good(t, "testdata/features.hcl", Options{})
	golden(t, "testdata/features.golden", dump(x))
}

// TestProjectMatrix holds the project's own file: it must be right, and make
// what the release promises.
func TestProjectMatrix(t *testing.T) {
	m, x := good(t, "../matrix.hcl", Options{HasLibrary: func(Library) bool { return false }})
	golden(t, "testdata/project.golden", dump(x))
	for _, s := range x.Sets {
		if want := m.Releases[0].KernelsPerSet; len(s.Cells)+len(s.LeftOut) != want {
			t.Errorf("%s holds %d kernels and leaves out %d, not %d", s.Path, len(s.Cells), len(s.LeftOut), want)
		}
		if _, marked := s.Markers["d4r-accuracy.txt"]; marked != strings.HasPrefix(s.Path, "accuracy/") {
			t.Errorf("%s: markers %v", s.Path, s.Markers)
		}
	}
}

// TestProjectTextures holds what the project's matrix says of the texture
// kernels where the library is there: counts, wave sizes, recipes.
func TestProjectTextures(t *testing.T) {
	zluda := func(name string) (string, bool) { return "/opt/zluda/d4r_emit", name == "D4R_ZLUDA_EMIT" }
	for _, c := range []struct {
		what         string
		o            Options
		kernels, out int // of each set
		fp8          int // more of each set with FP8, that others leave out
	}{
		{"kmx's emitter", Options{}, 57, 0, 0},
		{"ZLUDA's emitter", Options{Getenv: zluda}, 57, 0, 0},
		{"kmx's emitter, preset L", Options{Vars: map[string]string{"preset_l": "true"}}, 65, 5, 4},
		{"ZLUDA's emitter, preset L", Options{Getenv: zluda, Vars: map[string]string{"preset_l": "true"}}, 70, 0, 0},
	} {
		_, x := good(t, "../matrix.hcl", c.o)
		if len(x.Sets) != 16 {
			t.Errorf("%s: %d sets", c.what, len(x.Sets))
		}
		for _, s := range x.Sets {
			kernels, out := c.kernels, c.out
			if strings.HasSuffix(s.Path, "-fp8") {
				kernels, out = kernels+c.fp8, out-c.fp8
			}
			if len(s.Cells) != kernels || len(s.LeftOut) != out {
				t.Errorf("%s: %s holds %d kernels and leaves out %d, not %d and %d", c.what, s.Path, len(s.Cells), len(s.LeftOut), kernels, out)
			}
		}
	}
	_, x := good(t, "../matrix.hcl", Options{Getenv: zluda, Vars: map[string]string{"preset_l": "true"}})
	wide := map[string]string{} // by group, the sets in which waves have 64 lanes
	for _, s := range x.Sets {
		for _, c := range s.Cells {
			if c.Wave64 {
				wide[c.Family+" "+c.Group] += "x"
			}
		}
	}
	// 24 K outputs in the 8 fast sets; posts there and in the 4 accuracy sets of
	// gfx12; downsamples in the 8 sets of gfx12.
	for group, want := range map[string]int{"tex k_output": 24 * 8, "tex m_post": 8 * 12, "tex m_downsample": 4 * 8, "l post": 8 * 12} {
		if len(wide[group]) != want {
			t.Errorf("%s: %d cells in waves of 64, not %d", group, len(wide[group]), want)
		}
		delete(wide, group)
	}
	if len(wide) > 0 {
		t.Errorf("waves of 64 in %v", wide)
	}
	for address, want := range map[string]string{
		"tex/hiluma_engine_output_depthreg_mvlo_ldr_max_v2_rel@gfx1100": "stores  round=pairs",
		"tex/rrlite_enc0_4x4_mvlo_ldr_folded@gfx1201+fp8":               "enc0-tail rrlite_enc0_4x4_mvhi_hdr_folded prep_blocks=4 prep_key_at=1",
		"tex/rrlite_dec0_4x4_folded@gfx1201+fp8":                        "dec0-head  e4m3=32 prep_blocks=4 prep_key_at=1",
		"tex/rrlite_dec0_4x4_folded@gfx1201+accuracy":                   "dec0-head  e4m3=0 prep_blocks=4 prep_key_at=1",
		"l/rrlite_enc0_4x4_mvhi_hdr@gfx1201+fp8":                        "l-enc0-tail rrlite_enc0_4x4_mvhi_hdr prep_blocks=12 prep_key_at=1",
		"l/rrlite_enc0_4x4_mvhi_hdr@gfx1201":                            "stores ",
		"l/rrlite_dec0_4x4@gfx1200+fp8+accuracy":                        "l-dec0-block  prep_blocks=11 prep_key_at=1",
		"l/rrlite_post_3_2_mvlo_hdr@gfx1103":                            "stores ",
	} {
		c := x.byAddress(address)
		if c == nil {
			t.Errorf("there is no %s", address)
			continue
		}
		got := c.Recipe + " " + c.Reference
		for _, d := range c.Counts {
			got += " " + d.Name + "=" + d.Value
		}
		for _, h := range c.Hook {
			got += fmt.Sprintf(" %s=%d", h.Name, h.Value)
		}
		if got != want {
			t.Errorf("%s: %s, not %s", address, got, want)
		}
		if c.Library != "dlss" || c.Licence != "LicenseRef-NVIDIA-derived" {
			t.Errorf("%s: library %s, licence %s", address, c.Library, c.Licence)
		}
	}
}

func TestOrigins(t *testing.T) {
	m, x := good(t, "testdata/features.hcl", Options{
		Getenv: func(name string) (string, bool) { return "-g  -x", name == "FLAGS" },
	})
	cells, l := x.Select("k/dltss_pwin_enc1_layer@gfx1100,m/rrlite_enc1_4x4@gfx1201+fp8", "")
	if len(l) > 0 || len(cells) != 2 {
		t.Fatal(l, len(cells))
	}
	text := func(r diag.Range) string {
		return string(m.Source(r.File)[r.Start.Byte:r.End.Byte])
	}
	var got []string
	for _, c := range cells {
		for _, f := range c.Flags {
			got = append(got, f.Text+" | "+text(f.From.Range)+" | "+f.From.What)
		}
		for _, d := range c.Defines {
			got = append(got, d.Name+" | "+text(d.From.Range)+" | "+d.From.What)
		}
	}
	want := []string{
		`-O3 | local.tune | toolchain hip flags`,
		`-funroll | local.tune | toolchain hip flags`,
		`-g | var.extra_flags | toolchain hip flags`,
		`-x | var.extra_flags | toolchain hip flags`,
		`-mcumode | "-mcumode" | family k kernels layers flags`,
		`PWIN_F32ACC | PWIN_F32ACC = layer.fast && !exact | family k kernels layers defines`,
		`CU | CU = true | family k kernels layers defines`,
		`N | N = 4 | family k kernels layers defines`,
		`-O3 | local.tune | toolchain hip flags`,
		`-funroll | local.tune | toolchain hip flags`,
		`-g | var.extra_flags | toolchain hip flags`,
		`-x | var.extra_flags | toolchain hip flags`,
		`-mfp8 | "-mfp8" | toolchain hip flags`,
		`D4R_FP8_WMMA | D4R_FP8_WMMA = fp8 | family m defines`,
		`SWIN_SCALAR_BLOAD | SWIN_SCALAR_BLOAD = layer.sbload | family m kernels layers defines`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestVariables(t *testing.T) {
	env := map[string]string{"NATIVE": "yes", "FLAGS": "-a -b"}
	m, x := good(t, "testdata/features.hcl", Options{
		Getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Vars:   map[string]string{"extra_flags": "-c", "version": "0.0.0-dev"},
	})
	type row struct {
		name, typ, value, def, origin string
		differs                       bool
	}
	var got []row
	for _, v := range m.Variables {
		got = append(got, row{v.Name, v.Type, v.Value, v.Default, v.Origin, v.Differs})
	}
	want := []row{
		{"version", "string", `"0.0.0-dev"`, `"0.0.0-dev"`, "-var", false},
		{"native_inputs", "bool", "true", "false", "env NATIVE", true},
		{"extra_flags", "list(string)", `["-c"]`, "[]", "-var", true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if want := []EnvRead{{"NATIVE", "yes", true}, {"FLAGS", "-a -b", true}}; !reflect.DeepEqual(m.Env, want) {
		t.Errorf("env %v", m.Env)
	}
	cells, l := x.Select("native", "")
	if len(cells) != 4*6 || len(l) > 0 {
		t.Errorf("%d native cells, %v", len(cells), l)
	}
}

func TestDeterminism(t *testing.T) {
	_, x := good(t, "testdata/features.hcl", Options{})
	want := dump(x)
	for range 5 {
		m, x := good(t, "testdata/features.hcl", Options{})
		again, _ := m.Expand()
		if dump(x) != want || dump(again) != want {
			t.Fatal("two expansions of one file differ")
		}
	}
	names, _ := filepath.Glob("testdata/wrong/*.txtar")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		a := txtar.Parse(data)
		text := string(file(a, "matrix.hcl"))
		m, l := loadFiles(text, a, Options{})
		_, more := m.Expand()
		m2, l2 := loadFiles(text, a, Options{})
		_, more2 := m2.Expand()
		if printed(m, append(l, more...)) != printed(m2, append(l2, more2...)) {
			t.Errorf("%s: messages differ from run to run", name)
		}
	}
}
