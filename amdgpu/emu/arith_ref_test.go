package emu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The reference that arithmetic is tested against: exact values in math/big,
// rounded by integers to a format.

type refFormat struct {
	bits, emin, emax int // bits of the significand; exponents of normal numbers
}

var (
	refF16  = refFormat{11, -14, 15}
	refF32  = refFormat{24, -126, 127}
	refF64  = refFormat{53, -1022, 1023}
	refBF16 = refFormat{8, -126, 127}
)

func (f refFormat) width() int { return f.bits + bitsFor(f.emax-f.emin+2) }

func bitsFor(n int) int { return big.NewInt(int64(n)).BitLen() }

// round gives the bits of a finite exact value; negativeZero is the sign of zero.
func (f refFormat) round(exact *big.Float, mode fpMode, negativeZero bool) uint64 {
	sign := uint64(1) << (f.width() - 1)
	if exact.Sign() == 0 {
		if negativeZero {
			return sign
		}
		return 0
	}
	negative := exact.Sign() < 0
	if !negative {
		sign = 0
	}
	magnitude := new(big.Float).Abs(exact)
	e := max(magnitude.MantExp(nil)-1, f.emin)
	scaled := new(big.Float).SetMantExp(magnitude, f.bits-1-e)
	whole, _ := scaled.Int(nil)
	rest := new(big.Float).SetPrec(5000).Sub(scaled, new(big.Float).SetPrec(5000).SetInt(whole))
	up := false
	switch half := rest.Cmp(big.NewFloat(0.5)); mode {
	case roundNearestEven:
		up = half > 0 || half == 0 && whole.Bit(0) == 1
	case roundUp:
		up = rest.Sign() > 0 && !negative
	case roundDown:
		up = rest.Sign() > 0 && negative
	}
	n := whole.Uint64()
	if up {
		n++
	}
	code := n + uint64(e-f.emin)<<(f.bits-1)
	if inf := uint64(f.emax-f.emin+2) << (f.bits - 1); e > f.emax || code >= inf {
		// Overflow: infinity, or the largest number where the mode points to it.
		code = inf
		if mode == roundToZero || mode == roundUp && negative || mode == roundDown && !negative {
			code--
		}
	}
	return sign | code
}

func exact(v float64) *big.Float { return exactBig().SetFloat64(v) }

// Numbers where arithmetic goes wrong, and random ones between.
func edges32(r *rand.Rand, random int) []uint32 {
	xs := []uint32{0, 1, 2, 0x7fffff, 0x800000, 0x800001, 0x3f800000, 0x3f800001, 0x3f7fffff, 0x40000000,
		0x3f000000, 0x33800000, 0x477fe000, 0x477ff000, 0x38800000, 0x38000000, 0x7f7fffff, 0x7f000000,
		infF32, nanF32, infF32 | 1, nanF32 | 0x1234, 0x4b000000, 0x4effffff, 0x4f000000, 0x4f800000, 0x43e00000, 0x43e80000, 0x43e7ffff, 0x43e80001}
	for range random {
		xs = append(xs, r.Uint32()&^signF32, uint32(100+r.IntN(55))<<23|r.Uint32()&0x7fffff)
	}
	for _, x := range xs[:len(xs):len(xs)] {
		xs = append(xs, x|signF32)
	}
	return xs
}

func edges16(r *rand.Rand, random int) []uint16 {
	xs := []uint16{0, 1, 2, 0x3ff, 0x400, 0x401, 0x3c00, 0x3c01, 0x3bff, 0x4000, 0x3800, 0x7bff, 0x7800, 0x1000, infF16, nanF16, infF16 | 1, nanF16 | 0x12, 0x6400, 0x0c00}
	for range random {
		xs = append(xs, uint16(r.Uint32())&^signF16)
	}
	for _, x := range xs[:len(xs):len(xs)] {
		xs = append(xs, x|signF16)
	}
	return xs
}

func edges64(r *rand.Rand, random int) []uint64 {
	xs := []uint64{0, 1, 1<<52 - 1, 1 << 52, 0x3ff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff, 0x7fefffffffffffff, infF64, nanF64, infF64 | 1,
		0x36a0000000000000, 0x3690000000000001, 0x47efffffe0000000, 0x47effffff0000000, 0x41dfffffffc00000, 0x41e0000000000000, 0x41efffffffe00000, 0x3fe0000000000000}
	for range random {
		xs = append(xs, r.Uint64()&^signF64, uint64(990+r.IntN(66))<<52|r.Uint64()>>12)
	}
	for _, x := range xs[:len(xs):len(xs)] {
		xs = append(xs, x|signF64)
	}
	return xs
}

// modes are all combinations of rounding and denormals, the usual one first.
func modes() []fpMode {
	ms := []fpMode{modeDenormals}
	for round := range fpMode(4) {
		for denorm := range fpMode(4) {
			if m := round | round<<2 | denorm<<4 | denorm<<6; m != modeDenormals {
				ms = append(ms, m)
			}
		}
	}
	return ms
}

func seeded() *rand.Rand { return rand.New(rand.NewPCG(5, 17)) }

// ref is the expected result of an exact value in a mode, for bits of f16 or f32.
func ref32(m fpMode, v *big.Float, negativeZero bool) uint32 {
	bits := uint32(refF32.round(v, m.round32(), negativeZero))
	if bits&infF32 == 0 && m.denorm32()&denormKeepResult == 0 {
		bits &= signF32
	}
	return bits
}

func ref16(m fpMode, v *big.Float, negativeZero bool) uint16 {
	bits := uint16(refF16.round(v, m.round16(), negativeZero))
	if bits&infF16 == 0 && m.denorm16()&denormKeepResult == 0 {
		bits &= signF16
	}
	return bits
}

func ref64(m fpMode, v *big.Float, negativeZero bool) uint64 {
	bits := refF64.round(v, m.round16(), negativeZero)
	if bits&infF64 == 0 && m.denorm16()&denormKeepResult == 0 {
		bits &= signF64
	}
	return bits
}

// sum is what IEEE 754 says of a*b + c: the exact value, or the special result
// as a float64; zero's sign comes with it.
func refFMA(mode fpMode, a, b, c float64) (v *big.Float, negativeZero bool, special float64, isSpecial bool) {
	product := a * b // only its class and sign count
	if s := product + c; math.IsNaN(a*b) || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) || math.IsNaN(s) {
		if !math.IsInf(a, 0) && !math.IsInf(b, 0) && math.IsInf(c, 0) && !math.IsNaN(product) {
			s = c
		}
		return nil, false, s, true
	}
	v = exactBig().Mul(exact(a), exact(b))
	v.Add(v, exact(c))
	pSign, cSign := math.Signbit(a) != math.Signbit(b), math.Signbit(c)
	negativeZero = pSign && cSign || pSign != cSign && mode == roundDown
	return v, negativeZero, 0, false
}

func TestRefRound(t *testing.T) {
	r := seeded()
	for range 20000 {
		v := math.Float64frombits(uint64(860+r.IntN(300))<<52 | r.Uint64()>>12 | r.Uint64()<<63)
		if got, want := uint32(refF32.round(exact(v), roundNearestEven, false)), math.Float32bits(float32(v)); got != want {
			t.Fatalf("%x: reference rounds to %08x, the host to %08x", v, got, want)
		}
	}
}
