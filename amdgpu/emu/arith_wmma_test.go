package emu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// refDot is the exact sum of the products and c, or the special result.
func refDot(a, b []float64, c float64) (v *big.Float, allNegativeZero bool, special float64, isSpecial bool) {
	v, allNegativeZero = exact(0), math.Signbit(c) && c == 0
	if c == c && !math.IsInf(c, 0) {
		v = exact(c)
	}
	sum := c
	for i := range a {
		p := a[i] * b[i]
		isSpecial = isSpecial || math.IsInf(p, 0) || p != p
		allNegativeZero = allNegativeZero && p == 0 && math.Signbit(p)
		sum += p
		if p == p && !math.IsInf(p, 0) {
			v.Add(v, exactBig().Mul(exact(a[i]), exact(b[i])))
		}
	}
	return v, allNegativeZero, sum, isSpecial || math.IsInf(c, 0) || c != c
}

// draw makes operand vectors of different character: alike in size, spread over
// all exponents, mostly zero, cancelling, denormal.
func draw(r *rand.Rand, kind int) [16]uint16 {
	var k [16]uint16
	for i := range k {
		switch kind {
		case 0:
			k[i] = nearestF16(r.NormFloat64())
		case 1:
			k[i] = uint16(r.Uint32())
			if k[i]&infF16 == infF16 {
				k[i] &= 0x83ff
			}
		case 2:
			if r.IntN(3) == 0 {
				k[i] = uint16(r.Uint32()) & 0xbfff
			} else {
				k[i] = uint16(r.IntN(2)) << 15
			}
		case 3:
			if i%2 == 1 {
				k[i] = k[i-1] ^ signF16
			} else {
				k[i] = nearestF16(r.NormFloat64() * 100)
			}
		case 4:
			k[i] = uint16(r.Uint32()) & 0x83ff
		default:
			k[i] = nearestF16(r.NormFloat64())
			if r.IntN(8) == 0 {
				k[i] = edges16(r, 0)[r.IntN(40)]
			}
		}
	}
	return k
}

func TestWMMAF16(t *testing.T) {
	r := seeded()
	var a, b wmmaOperand
	var ka, kb [16][16]uint16
	rounds := 60
	if testing.Short() {
		rounds = 12
	}
	for round := range rounds {
		for i := range 16 {
			ka[i], kb[i] = draw(r, r.IntN(6)), draw(r, r.IntN(6))
			if round%3 == 0 { // what cancels
				ka[i], kb[i] = draw(r, 3), draw(r, 4)
				kb[i][1] = kb[i][0]
			}
			a.setF16(i, &ka[i])
			b.setF16(i, &kb[i])
		}
		cs := edges32(r, 20)
		hs := edges16(r, 20)
		for i := range 16 {
			for j := range 16 {
				c, h := cs[r.IntN(len(cs))], hs[r.IntN(len(hs))]
				x, y := widenAll(ka[i]), widenAll(kb[j])
				checkDot(t, x, y, float64(math.Float32frombits(c)), refF32, uint64(wmmaF32(&a, i, &b, j, c)))
				checkDot(t, x, y, widenF16(h), refF16, uint64(wmmaF16(&a, i, &b, j, h)))
			}
			// A row at a time gives the same.
			var c, d [16]uint32
			for j := range c {
				c[j] = cs[r.IntN(len(cs))]
			}
			wmmaRowF32(&a, i, &b, &c, &d)
			for j := range d {
				if want := wmmaF32(&a, i, &b, j, c[j]); d[j] != want {
					t.Fatalf("row %d, column %d with C = %08x: %08x, one by one %08x", i, j, c[j], d[j], want)
				}
			}
		}
	}
}

func widenAll(k [16]uint16) []float64 {
	v := make([]float64, 16)
	for i, x := range k {
		v[i] = widenF16(x)
	}
	return v
}

func checkDot(t *testing.T, x, y []float64, c float64, f refFormat, got uint64) {
	t.Helper()
	v, negativeZero, special, isSpecial := refDot(x, y, c)
	sign := uint64(1) << (f.width() - 1)
	inf := uint64(f.emax-f.emin+2) << (f.bits - 1)
	var want uint64
	switch {
	case isSpecial && special != special:
		if got&^sign <= inf {
			t.Fatalf("%v . %v + %v = %x, want NaN", x, y, c, got)
		}
		return
	case isSpecial:
		if want = inf; special < 0 {
			want |= sign
		}
	default:
		want = f.round(v, roundNearestEven, negativeZero)
	}
	if got != want {
		t.Fatalf("%v . %v + %v = %x, want %x", x, y, c, got, want)
	}
}

func TestWMMAFP8(t *testing.T) {
	r := seeded()
	for _, kinds := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		var a, b wmmaOperand
		var x, y [16][16]float64
		for range 3 {
			for i := range 16 {
				var ka, kb [16]uint8
				for k := range ka {
					ka[k], kb[k] = uint8(r.Uint32()), uint8(r.Uint32())
					if r.IntN(40) > 0 { // few NaN
						ka[k], kb[k] = ka[k]&0xfb, kb[k]&0xfb
					}
				}
				set := func(o *wmmaOperand, k *[16]uint8, bf8 bool, v *[16]float64) {
					if bf8 {
						o.setBF8(i, k)
					} else {
						o.setFP8(i, k)
					}
					for n, code := range k {
						v[n] = float64(math.Float32frombits(cvtF32FP8(code)))
						if bf8 {
							v[n] = float64(math.Float32frombits(cvtF32BF8(code)))
						}
					}
				}
				set(&a, &ka, kinds[0], &x[i])
				set(&b, &kb, kinds[1], &y[i])
			}
			cs := edges32(r, 20)
			for i := range 16 {
				for j := range 16 {
					c := cs[r.IntN(len(cs))]
					checkDot(t, x[i][:], y[j][:], float64(math.Float32frombits(c)), refF32, uint64(wmmaF32(&a, i, &b, j, c)))
				}
			}
		}
	}
}

