package model

import (
	"fmt"
	"slices"
	"testing"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// lab is a layer whose weights start at zero, so that a test switches on just
// the parts whose result it can state.
type lab struct {
	t       *testing.T
	layer   layout.Layer
	weights []byte
	fields  map[string]layout.Field
}

func newLab(t *testing.T, name string) *lab {
	l := find(t, name)
	b := &lab{t, l, make([]byte, l.WeightBytes()), map[string]layout.Field{}}
	for _, f := range l.Fields() {
		b.fields[f.Name] = f
	}
	return b
}

func (b *lab) field(name string) layout.Field {
	b.t.Helper()
	f, ok := b.fields[name]
	if !ok {
		b.t.Fatalf("%s has no field %s", b.layer.Name, name)
	}
	return f
}

// set stores one weight.
func (b *lab) set(name string, row, col int, v float64) {
	b.t.Helper()
	b.field(name).Set(b.weights, row, col, num.F16FromFloat64(v))
}

// fill stores f(row, col) everywhere in a field.
func (b *lab) fill(name string, f func(row, col int) float64) {
	b.t.Helper()
	for r := range b.field(name).Rows {
		for c := range b.field(name).Cols {
			b.set(name, r, c, f(r, c))
		}
	}
}

func constant(v float64) func(int, int) float64 { return func(int, int) float64 { return v } }

// window computes one square and gives its trace. in is the value of channel c
// of token t; decoders take it for the skip, and low for their other input.
func (b *lab) window(mode Mode, in, low func(t, c int) float64) *Trace {
	b.t.Helper()
	g := layout.Grid{W: 8, H: 8}
	f := fixtureWith(b.layer, g, 0, 0, 1, b.weights)
	write := func(data []byte, g layout.Grid, channels int, at func(x, y, c int) float64) {
		im, err := newImage("test", b.layer.Family, g, channels, data)
		if err != nil {
			b.t.Fatal(err)
		}
		for y := range g.H {
			for x := range g.W {
				token := make([]num.F16, channels)
				for c := range token {
					token[c] = num.F16FromFloat64(at(x, y, c))
				}
				im.write(x, y, token)
			}
		}
	}
	full, channels := f.call.In, b.layer.C
	if b.layer.Embed > 0 {
		channels = b.layer.Embed
	}
	if b.layer.Decoder() {
		full = f.call.Skip
		write(f.call.In, g.Half(), b.layer.Low, func(x, y, c int) float64 { return low(4*y+x, c) })
	}
	at := map[[2]int]int{}
	for t := range tokens {
		x, y := place(b.layer.Family, t)
		at[[2]int{x, y}] = t
	}
	write(full, g, channels, func(x, y, c int) float64 { return in(at[[2]int{x, y}], c) })
	trace := &Trace{}
	f.run(b.t, Options{Mode: mode, Trace: trace})
	return trace
}

// expect compares a stage with f, exactly.
func (b *lab) expect(trace *Trace, stage string, f func(row, col int) float64) {
	b.t.Helper()
	s, err := trace.Find(stage)
	if err != nil {
		b.t.Fatal(err)
	}
	for r := range s.Rows {
		for c := range s.Cols {
			if got, want := s.At(r, c).Float64(), f(r, c); got != want {
				b.t.Fatalf("%s: %s[%d,%d] is %v, want %v", b.layer.Name, stage, r, c, got, want)
			}
		}
	}
}

// small is exact in both formats and differs between tokens and channels.
func small(t, c int) float64 { return float64((t*5+c*3)%15-7) / 8 }

// tested are the layers that tests go through: under the race detector, which is
// slow and looks for other faults, one of each family.
func tested() []layout.Layer {
	all := layout.Layers()
	if !testing.Short() {
		return all
	}
	return slices.DeleteFunc(all, func(l layout.Layer) bool { return l.Short != "enc1" })
}

func each(t *testing.T, f func(t *testing.T, l layout.Layer, mode Mode)) {
	for _, l := range tested() {
		for _, mode := range modes {
			t.Run(fmt.Sprintf("%v/%s/%v", l.Family, l.Short, mode), func(t *testing.T) { f(t, l, mode) })
		}
	}
}

// eachOnce is each with one mode for each layer, the next layer's being the
// next; under KMX_TEST_ALL=1 all of them.
func eachOnce(t *testing.T, f func(t *testing.T, l layout.Layer, mode Mode)) {
	for i, l := range tested() {
		for j, mode := range modes {
			if everything() || i%len(modes) == j {
				t.Run(fmt.Sprintf("%v/%s/%v", l.Family, l.Short, mode), func(t *testing.T) { f(t, l, mode) })
			}
		}
	}
}

func key(l layout.Layer) string { return l.Family.String() + "/" + l.Short }
