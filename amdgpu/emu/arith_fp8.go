package emu

import "math"

// The 8-bit floats of gfx12, in the OCP encodings: fp8 is e4m3 (bias 7, no
// infinity, one NaN of each sign, largest number 448), bf8 is e5m2 (bias 15,
// infinity and NaN as in f16, largest number 57344).
//
// What is out of range becomes NaN in fp8 and infinity in bf8, and the largest
// number when FP16_OVFL is set in MODE or the instruction clamps. That overflow
// without it gives NaN is what the GPU library headers of ROCm work around by
// limiting their operand first, and what native kernels on such GPUs rely on.

type smallFormat struct {
	mantissa int  // bits
	emin     int  // exponent of the smallest normal number
	largest  byte // code of the largest number
	overflow byte // code of what lies beyond
	nan      byte
}

var (
	formatFP8 = smallFormat{mantissa: 3, emin: -6, largest: 0x7e, overflow: 0x7f, nan: 0x7f}
	formatBF8 = smallFormat{mantissa: 2, emin: -14, largest: 0x7b, overflow: 0x7c, nan: 0x7e}
)

// encode rounds to nearest even.
func (f smallFormat) encode(v float64, clamp bool) uint8 {
	var sign uint8
	if math.Signbit(v) {
		sign, v = 0x80, -v
	}
	switch {
	case v != v:
		return sign | f.nan
	case v == 0:
		return sign
	case math.IsInf(v, 0):
		if clamp {
			return sign | f.largest
		}
		return sign | f.overflow
	}
	e := max(math.Ilogb(v), f.emin)
	steps := math.RoundToEven(math.Ldexp(v, f.mantissa-e))
	code := float64((e-f.emin)<<f.mantissa) + steps
	if code > float64(f.largest) {
		if clamp {
			return sign | f.largest
		}
		return sign | f.overflow
	}
	return sign | uint8(code)
}

// decode is exact; NaN codes become quiet NaN of their sign.
func (f smallFormat) decode(code uint8) float64 {
	magnitude := code & 0x7f
	exponent, mantissa := int(magnitude>>f.mantissa), int(magnitude)&(1<<f.mantissa-1)
	var v float64
	switch {
	case magnitude > f.largest && (f.overflow == f.nan || magnitude != f.overflow):
		v = math.NaN()
	case magnitude > f.largest:
		v = math.Inf(1)
	case exponent == 0:
		v = math.Ldexp(float64(mantissa), f.emin-f.mantissa)
	default:
		v = math.Ldexp(float64(mantissa|1<<f.mantissa), exponent-1+f.emin-f.mantissa)
	}
	if code&0x80 != 0 {
		return math.Copysign(v, -1)
	}
	return math.Copysign(v, 1)
}

// fp8Values and bf8Values are the values of all codes.
var fp8Values, bf8Values = formatFP8.values(), formatBF8.values()

func (f smallFormat) values() *[256]float64 {
	var t [256]float64
	for c := range t {
		t[c] = f.decode(uint8(c))
	}
	return &t
}

func cvtFP8F32(m fpMode, x uint32, clamp bool) uint8 {
	return formatFP8.encode(float64(math.Float32frombits(x)), clamp || m&modeOverflow != 0)
}

func cvtBF8F32(m fpMode, x uint32, clamp bool) uint8 {
	return formatBF8.encode(float64(math.Float32frombits(x)), clamp || m&modeOverflow != 0)
}

func cvtF32FP8(x uint8) uint32 { return small32(fp8Values[x], x) }
func cvtF32BF8(x uint8) uint32 { return small32(bf8Values[x], x) }

func small32(v float64, code uint8) uint32 {
	if v != v {
		return nanF32 | uint32(code&0x80)<<24
	}
	return math.Float32bits(float32(v))
}
