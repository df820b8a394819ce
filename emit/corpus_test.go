package emit_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/emu"
	"kmx/cuda/ptx"
	"kmx/emit"
	"kmx/emit/emittest"
)

// The corpus: small kernels with what an NVIDIA GPU stored when it ran the same
// PTX. Kernels with the same options become one module, since the compiler's
// start costs more than most of them.

// refusedCases are the kernels of the corpus that have a construct which the
// emitter refuses, with a piece of the message.
var refusedCases = map[string]string{
	"ldmatrix_movmatrix":     "matrix instructions",
	"mma_m16n8k16_f16":       "matrix instructions",
	"mma_m16n8k16_f32":       "matrix instructions",
	"mma_m16n8k32_e4m3":      "matrix instructions",
	"mma_m16n8k32_e4m3_wide": "matrix instructions",
	"atom_f16x2":             "red with the type .f16x2",
	"barrier_numbered":       "only a barrier of all threads",
	"sin_cos_approx":         "sin is not translated",
	"sust_v4b32_rgba32f":     "this form of sust",
}

// refusedKeeping are those refused where f32 denormals are kept.
var refusedKeeping = map[string]string{"atom_float": "keeps denormals"}

// refusal is what the message of a refusal holds, "" where there is none.
func refusal(c emittest.Case, keep bool) string {
	if why := refusedKeeping[c.Name]; keep && why != "" {
		return why
	}
	return refusedCases[c.Name]
}

// oneCode are formatted stores to integers. The helpers round half away from zero,
// as d4r does; NVIDIA's GPU gives the neighbour now and then.
var oneCode = map[string][]int{ // bits of a texel's channels, the lowest first
	"sust_p_rgb10a2": {10, 10, 10, 2}, "sust_p_rgba8": {8}, "sust_p_rgba8_snorm": {8}, "sust_p_rgba16": {16}, "sust_p_rgba16_snorm": {16},
}

// rewritten are cases with directed rounding as the recipe stores leaves them: the
// idiom of roundf without it.
func rewritten(t *testing.T, cases []emittest.Case) []emittest.Case {
	t.Helper()
	var list []emittest.Case
	for _, c := range cases {
		switch c.Name {
		case "roundf_and_or", "roundf_copysign", "real_motion_fetch":
			c.Text = edited(t, c)
			list = append(list, c)
		}
	}
	if len(list) != 3 {
		t.Fatalf("%d cases with the idiom of roundf", len(list))
	}
	return list
}

// corpus reads the cases, once.
var corpus = sync.OnceValues(func() ([]emittest.Case, error) {
	cases, err := emittest.Cases("testdata/ptx")
	if err != nil {
		return nil, err
	}
	more, err := emittest.Cases("testdata/tier5")
	return append(cases, more...), err
})

