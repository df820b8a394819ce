package model

import (
	"math"
	"testing"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// stressFixture has the numbers that reach for the ends of the formats.
func stressFixture(l layout.Layer, g layout.Grid, seed uint64) fixture {
	f := fixtureWith(l, g, 0, 0, seed, l.StressWeights(seed))
	switch {
	case l.Decoder():
		f.call.In, f.call.Skip = l.StressTokens(seed+1, g.Half(), l.Low), l.StressTokens(seed+2, g, l.C)
	case l.Embed > 0:
		f.call.In = l.StressTokens(seed+1, g, l.Embed)
	default:
		f.call.In = l.StressTokens(seed+1, g, l.C)
	}
	return f
}

// TestStressEndsInNumbers holds that stress inputs reach subnormals and, in M,
// saturation, and that no stage turns into infinity or NaN.
func TestStressEndsInNumbers(t *testing.T) {
	eachOnce(t, func(t *testing.T, l layout.Layer, mode Mode) {
		trace := &Trace{}
		f := stressFixture(l, layout.Grid{W: 16, H: 8}, 17)
		c := f.run(t, Options{Mode: mode, Trace: trace})
		subnormal, saturated, norms := 0, 0, 0
		for _, s := range trace.Stages {
			for _, v := range s.V {
				x := math.Abs(v.Float64())
				if v.IsNaN() || v.IsInf() {
					t.Fatalf("%s holds %v", s.Name, v.Float64())
				}
				if x > 0 && x < 1.0/16384 {
					subnormal++
				}
				if x >= 448 && (s.Name == "h1" || s.Name == "h2") {
					norms++
				}
			}
		}
		for _, code := range c.Out {
			if num.E4M3(code)&0x7f == 0x7e {
				saturated++
			}
		}
		if subnormal < 100 {
			t.Errorf("only %d subnormal values in all stages", subnormal)
		}
		if l.Family == layout.M && norms < 10 {
			t.Errorf("only %d values saturate after a norm", norms)
		}
		if l.Family == layout.M && (saturated == 0 || saturated > len(c.Out)/8) {
			t.Errorf("%d of %d outputs are saturated", saturated, len(c.Out))
		}
	})
}

// TestZeroToken holds what a token without length does: in K it makes its whole
// window NaN and leaves others alone; in M the epsilon saves it.
func TestZeroToken(t *testing.T) {
	for _, name := range []string{"k/enc1", "k/enc2", "k/dec5", "m/enc1"} {
		l := find(t, name)
		g := layout.Grid{W: 16, H: 8}
		f := newFixture(l, g, 0, 0, 18)
		want := f.run(t, Options{Mode: Exact})
		in, _, _, _ := images(t, f, g)
		in.write(3, 3, make([]num.F16, l.C))
		f.call = f.run(t, Options{Mode: Exact})
		_, _, out, _ := images(t, f, g)
		f.call = want
		_, _, was, _ := images(t, f, g)
		for x := range g.W {
			token, before := make([]num.F16, l.C), make([]num.F16, l.C)
			out.read(x, 0, token)
			was.read(x, 0, before)
			for c, v := range token {
				if nan := l.Family == layout.K && x < 8; v.IsNaN() != nan {
					t.Fatalf("%s: channel %d at (%d,0) is %v", name, c, x, v.Float64())
				}
				if x >= 8 && v != before[c] {
					t.Fatalf("%s: channel %d at (%d,0) changes with another window's token", name, c, x)
				}
			}
		}
	}
}
