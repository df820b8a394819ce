package model

import (
	"testing"

	"kmx/validate/layout"
)

// fixture is a launch of a layer with seeded weights and tokens.
type fixture struct {
	layer layout.Layer
	call  Call
}

// newFixture makes one; outputs start as 0xaa bytes.
func newFixture(l layout.Layer, g layout.Grid, sx, sy int, seed uint64) fixture {
	return fixtureWith(l, g, sx, sy, seed, l.GenerateWeights(seed))
}

// fixtureWith has weights of the test's own.
func fixtureWith(l layout.Layer, g layout.Grid, sx, sy int, seed uint64, weights []byte) fixture {
	c := Call{Grid: g, ShiftX: sx, ShiftY: sy, Weights: weights}
	size := layout.KBytes
	if l.Family == layout.M {
		size = layout.MBytes
	}
	out := l.C
	switch {
	case l.Decoder():
		c.In = l.GenerateTokens(seed+1, g.Half(), l.Low)
		c.Skip = l.GenerateTokens(seed+2, g, l.C)
	case l.Embed > 0:
		c.In = l.GenerateTokens(seed+1, g, l.Embed)
	default:
		c.In = l.GenerateTokens(seed+1, g, l.C)
	}
	if l.Head > 0 {
		out = l.Head
	}
	c.Out = poison(size(g, out))
	if l.Merge > 0 {
		c.Merged = poison(size(g.Half(), l.Merge))
	}
	return fixture{l, c}
}

func poison(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 0xaa
	}
	return b
}

// fresh is the fixture with outputs of its own.
func (f fixture) fresh() fixture {
	f.call.Out = poison(len(f.call.Out))
	f.call.Merged = poison(len(f.call.Merged))
	return f
}

// run computes the layer into fresh outputs.
func (f fixture) run(t testing.TB, o Options) Call {
	t.Helper()
	f = f.fresh()
	if o.Generation == 0 {
		o.Generation = 12
	}
	if err := Apply(f.layer, f.call, o); err != nil {
		t.Fatal(err)
	}
	return f.call
}

// find is a layer by its short name, "k/enc0".
func find(t testing.TB, name string) layout.Layer {
	t.Helper()
	l, err := layout.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var modes = []Mode{Exact, Fast, FastFP8}
