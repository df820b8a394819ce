package model

import (
	"bytes"
	"testing"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// TestEveryPlaceIsWritten runs from two different poisons: an output byte that
// keeps its poison was not written.
func TestEveryPlaceIsWritten(t *testing.T) {
	eachOnce(t, func(t *testing.T, l layout.Layer, mode Mode) {
		g := layout.Grid{W: 9, H: 11}
		a := newFixture(l, g, 2, 4, 6)
		b := a.fresh()
		for _, out := range [][]byte{b.call.Out, b.call.Merged} {
			for i := range out {
				out[i] = 0x55
			}
		}
		for _, f := range []fixture{a, b} {
			if err := Apply(l, f.call, Options{Mode: mode, Generation: 11}); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(a.call.Out, b.call.Out) || !bytes.Equal(a.call.Merged, b.call.Merged) {
			t.Error("some output is not written")
		}
	})
}

// TestSmallerLaunchLeavesTheRest launches one column of work-groups only.
func TestSmallerLaunchLeavesTheRest(t *testing.T) {
	eachOnce(t, func(t *testing.T, l layout.Layer, mode Mode) {
		g := layout.Grid{W: 16, H: 8}
		f := newFixture(l, g, 0, 0, 7)
		whole := f.run(t, Options{Mode: mode})
		f.call.NX, f.call.NY = 1, 1
		part := f.run(t, Options{Mode: mode})
		f.call = whole
		_, _, out, merged := images(t, f, g)
		f.call = part
		_, _, pout, pmerged := images(t, f, g)
		for i, pair := range [][2]image{{out, pout}, {merged, pmerged}} {
			if pair[0].data == nil {
				continue
			}
			want := image{l.Family, pair[0].grid, pair[0].channels, poison(len(pair[0].data))}
			for y := range want.grid.H {
				for x := range want.grid.W / 2 {
					token := make([]num.F16, want.channels)
					pair[0].read(x, y, token)
					want.write(x, y, token)
				}
			}
			if !bytes.Equal(want.data, pair[1].data) {
				t.Errorf("output %d: one work-group writes more or less than its square", i)
			}
		}
	})
}

// TestLowGrid holds that a decoder's low input has half the size rounded down,
// and that places outside come from mirrors on that grid while the sub-token
// comes from the place in the window.
func TestLowGrid(t *testing.T) {
	for _, name := range []string{"k/dec2", "m/dec1"} {
		l := find(t, name)
		g := layout.Grid{W: 11, H: 13}
		f := newFixture(l, g, 2, 4, 8)
		in, skip, _, _ := images(t, f, g)
		if in.grid != (layout.Grid{W: 5, H: 6}) {
			t.Fatalf("the low grid is %v", in.grid)
		}
		nx, ny := g.Blocks(2, 4)
		for by := range ny {
			for bx := range nx {
				trace := &Trace{BX: bx, BY: by}
				f.run(t, Options{Mode: FastFP8, Trace: trace})
				x0, err := trace.Find("x0")
				if err != nil {
					t.Fatal(err)
				}
				e, err := trace.Find("expand")
				if err != nil {
					t.Fatal(err)
				}
				low, err := trace.Find("low")
				if err != nil {
					t.Fatal(err)
				}
				for tok := range tokens {
					x, y := place(l.Family, tok)
					// Before mirroring; all are even, so halves are exact.
					gx, gy := 8*bx-2+x, 8*by-4+y
					lx, ly := (8*bx-2)/2+x/2, (8*by-4)/2+y/2
					want := make([]num.F16, l.Low)
					in.read(layout.Mirror(lx, 5), layout.Mirror(ly, 6), want)
					from := 4*(y/2) + x/2
					for c := range want {
						if low.At(from, c) != want[c] {
							t.Fatalf("%s: low token (%d,%d) is not that of the mirrored place", name, lx, ly)
						}
					}
					s := make([]num.F16, l.C)
					skip.read(layout.Mirror(gx, 11), layout.Mirror(gy, 13), s)
					for c := range s {
						if want := num.Add(e.At(from, (2*(y&1)+x&1)*l.C+c), s[c]); x0.At(tok, c) != want {
							t.Fatalf("%s: x0 at (%d,%d) channel %d", name, gx, gy, c)
						}
					}
				}
			}
		}
	}
}
