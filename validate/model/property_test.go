package model

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// sized is the image functions' view of a layer's buffers.
func images(t testing.TB, f fixture, g layout.Grid) (in, skip, out, merged image) {
	t.Helper()
	open := func(g layout.Grid, channels int, data []byte) image {
		im, err := newImage("test", f.layer.Family, g, channels, data)
		if err != nil {
			t.Fatal(err)
		}
		return im
	}
	l := f.layer
	switch {
	case l.Decoder():
		in, skip = open(g.Half(), l.Low, f.call.In), open(g, l.C, f.call.Skip)
	case l.Embed > 0:
		in = open(g, l.Embed, f.call.In)
	default:
		in = open(g, l.C, f.call.In)
	}
	channels := l.C
	if l.Head > 0 {
		channels = l.Head
	}
	out = open(g, channels, f.call.Out)
	if l.Merge > 0 {
		merged = open(g.Half(), l.Merge, f.call.Merged)
	}
	return in, skip, out, merged
}

// copyImage fills to with what from holds at places moved by (dx, dy), mirrored.
func copyImage(to, from image, dx, dy int) {
	for y := range to.grid.H {
		for x := range to.grid.W {
			token := make([]num.F16, from.channels)
			from.read(x+dx, y+dy, token)
			to.write(x, y, token)
		}
	}
}

// TestMirrorAndShift computes an image of odd size with a shift, and again
// without one as an image to which the mirrored border was added by hand: what
// lies inside must be the same.
func TestMirrorAndShift(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	eachOnce(t, func(t *testing.T, l layout.Layer, mode Mode) {
		g := layout.Grid{W: 10 + rng.IntN(6), H: 10 + rng.IntN(6)}
		sx, sy := 2*rng.IntN(4), 2*rng.IntN(4)
		nx, ny := g.Blocks(sx, sy)
		padded := layout.Grid{W: 8 * nx, H: 8 * ny}

		f := newFixture(l, g, sx, sy, 3)
		p := newFixture(l, padded, 0, 0, 3)
		in, skip, _, _ := images(t, f, g)
		pin, pskip, _, _ := images(t, p, padded)
		if l.Decoder() {
			copyImage(pin, in, -sx/2, -sy/2)
			copyImage(pskip, skip, -sx, -sy)
		} else {
			copyImage(pin, in, -sx, -sy)
		}
		f.call, p.call = f.run(t, Options{Mode: mode}), p.run(t, Options{Mode: mode})
		_, _, out, merged := images(t, f, g)
		_, _, pout, pmerged := images(t, p, padded)

		same := func(what string, a, b image, dx, dy int) {
			if a.data == nil {
				return
			}
			cropped := image{a.family, a.grid, a.channels, make([]byte, len(a.data))}
			copyImage(cropped, b, dx, dy)
			if !bytes.Equal(cropped.data, a.data) {
				t.Errorf("%s of %dx%d shifted by (%d,%d) differs from the padded image's", what, g.W, g.H, sx, sy)
			}
		}
		same("output", out, pout, sx, sy)
		same("merged output", merged, pmerged, sx/2, sy/2)
	})
}

// TestSquaresAreIndependent swaps the contents of two squares: their outputs
// must swap, and those of a third must stay.
func TestSquaresAreIndependent(t *testing.T) {
	eachOnce(t, func(t *testing.T, l layout.Layer, mode Mode) {
		g := layout.Grid{W: 24, H: 8}
		a := newFixture(l, g, 0, 0, 4)
		b := newFixture(l, g, 0, 0, 4)
		swap := func(to, from image, side int) {
			if from.data == nil {
				return
			}
			for y := range from.grid.H {
				for x := range from.grid.W {
					token := make([]num.F16, from.channels)
					from.read(x, y, token)
					switch {
					case x < side:
						to.write(x+2*side, y, token)
					case x >= 2*side:
						to.write(x-2*side, y, token)
					}
				}
			}
		}
		side := layout.Side
		if l.Decoder() {
			side /= 2
		}
		ain, askip, _, _ := images(t, a, g)
		bin, bskip, _, _ := images(t, b, g)
		swap(bin, ain, side)
		swap(bskip, askip, layout.Side)
		a.call, b.call = a.run(t, Options{Mode: mode}), b.run(t, Options{Mode: mode})
		_, _, aout, amerged := images(t, a, g)
		_, _, bout, bmerged := images(t, b, g)
		check := func(what string, x, y image, side int) {
			if x.data == nil {
				return
			}
			want := image{x.family, x.grid, x.channels, append([]byte(nil), x.data...)}
			swap(want, x, side)
			if !bytes.Equal(want.data, y.data) {
				t.Errorf("the %s does not follow the squares", what)
			}
		}
		check("output", aout, bout, layout.Side)
		check("merged output", amerged, bmerged, layout.Side/2)
	})
}

// TestTokensMayTrade permutes the tokens of a window together with the tables:
// the outputs permute, up to the order of sums.
func TestTokensMayTrade(t *testing.T) {
	for _, name := range []string{"k/enc1", "k/enc2", "k/enc3", "k/dec5", "m/enc3_tube"} {
		l := find(t, name)
		g := layout.Grid{W: 8, H: 8}
		a := newFixture(l, g, 0, 0, 5)
		window := tokens
		if l.Family == layout.M {
			window = windowTokens
		}
		perm := rand.New(rand.NewPCG(7, 8)).Perm(window)

		weights := append([]byte(nil), a.call.Weights...)
		for _, f := range l.Fields() {
			if f.Rows == window && f.Cols == window {
				for q := range window {
					for k := range window {
						f.Set(weights, q, k, f.Get(a.call.Weights, perm[q], perm[k]))
					}
				}
			}
		}
		b := fixtureWith(l, g, 0, 0, 5, weights)
		move := func(to, from image) {
			for tok := range tokens {
				base := tok / window * window
				token := make([]num.F16, from.channels)
				x, y := place(l.Family, base+perm[tok-base])
				from.read(x, y, token)
				x, y = place(l.Family, tok)
				to.write(x, y, token)
			}
		}
		ain, _, _, _ := images(t, a, g)
		bin, _, _, _ := images(t, b, g)
		move(bin, ain)
		a.call, b.call = a.run(t, Options{Mode: Fast}), b.run(t, Options{Mode: Fast})
		_, _, aout, _ := images(t, a, g)
		_, _, bout, _ := images(t, b, g)
		want := image{aout.family, g, aout.channels, make([]byte, len(aout.data))}
		move(want, aout)
		d, err := Compare(l.Family, want.data, bout.data)
		if err != nil {
			t.Fatal(err)
		}
		if d.PSNR < 45 {
			t.Errorf("%s: permuted tokens give %v", name, d)
		}
	}
}
