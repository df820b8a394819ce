package num

// E4M3 is the code of an 8-bit number: 1 sign, 4 exponent (bias 7), 3 fraction
// bits. The largest magnitude is 448 (code 0x7e), the subnormal step 2^-9;
// 0x7f and 0xff are NaN and there is no infinity.
type E4M3 uint8

const (
	e4m3Sign = 0x80
	e4m3Max  = 0x7e
	e4m3NaN  = 0x7f
)

// EncodeE4M3 rounds h to the nearest E4M3, ties to even, and saturates: beyond
// 448, infinity included, the code is 0x7e with h's sign. A NaN becomes 0x7f
// with its sign, as in the network kernels; ConvertE4M3 is as NVIDIA's hardware.
func EncodeE4M3(h F16) E4M3 {
	sign := E4M3(h>>8) & e4m3Sign
	m := h &^ f16Sign
	switch {
	case m > f16Inf:
		return sign | e4m3NaN
	case m >= 0x5f40: // 464, the tie between 448 and the missing 480
		return sign | e4m3Max
	case m < 0x2400: // below 2^-6: multiples of 2^-9
		return sign | E4M3(subnormalSteps(m))
	}
	// Drop seven fraction bits; a carry into the exponent is right.
	m += 0x3f + m>>7&1
	return sign | E4M3(m>>7-(15-7)<<3)
}

// ConvertE4M3 is the conversion of PTX, cvt.rn.satfinite.e4m3x2.f16x2: EncodeE4M3,
// but every NaN becomes 0x7f (measured on an NVIDIA H200, all 65,536 halves).
func ConvertE4M3(h F16) E4M3 {
	if h.IsNaN() {
		return e4m3NaN
	}
	return EncodeE4M3(h)
}

// subnormalSteps is the value of m (below 2^-6) in units of 2^-9, rounded to
// nearest even; 8 is the smallest normal code.
func subnormalSteps(m F16) F16 {
	e := int(m >> 10)
	frac := m & 0x3ff
	if e > 0 {
		frac |= 0x400
	} else {
		e = 1
	}
	// value = frac * 2^(e-25), so steps = frac * 2^(e-16); e is at most 8.
	shift := 16 - e
	steps := frac >> shift
	rest := frac & (1<<shift - 1)
	half := F16(1) << (shift - 1)
	if rest > half || rest == half && steps&1 == 1 {
		steps++
	}
	return steps
}

// F16 is the value of e, exactly. The NaN codes 0x7f and 0xff become the F16
// NaN 0x7e00 with e's sign; NVIDIA's hardware makes 0x7fff of both (measured).
func (e E4M3) F16() F16 {
	sign := F16(e&e4m3Sign) << 8
	m := F16(e &^ e4m3Sign)
	switch {
	case m == e4m3NaN:
		return sign | f16Inf | f16QuietNaN
	case m >= 8:
		return sign | (m+(15-7)<<3)<<7
	}
	return sign | F16FromFloat32(float32(m)/512)
}

// Float32 is the value of e, exactly; the NaN codes give NaN.
func (e E4M3) Float32() float32 { return e.F16().Float32() }

// IsNaN reports whether e is one of the two NaN codes.
func (e E4M3) IsNaN() bool { return e&^e4m3Sign == e4m3NaN }

// Q8 is h rounded to E4M3 and back: the value that survives a store in 8 bits.
func Q8(h F16) F16 { return EncodeE4M3(h).F16() }
