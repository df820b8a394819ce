package emit_test

import (
	"bytes"
	"math"
	"testing"

	"kmx/cuda/ptx"
	"kmx/emit"
	"kmx/emit/emittest"
	"kmx/internal/num"
	"kmx/tex"
)

// standinVectors has what the NVIDIA GPU stored.
const standinVectors = "testdata/standin"

// Two GPUs' filters weigh texels in 256ths and do not round a weight alike, so
// that some texels are farther off than the cases allow.
const (
	filtered = 0.1     // of all texels
	most     = 1. / 64 // of any component, where colours go up to 3
)

// farthest is the largest difference of two components of floats.
func farthest(p emittest.Param, got, want []byte) float64 {
	far := 0.0
	for i := range p.Count {
		if !p.Out || p.Type.Base != 'f' {
			break
		}
		value := func(b []byte) float64 {
			if v := p.Type.Get(b, i); p.Type.Bits == 32 {
				return float64(f32(v))
			} else {
				return num.F16(v).Float64()
			}
		}
		if d := math.Abs(value(got) - value(want)); !(d <= far) {
			far = d
		}
	}
	return far
}

// The stand-in library's kernels as a release builds them: edited by the recipe
// stores, translated, run on the emulator. They store what the unedited kernels
// stored on an NVIDIA GPU, but for the freedom of approximations, and in waves of
// 32 and of 64 lanes the same bytes.
func TestStandinKernels(t *testing.T) {
	cases, err := emittest.StandinCases(standinVectors)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 36 {
		t.Fatalf("%d kernels", len(cases))
	}
	var text bytes.Buffer
	text.WriteString(header)
	seen := map[string]string{}
	for i := range cases {
		cases[i].Text = edited(t, cases[i])
		if !addSingle(cases[i], &text, seen) {
			t.Fatalf("%s has declarations that another kernel has too", cases[i].Name)
		}
	}
	m := parse(t, text.String())
	machines := []emit.Options{{Target: "gfx1201"}}
	if everything() { // accuracy sets keep denormals
		machines = append(machines, emit.Options{Target: "gfx1100"}, emit.Options{Target: "gfx1201", Denormals: true})
	}
	for _, o := range machines {
		t.Run(name(o), func(t *testing.T) {
			t.Parallel()
			var first [][][]byte
			for _, wave64 := range []bool{false, true} {
				o.Wave64 = wave64
				o.Bitcode = []string{helpers(t, o)}
				p := loadCorpus(t, lower(t, m, "", o), o)
				for i, c := range cases {
					out := launchCase(t, c, m, p, o)
					if !wave64 {
						first = append(first, out)
						c.Share = filtered
						if err := c.Check(out); err != nil {
							t.Errorf("%s: %v", c.Name, err)
						}
						for j, param := range c.Params {
							if far := farthest(param, out[j], c.Want[j]); far > most {
								t.Errorf("%s: %s is off by %g", c.Name, param.Name, far)
							}
						}
						continue
					}
					for j, param := range c.Params {
						if param.Out && !bytes.Equal(out[j], first[i][j]) {
							t.Errorf("%s: %s differs in wave64", c.Name, param.Name)
						}
					}
				}
			}
		})
	}
}

// edited is a case's module with calls for stores and without directed rounding.
func edited(t *testing.T, c emittest.Case) []byte {
	t.Helper()
	m, err := ptx.Parse(c.File, c.Text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := tex.Edit(tex.Request{Kernel: c.Name, Recipe: "stores", Module: m})
	if err != nil {
		t.Fatal(err)
	}
	return r.Text
}
