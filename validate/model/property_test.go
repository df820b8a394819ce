package model

import (
	"bytes"
	"fmt"
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

// TestWorkersDoNotMatter compares one worker with many.
func TestWorkersDoNotMatter(t *testing.T) {
	for _, name := range []string{"k/enc0", "m/enc1"} {
		f := newFixture(find(t, name), layout.Grid{W: 20, H: 18}, 2, 2, 9)
		a, b := f.run(t, Options{Workers: 1}), f.run(t, Options{Workers: 7})
		if !bytes.Equal(a.Out, b.Out) || !bytes.Equal(a.Merged, b.Merged) {
			t.Errorf("%s: workers change the output", name)
		}
	}
}

// TestModesAndGenerations holds what must be equal between builds and what
// must not.
func TestModesAndGenerations(t *testing.T) {
	for _, l := range layout.Layers() {
		f := newFixture(l, layout.Grid{W: 16, H: 8}, 0, 0, 10)
		out := map[string][]byte{}
		for _, mode := range modes {
			for _, gen := range []int{11, 12} {
				c := f.run(t, Options{Mode: mode, Generation: gen})
				out[fmt.Sprintf("%v%d", mode, gen)] = append(c.Out, c.Merged...)
			}
		}
		differ := func(a, b string) bool { return !bytes.Equal(out[a], out[b]) }
		name := key(l)
		if l.Family == layout.M {
			if differ("exact11", "exact12") || differ("fast11", "fast12") {
				t.Errorf("%s depends on the generation", name)
			}
			if !differ("fast12", "fast+fp812") || !differ("exact12", "fast+fp812") || !differ("exact12", "fast12") {
				t.Errorf("%s does not tell its modes apart", name)
			}
			continue
		}
		if differ("fast11", "fast+fp811") || differ("fast12", "fast+fp812") {
			t.Errorf("%s depends on FP8", name)
		}
		if differ("exact12", "fast12") == l.RoundsSteps {
			t.Errorf("%s: exact and fast builds are equal: %v, want %v", name, !differ("exact12", "fast12"), l.RoundsSteps)
		}
		if l.PositionOnly && differ("exact11", "exact12") {
			t.Errorf("%s has no softmax, yet depends on the generation", name)
		}
		if d, err := Compare(l.Family, out["exact12"], out["fast12"]); err != nil || d.PSNR < 55 {
			t.Errorf("%s: exact against fast: %v %v", name, d, err)
		}
	}
}

// TestGenerationOrdersTheRowSum compares row sums of widely scattered terms
// with the order of keys spelt out, and holds that the order shows.
func TestGenerationOrdersTheRowSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	sum := func(e []num.F16, keys []int) (s float32) {
		for _, key := range keys {
			s += e[key].Float32()
		}
		return s
	}
	var even, odd, low, high []int
	for key := range 64 {
		if key%2 == 0 {
			even = append(even, key)
		} else {
			odd = append(odd, key)
		}
		if key%16 < 8 {
			low = append(low, key)
		} else {
			high = append(high, key)
		}
	}
	differ := 0
	for range 20000 {
		e := make([]num.F16, 64)
		for i := range e {
			e[i] = num.F16(rng.IntN(0x6148)) // 0 to 676
		}
		e11, e12 := (&k{Options: Options{Generation: 11}}).rowSum(e), (&k{Options: Options{Generation: 12}}).rowSum(e)
		if want := num.F16FromFloat32(sum(e, even) + sum(e, odd)); e11 != want {
			t.Fatalf("gfx11: %v, want %v", e11, want)
		}
		if want := num.F16FromFloat32(sum(e, low) + sum(e, high)); e12 != want {
			t.Fatalf("gfx12: %v, want %v", e12, want)
		}
		if e11 != e12 {
			differ++
		}
	}
	if differ == 0 || differ > 200 {
		t.Errorf("%d of 20000 rows tell the generations apart", differ)
	}
}

// TestULPIsSmall holds that an error of one place in rcp, rsq and exp2 hardly
// matters, and that one of thousands does.
func TestULPIsSmall(t *testing.T) {
	for _, l := range layout.Layers() {
		f := newFixture(l, layout.Grid{W: 8, H: 8}, 0, 0, 11)
		a, b := f.run(t, Options{Mode: Fast}), f.run(t, Options{Mode: Fast, ULP: 1})
		d, err := Compare(l.Family, a.Out, b.Out)
		if err != nil {
			t.Fatal(err)
		}
		if d.PSNR < 80 || (l.PositionOnly || l.Family == layout.M) && d.Equal != d.Values {
			t.Errorf("%s: %v", l.Name, d)
		}
		if c := f.run(t, Options{Mode: Fast, ULP: 1 << 14}); bytes.Equal(a.Out, c.Out) {
			t.Errorf("%s: an error of 2^14 places changes nothing", l.Name)
		}
	}
}
