package model

import (
	"math"
	"testing"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// chain runs the layers of a whole network, each on what the ones before it
// left. Layers are found by their short names.
type chain struct {
	t      *testing.T
	family string
	mode   Mode
	full   map[string][]byte // full-resolution outputs by layer
}

// run computes one layer; in and skip may be nil.
func (c chain) run(name string, g layout.Grid, shift int, in, skip []byte) Call {
	c.t.Helper()
	l := find(c.t, c.family+"/"+name)
	f := fixtureWith(l, g, shift, shift, 1, l.GenerateWeights(uint64(len(c.full))+100))
	f.call.In = in
	if skip != nil {
		f.call.Skip = skip
	}
	out := f.run(c.t, Options{Mode: c.mode})
	c.full[name] = out.Out
	return out
}

func rmsOf(f layout.Family, data []byte) float64 {
	var sum float64
	n := len(data)
	if f == layout.K {
		n /= 2
	}
	for i := range n {
		r, _, _ := at(f, data, data, i)
		sum += r.Float64() * r.Float64()
	}
	return math.Sqrt(sum / float64(n))
}

// TestWholeNetworks chains all layers of K and of M: outputs of one fit the
// inputs of the next, and values stay numbers of moderate size.
func TestWholeNetworks(t *testing.T) {
	top := layout.Grid{W: 128, H: 128}
	if !everything() {
		top = layout.Grid{W: 64, H: 32}
	}
	grids := []layout.Grid{top}
	for range 4 {
		grids = append(grids, grids[len(grids)-1].Half())
	}
	t.Run("k", func(t *testing.T) {
		c := chain{t, "k", Fast, map[string][]byte{}}
		x := find(t, "k/enc0").GenerateTokens(1, top, 16)
		names := []string{"enc0", "enc1", "enc2", "enc3", "enc4"}
		for i, name := range names {
			out := c.run(name, grids[i], 4, x, nil)
			x = out.Merged
			t.Logf("%s: rms %.2f, merged %.2f", name, rmsOf(layout.K, out.Out), rmsOf(layout.K, out.Merged))
		}
		x = c.run("dec5", grids[4].Half(), 0, x, nil).Out
		for i := 4; i >= 0; i-- {
			name := "dec" + names[i][3:]
			x = c.run(name, grids[i], 4, x, c.full[names[i]]).Out
			t.Logf("%s: rms %.2f", name, rmsOf(layout.K, x))
		}
		checkNumbers(t, layout.K, x)
	})
	t.Run("m", func(t *testing.T) {
		c := chain{t, "m", FastFP8, map[string][]byte{}}
		x := find(t, "m/enc1").GenerateTokens(1, top, 64)
		for i, name := range []string{"enc1", "enc2"} {
			x = c.run(name, grids[i], 2, x, nil).Merged
			t.Logf("%s: rms %.2f", name, rmsOf(layout.M, x))
		}
		for i := range 6 {
			x = c.run("enc3_tube", grids[2], 2-i%2*2, x, nil).Out
			t.Logf("tube %d: rms %.2f", i, rmsOf(layout.M, x))
		}
		for i := 1; i >= 0; i-- {
			name := []string{"dec1", "dec2"}[i]
			x = c.run(name, grids[i], 0, x, c.full[[]string{"enc1", "enc2"}[i]]).Out
			t.Logf("%s: rms %.2f", name, rmsOf(layout.M, x))
		}
		checkNumbers(t, layout.M, x)
	})
}

func checkNumbers(t *testing.T, f layout.Family, data []byte) {
	t.Helper()
	if rms := rmsOf(f, data); !(rms > 0.5 && rms < 20) {
		t.Errorf("the last output has rms %v", rms)
	}
	for _, b := range data {
		if f == layout.M && num.E4M3(b)&0x7f >= 0x7e {
			t.Fatal("the last output is saturated")
		}
	}
}
