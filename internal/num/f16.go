package num

import "math"

// F16 is the bits of an IEEE 754 binary16 number: 1 sign, 5 exponent (bias
// 15), 10 fraction bits.
type F16 uint16

const (
	f16Sign = 0x8000
	f16Inf  = 0x7c00
	// f16QuietNaN is the quiet bit of a NaN.
	f16QuietNaN = 0x0200
)

// F16FromFloat32 rounds x to the nearest F16, ties to even. Magnitudes of
// 65520 and more become infinity. A NaN stays one, made quiet, with its sign
// and the upper ten fraction bits.
func F16FromFloat32(x float32) F16 {
	b := math.Float32bits(x)
	sign := F16(b>>16) & f16Sign
	m := b & 0x7fffffff
	switch {
	case m >= 0x7f800000:
		if m > 0x7f800000 {
			return sign | f16Inf | f16QuietNaN | F16(m>>13)&0x3ff
		}
		return sign | f16Inf
	case m >= 0x47800000: // 2^16
		return sign | f16Inf
	case m < 0x38800000: // below 2^-14: subnormal or zero
		// The sum of 0.5 and x has its last place at 2^-24, which is the
		// subnormal step; the addition does the rounding.
		r := math.Float32frombits(m) + 0.5
		return sign | F16(math.Float32bits(r)-0x3f000000)
	}
	// Round at bit 13; a carry into the exponent is right, up to infinity.
	m += 0xfff + m>>13&1
	return sign | F16(m>>13-(127-15)<<10)
}

// F16FromFloat64 rounds x to the nearest F16, ties to even, in one step.
// NaNs as in F16FromFloat32.
func F16FromFloat64(x float64) F16 {
	b := math.Float64bits(x)
	sign := F16(b>>48) & f16Sign
	m := b &^ (1 << 63)
	switch {
	case m >= 0x7ff<<52:
		if m > 0x7ff<<52 {
			return sign | f16Inf | f16QuietNaN | F16(m>>42)&0x3ff
		}
		return sign | f16Inf
	case m >= (1023+16)<<52:
		return sign | f16Inf
	case m < (1023-14)<<52:
		r := math.Float64frombits(m) + 1<<(52-24) // last place 2^-24
		return sign | F16(math.Float64bits(r))
	}
	m += 1<<41 - 1 + m>>42&1
	return sign | F16(m>>42-(1023-15)<<10)
}

// Float32 is the value of h, exactly. A NaN keeps its fraction bits.
func (h F16) Float32() float32 {
	sign := uint32(h&f16Sign) << 16
	m := uint32(h&^f16Sign) << 13
	if m >= f16Inf<<13 {
		return math.Float32frombits(sign | m | 0x7f800000)
	}
	// Read as a float32 the number is too small by 2^(127-15); float32
	// holds subnormals of that size exactly.
	v := math.Float32frombits(m) * (1 << 112)
	return math.Float32frombits(sign | math.Float32bits(v))
}

// Float64 is the value of h, exactly.
func (h F16) Float64() float64 { return float64(h.Float32()) }

// IsNaN reports whether h is not a number.
func (h F16) IsNaN() bool { return h&^f16Sign > f16Inf }

// IsInf reports whether h is an infinity of either sign.
func (h F16) IsInf() bool { return h&^f16Sign == f16Inf }

// Neg is h with its sign flipped, NaN included.
func (h F16) Neg() F16 { return h ^ f16Sign }

// Abs is h with its sign cleared, NaN included.
func (h F16) Abs() F16 { return h &^ f16Sign }

// Add is a + b, rounded once.
func Add(a, b F16) F16 {
	return F16FromFloat64(a.Float64() + b.Float64()) // the float64 sum is exact: 2^-24 to 2^17
}

// Sub is a - b, rounded once.
func Sub(a, b F16) F16 {
	return F16FromFloat64(a.Float64() - b.Float64())
}

// Mul is a * b, rounded once.
func Mul(a, b F16) F16 {
	return F16FromFloat32(a.Float32() * b.Float32()) // 22 bits: the float32 product is exact
}

// FMA is a*b + c, rounded once.
func FMA(a, b, c F16) F16 {
	// The product is exact. The sum needs more than 53 bits only where the
	// smaller term is far below half a unit of the larger one's F16, and then
	// rounding it twice gives the same: the product has at most 22 bits, so it
	// cannot lie closer to a tie than a float64 can tell.
	return F16FromFloat64(float64(a.Float64()*b.Float64()) + c.Float64())
}

// Min is the smaller of a and b. A NaN loses against a number; of two zeros
// the negative one is smaller. Two NaNs give the first, made quiet.
func Min(a, b F16) F16 {
	switch {
	case a.IsNaN() && b.IsNaN():
		return a | f16QuietNaN
	case a.IsNaN():
		return b
	case b.IsNaN() || a.order() <= b.order():
		return a
	}
	return b
}

// Max is the larger of a and b, with Min's rules; of two zeros the positive
// one is larger.
func Max(a, b F16) F16 {
	switch {
	case a.IsNaN() && b.IsNaN():
		return a | f16QuietNaN
	case a.IsNaN():
		return b
	case b.IsNaN() || a.order() >= b.order():
		return a
	}
	return b
}

// Clamp is x limited to [-bound, bound]; a NaN becomes -bound.
func Clamp(x, bound F16) F16 { return Min(Max(x, bound.Neg()), bound) }

// order maps numbers to integers of the same order, -0 just below +0.
func (h F16) order() int32 {
	if h&f16Sign != 0 {
		return -1 - int32(h&^f16Sign)
	}
	return int32(h)
}
