package model

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"kmx/validate/layout"
)

// Call is one launch of a layer with its buffers. Outputs are written in
// place; a layer reads and writes only those it has (see layout.KParams and
// layout.MParams), and only where its work-groups reach.
type Call struct {
	Grid           layout.Grid // full resolution, in tokens
	ShiftX, ShiftY int
	// NX and NY are the work-groups of the launch; 0 covers the grid.
	NX, NY  int
	Weights []byte

	In   []byte // decoders: half resolution
	Skip []byte // decoders

	Out    []byte // the layer's full-resolution output; of dec0, the head's
	Merged []byte // encoders: half resolution
}

// maxSide bounds a grid, so that sizes in bytes stay within an int.
const maxSide = 1 << 15

// square computes one work-group.
type square func(sq layout.Square, trace *Trace)

// Apply computes a layer.
func Apply(l layout.Layer, c Call, o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	one, err := prepare(l, c, o)
	if err != nil {
		return fmt.Errorf("%s: %w", l.Name, err)
	}
	nx, ny := c.NX, c.NY
	if nx == 0 || ny == 0 {
		nx, ny = c.Grid.Blocks(c.ShiftX, c.ShiftY)
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(workers, nx*ny) {
		wait.Go(func() {
			for {
				i := int(next.Add(1) - 1)
				if i >= nx*ny {
					return
				}
				bx, by := i%nx, i/nx
				var trace *Trace
				if t := o.Trace; t != nil && t.BX == bx && t.BY == by {
					t.Stages = nil
					trace = t
				}
				one(layout.SquareOf(bx, by, c.ShiftX, c.ShiftY), trace)
			}
		})
	}
	wait.Wait()
	return nil
}

// prepare takes out the weights and opens the buffers.
func prepare(l layout.Layer, c Call, o Options) (square, error) {
	if c.Grid.W < 1 || c.Grid.H < 1 || c.Grid.W > maxSide || c.Grid.H > maxSide {
		return nil, fmt.Errorf("a grid of %dx%d tokens: each side must be 1 to %d", c.Grid.W, c.Grid.H, maxSide)
	}
	if c.ShiftX < 0 || c.ShiftX >= layout.Side || c.ShiftY < 0 || c.ShiftY >= layout.Side {
		return nil, fmt.Errorf("windows are shifted by 0 to %d tokens, not by (%d,%d)", layout.Side-1, c.ShiftX, c.ShiftY)
	}
	var problem error
	open := func(what string, g layout.Grid, channels int, data []byte) image {
		im, err := newImage(what, l.Family, g, channels, data)
		if problem == nil {
			problem = err
		}
		return im
	}
	var b buffers
	switch {
	case l.Decoder():
		b.in = open("input", c.Grid.Half(), l.Low, c.In)
		b.skip = open("skip input", c.Grid, l.C, c.Skip)
	case l.Embed > 0:
		b.in = open("input", c.Grid, l.Embed, c.In)
	default:
		b.in = open("input", c.Grid, l.C, c.In)
	}
	out := l.C
	if l.Head > 0 {
		out = l.Head
	}
	b.out = open("output", c.Grid, out, c.Out)
	if l.Merge > 0 {
		b.merged = open("merged output", c.Grid.Half(), l.Merge, c.Merged)
	}
	if problem != nil {
		return nil, problem
	}
	if l.Decoder() && (c.Grid.W < 2 || c.Grid.H < 2) {
		return nil, fmt.Errorf("a decoder's input for %dx%d tokens has no token", c.Grid.W, c.Grid.H)
	}
	if l.Family == layout.M {
		m, err := newM(l, c.Weights, o)
		if err != nil {
			return nil, err
		}
		return m.square(b), nil
	}
	m, err := newK(l, c.Weights, o)
	if err != nil {
		return nil, err
	}
	return m.square(b), nil
}

// buffers are the activations of a call.
type buffers struct{ in, skip, out, merged image }

// square is the whole of a K layer for one window.
func (m *k) square(b buffers) square {
	return func(sq layout.Square, trace *Trace) {
		var x0 Values
		switch {
		case m.Decoder():
			x0 = m.decoded(b.in.readHalf(sq.Half()), b.skip.readSquare(sq), trace)
		case m.Embed > 0:
			x0 = m.embedded(b.in.readSquare(sq), trace)
		default:
			x0 = b.in.readSquare(sq)
		}
		y := m.body(x0, trace)
		if m.Head > 0 {
			b.out.writeSquare(sq, m.headed(y, trace))
			return
		}
		b.out.writeSquare(sq, y)
		if m.Merge > 0 {
			b.merged.writeHalf(sq.Half(), m.merged(y, trace))
		}
	}
}
