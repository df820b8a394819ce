package emu

import (
	"math"
	"math/big"
	"testing"
)

// The exact functions against known digits and against identities that do not
// use their series.
func TestExactFunctions(t *testing.T) {
	pi, _ := newBig().SetString("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
	ln2, _ := newBig().SetString("0.69314718055994530941723212145817656807550013436025525412068000949339362196969472")
	closeTo(t, "pi", bigPi(), pi)
	closeTo(t, "ln 2", bigLn2(), ln2)
	r := seeded()
	for range 50 {
		v := r.Float64()*40 - 20
		// 2^v * 2^-v = 1, and 2^v of halves is a square root.
		closeTo(t, "2^v 2^-v", newBig().Mul(bigExp2(v), bigExp2(-v)), bigOf(1))
		root := bigExp2(0.5)
		closeTo(t, "2^0.5 squared", newBig().Mul(root, root), bigOf(2))
		// log2 adds up over products that are exact.
		a, b := 1+float64(r.IntN(1<<20))/(1<<20), 1+float64(r.IntN(1<<20))/(1<<20)
		closeTo(t, "log2 of a product", newBig().Add(bigLog2(a), bigLog2(b)), bigLog2(a*b))
		// sin^2 + cos^2 = 1, sin 2x = 2 sin x cos x.
		s, c := bigSinTurns(v), bigCosTurns(v)
		closeTo(t, "sin^2 + cos^2", newBig().Add(newBig().Mul(s, s), newBig().Mul(c, c)), bigOf(1))
		closeTo(t, "sin 2x", newBig().Mul(bigOf(2), newBig().Mul(s, c)), bigSinTurns(2*v))
		for name, pair := range map[string][2]float64{"exp2": {f64(bigExp2(v)), math.Exp2(v)}, "log2": {f64(bigLog2(a)), math.Log2(a)}, "sin": {f64(s), math.Sin(2 * math.Pi * v)}, "cos": {f64(c), math.Cos(2 * math.Pi * v)}} {
			if math.Abs(pair[0]-pair[1]) > 1e-13*max(1, math.Abs(pair[1])) {
				t.Errorf("%s: %v, the host says %v", name, pair[0], pair[1])
			}
		}
	}
}

func f64(x *big.Float) float64 { v, _ := x.Float64(); return v }

func closeTo(t *testing.T, name string, got, want *big.Float) {
	t.Helper()
	d := newBig().Sub(got, want)
	if d.Sign() != 0 && d.MantExp(nil) > want.MantExp(nil)-bigBits+12 {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

type approxCase struct {
	name string
	f16  func(fpMode, uint16, int) uint16
	f32  func(fpMode, uint32, int) uint32
	of   func(float64) *big.Float
	// at says what the function is where it is not finite or is zero.
	at func(float64) (float64, bool)
}

var approxCases = []approxCase{
	{"rcp", rcpF16, rcpF32, bigRcp, func(v float64) (float64, bool) { return 1 / v, v == 0 || math.IsInf(v, 0) }},
	{"rsq", rsqF16, rsqF32, bigRsq, func(v float64) (float64, bool) { return 1 / math.Sqrt(v), v <= 0 || math.IsInf(v, 0) }},
	{"sqrt", sqrtF16, sqrtF32, bigSqrt, func(v float64) (float64, bool) { return math.Sqrt(v), v <= 0 || math.IsInf(v, 0) }},
	{"exp2", exp2F16, exp2F32, bigExp2, func(v float64) (float64, bool) {
		switch {
		case v > 1000:
			return math.Inf(1), true
		case v < -1000:
			return 0, true
		}
		return 0, false
	}},
	{"log2", log2F16, log2F32, bigLog2, func(v float64) (float64, bool) {
		switch {
		case v == 0:
			return math.Inf(-1), true
		case v < 0:
			return math.NaN(), true
		case v == 1:
			return 0, true
		}
		return v, math.IsInf(v, 0)
	}},
	{"sin", sinF16, sinF32, bigSinTurns, func(v float64) (float64, bool) {
		if math.IsInf(v, 0) {
			return math.NaN(), true
		}
		return math.Copysign(0, v), v*2 == math.Trunc(v*2)
	}},
	{"cos", cosF16, cosF32, bigCosTurns, func(v float64) (float64, bool) {
		if math.IsInf(v, 0) {
			return math.NaN(), true
		}
		return 0, v*2 != math.Trunc(v*2) && v*4 == math.Trunc(v*4)
	}},
}

// Every f16, each result the exact one rounded.
func TestApproximationsF16(t *testing.T) {
	const m = modeDenormals
	step := 1
	if testing.Short() {
		step = 7
	}
	for _, a := range approxCases {
		for n := 0; n < 1<<16; n += step {
			h := uint16(n)
			got, v := a.f16(m, h, 0), widenF16(h)
			if special, is := a.at(v); is || v != v {
				if v != v || special != special {
					if got&nanF16 != nanF16 {
						t.Fatalf("%s of %v = %04x, want NaN", a.name, v, got)
					}
				} else if got != nearestF16(special) {
					t.Fatalf("%s of %v = %04x, want %v", a.name, v, got, special)
				}
				continue
			}
			if want := ref16(m, a.of(v), false); got != want {
				t.Fatalf("%s of %v (%04x) = %04x, want %04x", a.name, v, h, got, want)
			}
		}
	}
}

func TestApproximationsF32(t *testing.T) {
	const m = modeDenormals
	r := seeded()
	xs := edges32(r, 1500)
	for range 500 {
		xs = append(xs, 0x3f800000+uint32(r.IntN(1<<12))-1<<11) // near 1
		xs = append(xs, math.Float32bits(float32(r.Float64()*280-150)))
		xs = append(xs, math.Float32bits(float32(r.IntN(64))/16+float32(r.Float64())*1e-6))
	}
	for _, a := range approxCases {
		for _, x := range xs {
			got := a.f32(m, x, 0)
			flushed := x
			if x&infF32 == 0 && a.name != "sin" && a.name != "cos" {
				flushed &= signF32
			}
			v := float64(math.Float32frombits(flushed))
			if special, is := a.at(v); is || v != v {
				if v != v || special != special {
					if got&nanF32 != nanF32 {
						t.Fatalf("%s of %v = %08x, want NaN", a.name, v, got)
					}
				} else if got != math.Float32bits(float32(special)) {
					t.Fatalf("%s of %v = %08x, want %v", a.name, v, got, special)
				}
				continue
			}
			want := ref32(m, a.of(v), false)
			if want&infF32 == 0 && a.name != "sin" && a.name != "cos" {
				want &= signF32
			}
			if got != want {
				t.Fatalf("%s of %v (%08x) = %08x, want %08x", a.name, v, x, got, want)
			}
			for _, ulp := range []int{1, -1} {
				moved := a.f32(m, x, ulp)
				if want&^signF32 == 0 || want&^signF32 >= infF32-1 || want&^signF32 == 1 {
					continue
				}
				if moved != want+uint32(ulp) {
					t.Fatalf("%s of %v moved by %d ulp: %08x after %08x", a.name, v, ulp, moved, want)
				}
			}
		}
	}
}