// corpusModule is a case as a module.
func corpusModule(t testing.TB, c emittest.Case) *ptx.Module {
	t.Helper()
	m, err := ptx.Parse(filepath.Base(c.File), c.Text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCorpus(t *testing.T) {
	cases, err := corpus()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 100 {
		t.Fatalf("%d kernels", len(cases))
	}
	for _, b := range shortly(builds) {
		for _, keep := range []bool{false, true} {
			o := b
			o.Denormals = keep
			t.Run(name(o), func(t *testing.T) {
				t.Parallel()
				o.Bitcode = []string{helpers(t, o)}
				var list []emittest.Case
				for _, c := range cases {
					either := c.Denormals == emittest.Either && (!keep || everything())
					if (either || c.Denormals == emittest.Keep && keep || c.Denormals == emittest.Flush && !keep) && refusal(c, keep) == "" {
						list = append(list, c)
					}
				}
				runCorpus(t, list, o)
			})
		}
	}
}

// TestEditedRounding: the recipe stores takes directed rounding out of roundf, and
// what is left gives the same numbers.
func TestEditedRounding(t *testing.T) {
	cases, err := corpus()
	if err != nil {
		t.Fatal(err)
	}
	list := rewritten(t, cases)
	for _, c := range list {
		if bytes.Contains(c.Text, []byte("add.rz")) {
			t.Errorf("%s still has add.rz", c.Name)
		}
	}
	for _, o := range some() {
		t.Run(name(o), func(t *testing.T) {
			o.Bitcode = []string{helpers(t, o)}
			runCorpus(t, list, o)
		})
	}
}

// TestCorpusRefusals: exactly those kernels are refused of which it is said.
func TestCorpusRefusals(t *testing.T) {
	cases, err := corpus()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, keep := range []bool{false, true} {
			want := refusal(c, keep)
			if c.Denormals == emittest.Keep && !keep || c.Denormals == emittest.Flush && keep {
				continue
			}
			_, err := emit.Lower(corpusModule(t, c), c.Name, emit.Options{Target: "gfx1201", Denormals: keep, Bitcode: []string{"helpers.bc"}})
			var refusal *emit.Refusal
			switch {
			case want == "" && err != nil:
				t.Errorf("%s: %v", c.Name, err)
			case want != "" && (!errors.As(err, &refusal) || !strings.Contains(err.Error(), want)):
				t.Errorf("%s: %v, want a refusal with %q", c.Name, err, want)
			}
		}
	}
}

// runCorpus compiles kernels together and runs each.
func runCorpus(t *testing.T, cases []emittest.Case, o emit.Options) {
	var b bytes.Buffer
	b.WriteString(header)
	var alone []emittest.Case
	together := map[string]string{}
	for _, c := range cases {
		if !addSingle(c, &b, together) {
			alone = append(alone, c)
		}
	}
	m := parse(t, b.String())
	ir := lower(t, m, "", o)
	p := loadCorpus(t, ir, o)
	for _, c := range cases {
		if together[c.Name] == "" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) { runCase(t, c, m, p, o) })
	}
	for _, c := range alone {
		t.Run(c.Name, func(t *testing.T) {
			m := corpusModule(t, c)
			runCase(t, c, m, loadCorpus(t, lower(t, m, c.Name, o), o), o)
		})
	}
}

// addSingle adds a kernel, with the declarations of its module, to the text of
// another module; seen are those that are there, by name. It does not where two
// modules mean different things by a name.
func addSingle(c emittest.Case, b *bytes.Buffer, seen map[string]string) bool {
	m, err := ptx.Parse(c.File, c.Text)
	if err != nil {
		return false
	}
	add := map[string]string{}
	var order []string
	declare := func(name string, at ptx.Span) bool {
		text := m.Source(at)
		if old, ok := seen[name]; ok {
			return old == text
		}
		add[name] = text
		order = append(order, name)
		return true
	}
	for _, v := range m.Variables() {
		if !declare(v.Name, v.Statement) {
			return false
		}
	}
	for _, f := range m.Functions() {
		if f.Entry && f.Name != c.Name || !declare(f.Name, f.Span) {
			return false
		}
	}
	for _, name := range order {
		seen[name] = add[name]
		b.WriteString(add[name] + "\n")
	}
	return true
}

func loadCorpus(t *testing.T, ir []byte, o emit.Options) *emu.Program {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "kernels.ll"), filepath.Join(dir, "kernels.hsaco")
	if err := os.WriteFile(from, ir, 0o644); err != nil {
		t.Fatal(err)
	}
	runClang(t, emit.Args(o, from, to, false)...)
	object, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	read, err := codeobj.Read(object)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range read.Kernels {
		wave := 32
		if o.Wave64 {
			wave = 64
		}
		if _, problems := codeobj.Check(object, codeobj.Want{Name: k.Name, Target: o.Target, WaveSize: wave, CodeObjectVersion: 5, Paths: []string{dir}}); len(problems) > 0 {
			t.Fatalf("%s: %v", k.Name, problems)
		}
	}
	p, err := emu.Load(t.Context(), object, objdump(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// runCase launches a kernel and compares its outputs with the vectors.
func runCase(t *testing.T, c emittest.Case, m *ptx.Module, p *emu.Program, o emit.Options) {
	got := launchCase(t, c, m, p, o)
	for i, param := range c.Params {
		if fields := oneCode[c.Name]; fields != nil && param.Out {
			compareCodes(t, param, got[i], c.Want[i], fields)
			return
		}
	}
	if err := c.Check(got); err != nil {
		t.Error(fmt.Errorf("%s: %w", c.About, err))
	}
}