func TestWMMABF16(t *testing.T) {
	r := seeded()
	var a, b wmmaOperand
	var x, y [16][16]float64
	for round := range 6 {
		for i := range 16 {
			var ka, kb [16]uint16
			for k := range ka {
				ka[k], kb[k] = uint16(r.Uint32()), uint16(r.Uint32())
				if round%2 == 0 {
					ka[k], kb[k] = ka[k]&0x80ff|0x3f00, kb[k]&0x83ff|0x3c00
				}
				x[i][k] = float64(math.Float32frombits(cvtF32BF16(ka[k])))
				y[i][k] = float64(math.Float32frombits(cvtF32BF16(kb[k])))
			}
			a.setBF16(i, &ka)
			b.setBF16(i, &kb)
		}
		cs := edges32(r, 20)
		for i := range 16 {
			for j := range 16 {
				c := cs[r.IntN(len(cs))]
				checkDot(t, x[i][:], y[j][:], float64(math.Float32frombits(c)), refF32, uint64(wmmaF32(&a, i, &b, j, c)))
				h := uint16(c >> 16)
				checkDot(t, x[i][:], y[j][:], float64(math.Float32frombits(cvtF32BF16(h))), refBF16, uint64(wmmaBF16(&a, i, &b, j, h)))
			}
		}
	}
}

func TestWMMAIntegers(t *testing.T) {
	r := seeded()
	for range 2000 {
		var a, b [16]uint8
		sums := map[[2]bool]int64{}
		c := r.Uint32() >> r.IntN(20)
		for i := range a {
			a[i], b[i] = uint8(r.Uint32()), uint8(r.Uint32())
			for _, s := range []bool{false, true} {
				for _, u := range []bool{false, true} {
					x, y := int64(a[i]), int64(b[i])
					if s && x > 127 {
						x -= 256
					}
					if u && y > 127 {
						y -= 256
					}
					sums[[2]bool{s, u}] += x * y
				}
			}
		}
		for signs, sum := range sums {
			want := sum + int64(int32(c))
			if got := wmmaIU8(&a, &b, signs[0], signs[1], c, false); got != uint32(want) {
				t.Fatalf("iu8 %v: %08x, want %d", signs, got, want)
			}
			if got := int32(wmmaIU8(&a, &b, signs[0], signs[1], c, true)); int64(got) != max(math.MinInt32, min(want, math.MaxInt32)) {
				t.Fatalf("iu8 %v clamped: %d, want %d", signs, got, want)
			}
		}
	}
	if got := wmmaIU4([]uint8{0xf, 7}, []uint8{1, 8}, true, true, 0, false); int32(got) != -1-56 {
		t.Errorf("iu4 signed: %d", int32(got))
	}
	if got := wmmaIU4([]uint8{0xf, 7}, []uint8{1, 8}, false, false, 5, false); got != 15+56+5 {
		t.Errorf("iu4 unsigned: %d", got)
	}
}

func TestDots(t *testing.T) {
	const m = modeDenormals
	pair := func(lo, hi float64) uint32 { return uint32(nearestF16(lo)) | uint32(nearestF16(hi))<<16 }
	if got := math.Float32frombits(dot2F32F16(m, pair(2, 3), pair(5, -7), math.Float32bits(0.5))); got != 2*5-3*7+0.5 {
		t.Errorf("dot2 f32 f16: %v", got)
	}
	if got := widenF16(dot2F16F16(m, pair(2, 3), pair(5, -7), nearestF16(0.5))); got != 2*5-3*7+0.5 {
		t.Errorf("dot2 f16: %v", got)
	}
	bf := func(lo, hi float32) uint32 { return math.Float32bits(lo)>>16 | math.Float32bits(hi)&0xffff0000 }
	if got := math.Float32frombits(dot2F32BF16(m, bf(2, 3), bf(5, -7), math.Float32bits(0.5))); got != -10.5 {
		t.Errorf("dot2 f32 bf16: %v", got)
	}
	if got := dot2BF16BF16(m, bf(2, 3), bf(5, -7), uint16(math.Float32bits(0.5)>>16)); got != uint16(math.Float32bits(-10.5)>>16) {
		t.Errorf("dot2 bf16: %04x", got)
	}
	if got := math.Float32frombits(dot4F32(m, false, true, 0x38b83038, 0x3c3cbc40, math.Float32bits(1))); got != 1+1*2-0.5*1-1*1+1*1 {
		t.Errorf("dot4 fp8 bf8: %v", got)
	}
}

func BenchmarkWMMAF16(b *testing.B) {
	for _, kind := range []struct {
		name string
		kind int
	}{{"alike", 0}, {"spread", 1}} {
		b.Run(kind.name, func(b *testing.B) {
			r := seeded()
			var x, y wmmaOperand
			var ka, kb [16][16]uint16
			for i := range 16 {
				ka[i], kb[i] = draw(r, kind.kind), draw(r, kind.kind)
			}
			var sink uint32
			for b.Loop() {
				for i := range 16 {
					x.setF16(i, &ka[i])
					y.setF16(i, &kb[i])
				}
				for i := range 16 {
					for j := range 16 {
						sink ^= wmmaF32(&x, i, &y, j, sink)
					}
				}
			}
		})
	}
}
