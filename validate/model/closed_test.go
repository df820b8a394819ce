package model

import (
	"fmt"
	"math"
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

func each(t *testing.T, f func(t *testing.T, l layout.Layer, mode Mode)) {
	for _, l := range layout.Layers() {
		for _, mode := range modes {
			t.Run(fmt.Sprintf("%v/%s/%v", l.Family, l.Short, mode), func(t *testing.T) { f(t, l, mode) })
		}
	}
}

// eachOnce is each with one mode for each layer, the next layer's being the
// next; under KMX_TEST_ALL=1 all of them.
func eachOnce(t *testing.T, f func(t *testing.T, l layout.Layer, mode Mode)) {
	for i, l := range layout.Layers() {
		for j, mode := range modes {
			if everything() || i%len(modes) == j {
				t.Run(fmt.Sprintf("%v/%s/%v", l.Family, l.Short, mode), func(t *testing.T) { f(t, l, mode) })
			}
		}
	}
}

func key(l layout.Layer) string { return l.Family.String() + "/" + l.Short }

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

// TestGelu compares with the polynomial in float64 and holds its limits.
func TestGelu(t *testing.T) {
	for i := range 1 << 16 {
		h := num.F16(i)
		if h.IsNaN() || h.IsInf() {
			continue
		}
		x := h.Float64()
		c := max(-2, min(2, x))
		want := x * (0.5 + c*(0.41216215-0.08108108*math.Abs(c)))
		if got := gelu(h).Float64(); math.Abs(got-want) > 0.002*math.Abs(x)+1.0/(1<<23) {
			t.Fatalf("gelu(%v) = %v, want about %v", x, got, want)
		}
	}
	for x, want := range map[float64]float64{0: 0, -2: 0, -100: 0, 2: 2, 100: 100} {
		if got := gelu(num.F16FromFloat64(x)).Float64(); math.Abs(got-want) > 0.001*math.Abs(x) {
			t.Errorf("gelu(%v) = %v", x, got)
		}
	}
}

// TestExponent compares M's bit trick with an exponential: over the range of
// scores its logarithm rises evenly, to within the trick's own error.
func TestExponent(t *testing.T) {
	m := &m{}
	scores := NewValues(1, 16)
	for i := range scores.V {
		scores.V[i] = num.F16FromFloat64(float64(i)*4 - 30)
	}
	weights := map[string]Values{}
	m.softmax(scores, func(name string, v Values) { weights[name] = v })
	e := weights["exp"]
	for i := 1; i < 16; i++ {
		ratio := e.V[i].Float64() / e.V[i-1].Float64()
		if ratio < 1.2 || ratio > 8 {
			t.Errorf("from score %v to %v the weight grows by %v", scores.V[i-1].Float64(), scores.V[i].Float64(), ratio)
		}
	}
	// The halves of a word carry into each other: the low half of the sum
	// overflows for every value that can occur.
	for bits := num.F16(0x3c1f); bits <= 0x3ee0; bits++ {
		lo, hi := exponent(bits, 0x3d80)
		if want := num.F16(0x3d80<<5&0xffff + uint32(bits)>>11 + 0x7ff8 + 1); hi != want || lo != num.F16(uint32(bits)<<5+0x8000) {
			t.Fatalf("%#04x: %#04x %#04x, want high %#04x", bits, lo, hi, want)
		}
	}
}
