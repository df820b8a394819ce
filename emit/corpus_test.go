package emit_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

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
