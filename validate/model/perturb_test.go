package model

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// TestEveryWeightFieldCounts changes single weights: a weight that the layer
// reads must change an output, one that it ignores must not. By default a few
// of each field are tried, under KMX_TEST_ALL=1 six of every field in each mode.
func TestEveryWeightFieldCounts(t *testing.T) {
	eachOnce(t, func(t *testing.T, l layout.Layer, mode Mode) {
		t.Parallel()
		rng := rand.New(rand.NewPCG(11, uint64(l.C)))
		f := newFixture(l, layout.Grid{W: 8, H: 8}, 0, 0, 12)
		options := Options{Mode: mode, Workers: 1}
		want := f.run(t, options)
		original := f.call.Weights
		try := func(field layout.Field) {
			row, col := rng.IntN(field.Rows), rng.IntN(field.Cols)
			w := layout.Weight{Field: field, Row: row, Col: col}
			f.call.Weights = append([]byte(nil), original...)
			old := field.Get(original, row, col).Float64()
			changed := old + l.Nudge(field)
			if field.Role == layout.Ignored {
				changed = 1
			}
			field.Set(f.call.Weights, row, col, num.F16FromFloat64(changed))
			got := f.run(t, options)
			same := bytes.Equal(want.Out, got.Out) && bytes.Equal(want.Merged, got.Merged)
			if same != (field.Role == layout.Ignored) {
				t.Errorf("%s from %v to %v: outputs are equal: %v", w.Name(), old, changed, same)
			}
		}
		for _, field := range l.Fields() {
			times := 1
			part, _, _ := strings.Cut(field.Name, ".")
			alike := strings.HasPrefix(part, "head") && part != "head" || strings.HasPrefix(part, "mlp")
			switch {
			case everything():
				times = 6
			case l.C >= 96 && alike && rng.IntN(3) > 0:
				continue // wide layers have many heads and chunks: a third of them
			}
			for range times {
				try(field)
			}
		}
	})
}

// TestEveryInputTokenCounts changes one channel of one token at a time: the
// squares that read it must change.
func TestEveryInputTokenCounts(t *testing.T) {
	eachOnce(t, func(t *testing.T, l layout.Layer, mode Mode) {
		rng := rand.New(rand.NewPCG(13, uint64(l.C)))
		g := layout.Grid{W: 8, H: 8}
		f := newFixture(l, g, 0, 0, 13)
		want := f.run(t, Options{Mode: mode})
		inputs := map[string]*[]byte{"input": &f.call.In}
		if l.Decoder() {
			inputs["skip"] = &f.call.Skip
		}
		for what, data := range inputs {
			original := *data
			for range 3 {
				changed := append([]byte(nil), original...)
				i := rng.IntN(len(changed))
				changed[i|1] ^= 0x80 // a sign, in either format
				*data = changed
				if got := f.run(t, Options{Mode: mode}); bytes.Equal(want.Out, got.Out) && num.F16(changed[i|1])&0x7f != 0 {
					t.Errorf("the sign at byte %d of the %s changes nothing", i|1, what)
				}
			}
			*data = original
		}
	})
}
