package emu

import "math"

// fpMode is the MODE register of a wave, as s_getreg shows it. Only its
// floating-point fields matter to arithmetic: rounding in bits 0..3, denormals
// in bits 4..7, and the flags below.
type fpMode uint32

const (
	modeClampNaN  fpMode = 1 << 8  // DX10_CLAMP: clamping makes NaN zero
	modeIEEE      fpMode = 1 << 9  // minimum and maximum raise signalling NaN (gone in gfx12)
	modeOverflow  fpMode = 1 << 23 // FP16_OVFL: what overflows f16 and fp8 becomes the largest number
	modeDenormals fpMode = 0xf0    // all denormals kept, rounding to nearest even
)

// Rounding, as MODE codes it.
const (
	roundNearestEven = 0
	roundUp          = 1
	roundDown        = 2
	roundToZero      = 3
)

// Denormals, two bits for each width.
const (
	denormKeepSource = 1
	denormKeepResult = 2
	denormKeep       = 3
)

func (m fpMode) round32() fpMode  { return m & 3 }
func (m fpMode) round16() fpMode  { return m >> 2 & 3 }
func (m fpMode) denorm32() fpMode { return m >> 4 & 3 }
func (m fpMode) denorm16() fpMode { return m >> 6 & 3 }

// plain32 and plain16 hold for the mode that kernels run in: round to nearest
// even, keep denormals. It is what the host's arithmetic does.
func (m fpMode) plain32() bool { return m&(3|3<<4) == denormKeep<<4 }
func (m fpMode) plain16() bool { return m&(3<<2|3<<6|modeOverflow) == denormKeep<<6 }
func (m fpMode) plain64() bool { return m&(3<<2|3<<6) == denormKeep<<6 }

const (
	signF16, infF16, nanF16 = 0x8000, 0x7c00, 0x7e00
	signF32, infF32, nanF32 = 0x80000000, 0x7f800000, 0x7fc00000

	signF64, infF64, nanF64 = 1 << 63, 0x7ff << 52, 0x7ff8 << 48
)

func isNaNF16(x uint16) bool { return x&^signF16 > infF16 }
func isNaNF32(x uint32) bool { return x&^signF32 > infF32 }
func isNaNF64(x uint64) bool { return x&^signF64 > infF64 }

// source32 and its like replace a denormal operand by zero where the mode says so.
func (m fpMode) source32(x uint32) uint32 {
	if x&infF32 == 0 && m.denorm32()&denormKeepSource == 0 {
		return x & signF32
	}
	return x
}

func (m fpMode) source16(x uint16) uint16 {
	if x&infF16 == 0 && m.denorm16()&denormKeepSource == 0 {
		return x & signF16
	}
	return x
}

func (m fpMode) source64(x uint64) uint64 {
	if x&infF64 == 0 && m.denorm16()&denormKeepSource == 0 {
		return x & signF64
	}
	return x
}

// value32 and value16 are the exact values of operands.
func (m fpMode) value32(x uint32) float64 { return float64(math.Float32frombits(m.source32(x))) }

func (m fpMode) value16(x uint16) float64 { return widenF16(m.source16(x)) }

func (m fpMode) value64(x uint64) float64 { return math.Float64frombits(m.source64(x)) }

// widenF16 is exact.
func widenF16(x uint16) float64 {
	if finiteF16(x) {
		return finiteValue16(x)
	}
	return math.Float64frombits(uint64(x&signF16)<<48 | infF64 | uint64(x&0x3ff)<<42)
}

func finiteF16(x uint16) bool { return x&infF16 != infF16 }

// finiteValue16 moves the exponent of an f16 into that of an f64, where it is
// 1008 too small; the product restores it, for denormals too.
func finiteValue16(x uint16) float64 {
	return math.Float64frombits(uint64(x&^signF16)<<42|uint64(x&signF16)<<48) * 0x1p1008
}

// quietF32 is the NaN of an operation whose operands are xs: the first NaN
// among them made quiet, or the default NaN. Which one the hardware chooses is
// not documented.
func quietF32(xs ...uint32) uint32 {
	for _, x := range xs {
		if isNaNF32(x) {
			return x | 1<<22
		}
	}
	return nanF32
}

func quietF16(xs ...uint16) uint16 {
	for _, x := range xs {
		if isNaNF16(x) {
			return x | 1<<9
		}
	}
	return nanF16
}

func quietF64(xs ...uint64) uint64 {
	for _, x := range xs {
		if isNaNF64(x) {
			return x | 1<<51
		}
	}
	return nanF64
}
