package emu

import (
	"math"
	"math/big"
)

// The three instructions around a division: div_scale brings operands into the
// range where the refinement of a reciprocal neither overflows nor loses bits,
// div_fmas makes the last step and undoes the scaling, div_fixup sets the
// special cases. They follow the pseudo-code of AMD's instruction set manuals,
// with one exception: where reciprocal and quotient are both denormal, the
// manuals scale the denominator up, which would overflow; it is scaled down here.

// divFormat is what the steps depend on of a floating-point format.
type divFormat struct {
	scale    int32 // the scaling is by 2^scale
	gap      int   // exponents this far apart are near overflow
	tiny     int   // exponents field up to this is scaled up
	vanishes int   // quotients with exponents below this are zero
}

var (
	divF32 = divFormat{scale: 64, gap: 96, tiny: 23, vanishes: -150}
	divF64 = divFormat{scale: 128, gap: 768, tiny: 53, vanishes: -1075}
)

// divStep is the decision of div_scale: by what power of two to scale the
// operand that is asked for, and whether div_fmas has to correct.
type divStep struct {
	denominator, numerator int32
	correct                bool
}

// scaling takes the operands' exponent fields (unbiased, of denormals as they
// are written), and whether the denominator and the results are denormal.
func (f divFormat) scaling(numField, denField int, denDenormal, rcpDenormal, quotDenormal bool) divStep {
	switch {
	case numField-denField >= f.gap:
		return divStep{denominator: f.scale, correct: true}
	case denDenormal:
		return divStep{denominator: f.scale, numerator: f.scale}
	case rcpDenormal && quotDenormal:
		return divStep{denominator: -f.scale, correct: true}
	case rcpDenormal:
		return divStep{denominator: -f.scale, numerator: -f.scale}
	case quotDenormal:
		return divStep{numerator: f.scale, correct: true}
	case numField <= f.tiny:
		return divStep{denominator: f.scale, numerator: f.scale}
	}
	return divStep{}
}

// divScaleF32 scales s0, which is the denominator s1 or the numerator s2.
func divScaleF32(m fpMode, s0, s1, s2 uint32) (uint32, bool) {
	den, num := float64(math.Float32frombits(s1)), float64(math.Float32frombits(s2))
	if den == 0 || num == 0 {
		return nanF32, false
	}
	const smallest = 0x1p-126
	denormal := func(v float64) bool { v = math.Abs(v); return 0 < v && v < smallest }
	step := divF32.scaling(int(s2>>23&0xff), int(s1>>23&0xff), denormal(den), denormal(1/den), denormal(num/den))
	by := step.numerator
	if s0 == s1 {
		by = step.denominator
	}
	if by == 0 {
		return s0, step.correct
	}
	return ldexpF32(m|modeDenormals, s0, by), step.correct
}

func divScaleF64(m fpMode, s0, s1, s2 uint64) (uint64, bool) {
	den, num := math.Float64frombits(s1), math.Float64frombits(s2)
	if den == 0 || num == 0 {
		return nanF64, false
	}
	const smallest = 0x1p-1022
	denormal := func(v float64) bool { return math.Abs(v) < smallest && !math.IsInf(den, 0) }
	step := divF64.scaling(int(s2>>52&0x7ff), int(s1>>52&0x7ff), denormal(den), denormal(1/den), denormal(num/den))
	by := step.numerator
	if s0 == s1 {
		by = step.denominator
	}
	if by == 0 {
		return s0, step.correct
	}
	return ldexpF64(m|modeDenormals, s0, by), step.correct
}

// divFmasF32 is a*b + c, where c is the quotient so far; if it was scaled, the
// result is scaled back, up for large quotients and down for small ones.
func divFmasF32(m fpMode, a, b, c uint32, scaled bool) uint32 {
	if !scaled {
		return fmaF32(m, a, b, c)
	}
	factor := 0x1p-64
	if c>>23&0xff > 127 {
		factor = 0x1p64
	}
	sum := addOdd(m.value32(a)*m.value32(b), m.value32(c))
	if sum != sum {
		return quietF32(a, b, c)
	}
	return m.roundF32(sum * factor)
}

func divFmasF64(m fpMode, a, b, c uint64, scaled bool) uint64 {
	sum := fmaF64(m, a, b, c)
	x, y, z := m.value64(a), m.value64(b), m.value64(c)
	if !scaled || sum&infF64 == infF64 && (isNaNF64(sum) || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsInf(z, 0)) {
		return sum
	}
	by := -128
	if c>>52&0x7ff > 1023 {
		by = 128
	}
	v := exactBig().Mul(big.NewFloat(x), big.NewFloat(y))
	v.Add(v, big.NewFloat(z))
	if v.Sign() == 0 {
		return sum
	}
	return m.roundBig(v.SetMantExp(v, by))
}

// divFixupF32 returns the quotient s0 of numerator s2 and denominator s1, with
// its sign and special cases.
func divFixupF32(m fpMode, s0, s1, s2 uint32) uint32 {
	sign := (s1 ^ s2) & signF32
	den, num := m.source32(s1)&^signF32, m.source32(s2)&^signF32
	switch {
	case num > infF32 || den > infF32:
		return quietF32(s2, s1)
	case num == 0 && den == 0, num == infF32 && den == infF32:
		return nanF32 | signF32
	case den == 0 || num == infF32:
		return sign | infF32
	case den == infF32 || num == 0:
		return sign
	case int(num>>23)-int(den>>23) < divF32.vanishes:
		return m.roundF32(math.Copysign(0x1p-160, float64(int32(sign|1))))
	}
	return sign | quotientF32(s0)
}

func divFixupF16(m fpMode, s0, s1, s2 uint16) uint16 {
	sign := (s1 ^ s2) & signF16
	den, num := m.source16(s1)&^signF16, m.source16(s2)&^signF16
	switch {
	case num > infF16 || den > infF16:
		return quietF16(s2, s1)
	case num == 0 && den == 0, num == infF16 && den == infF16:
		return nanF16 | signF16
	case den == 0 || num == infF16:
		return sign | infF16
	case den == infF16 || num == 0:
		return sign
	}
	return sign | quotientF16(s0)
}

func divFixupF64(m fpMode, s0, s1, s2 uint64) uint64 {
	sign := (s1 ^ s2) & signF64
	den, num := m.source64(s1)&^uint64(signF64), m.source64(s2)&^uint64(signF64)
	switch {
	case num > infF64 || den > infF64:
		return quietF64(s2, s1)
	case num == 0 && den == 0, num == infF64 && den == infF64:
		return nanF64 | signF64
	case den == 0 || num == infF64:
		return sign | infF64
	case den == infF64 || num == 0:
		return sign
	case int(num>>52)-int(den>>52) < divF64.vanishes:
		return sign
	}
	return sign | quotientF64(s0)
}

// quotientF32 and its like are the magnitude of a quotient of finite numbers:
// when its refinement met infinities and became NaN, the quotient overflows.
func quotientF32(s0 uint32) uint32 { return min(s0&^signF32, infF32) }
func quotientF16(s0 uint16) uint16 { return min(s0&^signF16, infF16) }
func quotientF64(s0 uint64) uint64 { return min(s0&^uint64(signF64), infF64) }
