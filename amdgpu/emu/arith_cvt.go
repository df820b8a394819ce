package emu

import "math"

// Conversions. Integers are register bits too.

// cvtF16F32 rounds in the mode of f16.
func cvtF16F32(m fpMode, x uint32) uint16 {
	if isNaNF32(x) {
		return uint16(x>>16)&signF16 | infF16 | 1<<9 | uint16(x>>13)&0x3ff
	}
	return m.roundF16(m.value32(x))
}

func cvtF32F16(m fpMode, x uint16) uint32 {
	if isNaNF16(x) {
		return uint32(x&signF16)<<16 | infF32 | 1<<22 | uint32(x&0x3ff)<<13
	}
	return m.roundF32(m.value16(x))
}

// cvtPkRtzF16F32 packs two f32 rounded towards zero, whatever the mode.
func cvtPkRtzF16F32(m fpMode, a, b uint32) uint32 {
	m = m&^(3<<2) | roundToZero<<2
	return uint32(cvtF16F32(m, a)) | uint32(cvtF16F32(m, b))<<16
}

func cvtF32F64(m fpMode, x uint64) uint32 {
	if isNaNF64(x) {
		return uint32(x>>32)&signF32 | infF32 | 1<<22 | uint32(x>>29)&0x7fffff
	}
	return m.roundF32(m.value64(x))
}

func cvtF64F32(m fpMode, x uint32) uint64 {
	if isNaNF32(x) {
		return uint64(x&signF32)<<32 | infF64 | 1<<51 | uint64(x&0x7fffff)<<29
	}
	return math.Float64bits(m.value32(x))
}

// bf16 is the upper half of an f32.
func cvtF32BF16(x uint16) uint32 { return uint32(x) << 16 }

// cvtBF16F32 rounds to nearest even.
func cvtBF16F32(_ fpMode, x uint32) uint16 {
	if isNaNF32(x) {
		return uint16(x>>16) | 1<<6
	}
	return uint16((x + 0x7fff + x>>16&1) >> 16)
}

func cvtF32I32(m fpMode, x uint32) uint32 { return m.roundF32(float64(int32(x))) }
func cvtF32U32(m fpMode, x uint32) uint32 { return m.roundF32(float64(x)) }
func cvtF16I16(m fpMode, x uint16) uint16 { return m.roundF16(float64(int16(x))) }
func cvtF16U16(m fpMode, x uint16) uint16 { return m.roundF16(float64(x)) }
func cvtF64I32(x uint32) uint64           { return math.Float64bits(float64(int32(x))) }
func cvtF64U32(x uint32) uint64           { return math.Float64bits(float64(x)) }

// cvtF32UByte converts byte n of x.
func cvtF32UByte(x uint32, n uint) uint32 {
	return math.Float32bits(float32(x >> (8 * n) & 0xff))
}

// saturate makes an integer within [lo, hi] of an integral v; NaN is 0.
func saturate(v, lo, hi float64) int64 {
	if v != v {
		return 0
	}
	return int64(max(lo, min(v, hi)))
}

func toI32(v float64) uint32 { return uint32(saturate(v, math.MinInt32, math.MaxInt32)) }
func toU32(v float64) uint32 { return uint32(saturate(v, 0, math.MaxUint32)) }

func cvtI32F32(m fpMode, x uint32) uint32 { return toI32(math.Trunc(m.value32(x))) }
func cvtU32F32(m fpMode, x uint32) uint32 { return toU32(math.Trunc(m.value32(x))) }
func cvtI32F64(m fpMode, x uint64) uint32 { return toI32(math.Trunc(m.value64(x))) }
func cvtU32F64(m fpMode, x uint64) uint32 { return toU32(math.Trunc(m.value64(x))) }
func cvtI16F16(m fpMode, x uint16) uint16 {
	return uint16(saturate(math.Trunc(m.value16(x)), math.MinInt16, math.MaxInt16))
}
func cvtU16F16(m fpMode, x uint16) uint16 {
	return uint16(saturate(math.Trunc(m.value16(x)), 0, math.MaxUint16))
}

// cvtFloorI32F32 and cvtNearestI32F32 round down and to nearest, ties up.
func cvtFloorI32F32(m fpMode, x uint32) uint32 { return toI32(math.Floor(m.value32(x))) }
func cvtNearestI32F32(m fpMode, x uint32) uint32 {
	return toI32(math.Floor(m.value32(x) + 0.5))
}
