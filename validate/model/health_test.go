package model

import (
	"math"
	"strings"
	"testing"

	"kmx/validate/layout"
)

// TestNoStageSaturatesOrVanishes holds that seeded weights and tokens keep
// every stage of every layer in a range where a fault shows.
func TestNoStageSaturatesOrVanishes(t *testing.T) {
	for _, l := range tested() {
		for _, mode := range modes {
			trace := &Trace{}
			newFixture(l, layout.Grid{W: 16, H: 8}, 0, 0, 1).run(t, Options{Mode: mode, Trace: trace})
			if len(trace.Stages) < 20 {
				t.Errorf("%s: only %d stages", l.Name, len(trace.Stages))
			}
			clamped, scores := 0, 0
			for _, s := range trace.Stages {
				var sum float64
				var largest float64
				zeros := 0
				for _, v := range s.V {
					x := math.Abs(v.Float64())
					sum += x * x
					largest = max(largest, x)
					if x == 0 {
						zeros++
					}
					if math.IsNaN(x) {
						t.Fatalf("%s %v: %s holds NaN", l.Name, mode, s.Name)
					}
				}
				rms := math.Sqrt(sum / float64(len(s.V)))
				if rms < 0.02 || rms > 1000 || largest > 2000 {
					t.Errorf("%s %v: %s has rms %.3g, largest %.3g", l.Name, mode, s.Name, rms, largest)
				}
				allowed := 0.05
				switch {
				case l.Embed > 0 && (s.Name == "x0" || s.Name == "h1"):
					allowed = 0.6 // enc0's embedding ends in max(x, 0)
				case strings.HasSuffix(s.Name, "gelu"):
					allowed = 0.35 // below -2 nothing is left
				}
				if zeros > int(allowed*float64(len(s.V))) {
					t.Errorf("%s %v: %d of %d values of %s are zero", l.Name, mode, zeros, len(s.V), s.Name)
				}
				if strings.HasSuffix(s.Name, "scores") {
					bound := 21.640625
					if l.Family == layout.M {
						bound = 0.55615234375 / 0.0171875
					}
					for _, v := range s.V {
						scores++
						if math.Abs(v.Float64()) > bound {
							clamped++
						}
					}
				}
			}
			if !l.PositionOnly && (clamped == 0 || clamped > scores/20) {
				t.Errorf("%s %v: %d of %d scores reach the clamp", l.Name, mode, clamped, scores)
			}
		}
	}
}
