package model

import (
	"fmt"
	"math"
	"testing"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// TestBiasesAlone has only vectors in the weights: each layer then adds its
// biases to its input, and outputs of other sizes are their bias.
func TestBiasesAlone(t *testing.T) {
	each(t, func(t *testing.T, l layout.Layer, mode Mode) {
		b := newLab(t, key(l))
		b.fill("BO", func(_, c int) float64 { return float64(c%4) / 4 })
		b.fill("B2", func(_, c int) float64 { return float64(c%3) / 2 })
		b.fill("G1", constant(1))
		b.fill("G2", constant(1))
		x0 := small
		switch {
		case l.Embed > 0:
			b.fill("embed.bias", func(_, c int) float64 { return float64(c%5) - 2 })
			x0 = func(_, c int) float64 { return max(float64(c%5)-2, 0) }
		case l.Decoder():
			b.fill("expand.bias", func(_, c int) float64 { return float64(c%7) / 4 })
			x0 = func(tok, c int) float64 {
				_, sub := under(l.Family, tok)
				return small(tok, c) + float64((sub*l.C+c)%7)/4
			}
		}
		if l.Merge > 0 {
			b.fill("merge.bias", func(_, c int) float64 { return float64(c%9) / 8 })
		}
		if l.Head > 0 {
			b.fill("head.bias", func(_, c int) float64 { return float64(c) / 8 })
		}
		trace := b.window(mode, small, small)
		b.expect(trace, "x0", x0)
		b.expect(trace, "x1", func(r, c int) float64 { return x0(r, c) + float64(c%4)/4 })
		b.expect(trace, "y", func(r, c int) float64 { return x0(r, c) + float64(c%4)/4 + float64(c%3)/2 })
		if l.Merge > 0 {
			b.expect(trace, "merged", func(_, c int) float64 { return float64(c%9) / 8 })
		}
		if l.Head > 0 {
			b.expect(trace, "head", func(_, c int) float64 { return float64(c) / 8 })
		}
	})
}

// TestOneHiddenChannel switches on one path through the MLP: a channel, a
// hidden unit, another channel.
func TestOneHiddenChannel(t *testing.T) {
	each(t, func(t *testing.T, l layout.Layer, mode Mode) {
		if l.Embed > 0 || l.Decoder() {
			return
		}
		from, chunk, unit, to := 3+l.C/2, l.Chunks()-1, 21, l.C-6
		b := newLab(t, key(l))
		b.fill("G1", constant(1))
		b.fill("G2", constant(float64(l.C))) // in M: undoes most of the norm
		name := fmt.Sprintf("mlp%d.", chunk)
		b.set(name+"W1", from, unit, 0.5)
		b.set(name+"B1", 0, unit, 0.25)
		b.set(name+"W2", unit, to, 2)
		trace := b.window(mode, small, nil)
		in, err := trace.Find(map[layout.Family]string{layout.K: "mlp.in", layout.M: "h2"}[l.Family])
		if err != nil {
			t.Fatal(err)
		}
		// Every other hidden unit is gelu(0) = 0.
		hidden := func(r int) num.F16 { return num.F16FromFloat64(0.25 + 0.5*in.At(r, from).Float64()) }
		active := func(r int) num.F16 {
			g := gelu(hidden(r))
			if l.Family == layout.M && mode != Fast {
				g = num.Q8(g)
			}
			return g
		}
		b.expect(trace, name+"hidden", func(r, c int) float64 {
			if c == unit {
				return hidden(r).Float64()
			}
			return 0
		})
		b.expect(trace, "y", func(r, c int) float64 {
			y := small(r, c)
			if c == to {
				y = num.F16FromFloat64(y + 2*active(r).Float64()).Float64()
			}
			return y
		})
	})
}

// TestAttentionCopiesOneToken lets every query look at one key only and passes
// that key's normalised channels through V and O.
func TestAttentionCopiesOneToken(t *testing.T) {
	each(t, func(t *testing.T, l layout.Layer, mode Mode) {
		if l.Embed > 0 || l.Decoder() {
			return
		}
		const query, source = 5, 11
		head := l.Heads - 1
		b := newLab(t, key(l))
		b.fill("G1", constant(8))
		name := fmt.Sprintf("head%d.", head)
		b.set(name+"V", 7, 9, 1)
		b.set(name+"O", 9, 13, 1)
		switch {
		case l.Family == layout.M:
			// The largest against the smallest score: 2^8 to 2^-14 and less.
			b.fill(name+"relative", func(_, k int) float64 { return map[bool]float64{true: 40, false: -40}[k == source] })
		case l.PositionOnly:
			b.set(name+"table", query, source, 1)
		default:
			b.fill(name+"table", func(_, k int) float64 { return map[bool]float64{true: 24, false: -24}[k == source] })
		}
		trace := b.window(mode, small, nil)
		h1, err := trace.Find("h1")
		if err != nil {
			t.Fatal(err)
		}
		x1, err := trace.Find("x1")
		if err != nil {
			t.Fatal(err)
		}
		seen := false
		for r := range x1.Rows {
			for c := range x1.Cols {
				got, want := x1.At(r, c).Float64(), small(r, c)
				from := source
				if l.Family == layout.M {
					from = r&^15 + source // within the window
				}
				if c == 13 && (!l.PositionOnly || r == query) {
					want += h1.At(from, 7).Float64()
					seen = seen || h1.At(from, 7) != 0
				}
				if math.Abs(got-want) > 0.004*math.Abs(want)+0.004 {
					t.Fatalf("x1[%d,%d] is %v, want about %v", r, c, got, want)
				}
			}
		}
		if !seen {
			t.Error("the copied channel is 0 everywhere")
		}
	})
}

// TestUniformAttention has equal scores: each query gets the mean of V.
func TestUniformAttention(t *testing.T) {
	for _, name := range []string{"k/enc2", "k/dec5", "m/enc1", "m/enc3_tube"} {
		for _, mode := range modes {
			b := newLab(t, name)
			b.fill("G1", constant(8))
			b.set("head0.V", 7, 9, 1)
			trace := b.window(mode, small, nil)
			h1, err := trace.Find("h1")
			if err != nil {
				t.Fatal(err)
			}
			o, err := trace.Find("head0.O")
			if err != nil {
				t.Fatal(err)
			}
			window := tokens
			if b.layer.Family == layout.M {
				window = windowTokens
			}
			for r := range tokens {
				var mean float64
				for i := range window {
					mean += h1.At(r/window*window+i, 7).Float64() / float64(window)
				}
				// Eight bits hold a mean to about 1/16 of itself.
				if got := o.At(r, 9).Float64(); math.Abs(got-mean) > 0.07*math.Abs(mean)+0.002 {
					t.Fatalf("%s %v: query %d gets %v, the mean is %v", name, mode, r, got, mean)
				}
			}
		}
	}
}

// TestNormOfAConstant has the same power of two in every channel: a token's
// length is then known, and so is what the norm leaves.
func TestNormOfAConstant(t *testing.T) {
	each(t, func(t *testing.T, l layout.Layer, mode Mode) {
		if l.Embed > 0 || l.Decoder() || l.C == 96 || l.C == 160 {
			return
		}
		b := newLab(t, key(l))
		b.fill("G1", constant(2))
		trace := b.window(mode, constant(0.5), nil)
		root := num.F16FromFloat64(1 / math.Sqrt(float64(l.C)/4))
		if l.Family == layout.M {
			root = num.F16FromFloat64(1 / math.Sqrt(num.F16FromFloat64(float64(l.C)/4+1.0/8192).Float64()))
		}
		h := num.Mul(num.F16FromFloat64(0.5), num.Mul(root, num.F16FromFloat64(2)))
		if l.Family == layout.M && mode != Fast {
			h = num.Q8(h)
		}
		b.expect(trace, "norm1.sum", constant(float64(l.C)/4))
		b.expect(trace, "norm1.rsqrt", constant(root.Float64()))
		b.expect(trace, "h1", constant(h.Float64()))
	})
}

// TestResolution picks single sub-tokens through merge and expansion.
func TestResolution(t *testing.T) {
	each(t, func(t *testing.T, l layout.Layer, mode Mode) {
		b := newLab(t, key(l))
		b.fill("G1", constant(1))
		switch {
		case l.Merge > 0 && l.Embed == 0:
			// Output n is channel n mod C of sub-token n mod 4.
			b.fill("merge.W", func(k, n int) float64 {
				return map[bool]float64{true: 1, false: 0}[k == n%4*l.C+n%l.C]
			})
			b.expect(b.window(mode, small, nil), "merged", func(r, n int) float64 {
				for tok := range tokens {
					if low, sub := under(l.Family, tok); low == r && sub == n%4 {
						return small(tok, n%l.C)
					}
				}
				return math.NaN()
			})
		case l.Decoder():
			// Channel c of sub-token q is low channel c+q.
			b.fill("expand.W", func(k, n int) float64 {
				return map[bool]float64{true: 1, false: 0}[k == (n%l.C+n/l.C)%l.Low]
			})
			zero := func(int, int) float64 { return 0 }
			skip := zero
			if l.Family == layout.K {
				skip = func(tok, c int) float64 { return small(tok+1, c) } // a zero token is NaN in K
			}
			b.expect(b.window(mode, skip, small), "x0", func(tok, c int) float64 {
				low, sub := under(l.Family, tok)
				return skip(tok, c) + small(low, (c+sub)%l.Low)
			})
		}
	})
}

// TestSubTokens holds which token of a square lies under which
// half-resolution token.
func TestSubTokens(t *testing.T) {
	for _, f := range []layout.Family{layout.K, layout.M} {
		for tok := range tokens {
			x, y := place(f, tok)
			low, sub := under(f, tok)
			if low != 4*(y/2)+x/2 || sub != 2*(y%2)+x%2 {
				t.Errorf("%v: token %d at (%d,%d) is sub-token %d of %d", f, tok, x, y, sub, low)
			}
		}
	}
	v := NewValues(tokens, 3)
	for i := range v.V {
		v.V[i] = num.F16(i)
	}
	for _, f := range []layout.Family{layout.K, layout.M} {
		back := spreadOut(f, drawIn(f, v))
		for i := range v.V {
			if back.V[i] != v.V[i] {
				t.Fatalf("%v: value %d does not come back", f, i)
			}
		}
	}
}

// TestEmbedAndHead follow one channel through enc0's embedding and dec0's head.
func TestEmbedAndHead(t *testing.T) {
	for _, mode := range modes {
		b := newLab(t, "k/enc0")
		b.set("embed.W", 5, 20, 2)
		b.set("embed.bias", 0, 20, 0.5)
		b.expect(b.window(mode, small, nil), "x0", func(r, c int) float64 {
			if c == 20 {
				return max(0, 0.5+2*small(r, 5))
			}
			return 0
		})
		b = newLab(t, "k/dec0")
		b.fill("G1", constant(1))
		b.set("head.W", 21, 39, 2)
		trace := b.window(mode, small, small)
		b.expect(trace, "head", func(r, c int) float64 {
			if c == 39 {
				return 2 * small(r, 21)
			}
			return 0
		})
	}
}
