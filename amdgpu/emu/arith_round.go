package emu

import "math"

// Sums are formed in f64 and rounded to odd: where the sum is not exact, the
// last bit of the result is set. f64 has more than two bits beyond f32, so
// rounding such a result again, in any mode, gives the correctly rounded value
// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).

// twoSum returns the rounded sum and its exact error (Knuth). No operand or sum
// here comes near the limits of f64.
func twoSum(a, b float64) (sum, err float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}

// toOdd is sum + err rounded to odd, where err is what rounding sum left.
func toOdd(sum, err float64) float64 {
	if err == 0 || err != err {
		return sum // exact, or not finite
	}
	bits := math.Float64bits(sum)
	if bits&1 == 0 {
		// Away from zero when sum and err have one sign.
		if math.Float64bits(err)^bits < signF64 {
			bits++
		} else {
			bits--
		}
	}
	return math.Float64frombits(bits)
}

func addOdd(a, b float64) float64 { return toOdd(twoSum(a, b)) }

// zeroSum is the sum v of a and c when it came out as zero: of different signs
// it is +0, but -0 when rounding down.
func zeroSum(mode fpMode, v, a, c float64) float64 {
	if mode == roundDown && (math.Signbit(a) || math.Signbit(c)) {
		return math.Copysign(0, -1)
	}
	return v
}

// addOdd3 is a + b + c rounded to odd.
func addOdd3(a, b, c float64) float64 {
	high, low := twoSum(b, c)
	sum, err := twoSum(a, high)
	return addOdd(sum, addOdd(err, low))
}

// roundF32 rounds v, which is exact or rounded to odd, as the mode says.
func (m fpMode) roundF32(v float64) uint32 {
	f := float32(v)
	bits := math.Float32bits(f)
	if m.plain32() {
		return bits
	}
	if back := float64(f); back != v {
		if step := roundingStep(m.round32(), back, v); step != 0 {
			bits = uint32(stepBits(uint64(bits), signF32, step))
		}
	}
	if bits&infF32 == 0 && m.denorm32()&denormKeepResult == 0 {
		bits &= signF32
	}
	return bits
}

// roundF16 is roundF32 for f16.
func (m fpMode) roundF16(v float64) uint16 {
	bits := nearestF16(v)
	if m.plain16() {
		return bits
	}
	if back := widenF16(bits); back != v {
		if step := roundingStep(m.round16(), back, v); step != 0 {
			bits = uint16(stepBits(uint64(bits), signF16, step))
		}
	}
	if bits&infF16 == 0 && m.denorm16()&denormKeepResult == 0 {
		bits &= signF16
	}
	if m&modeOverflow != 0 && bits&^signF16 == infF16 && !math.IsInf(v, 0) {
		bits--
	}
	return bits
}

// nearestF16 rounds to nearest even; NaN becomes the default NaN of its sign.
func nearestF16(v float64) uint16 {
	bits := math.Float64bits(v)
	sign := uint16(bits>>48) & signF16
	magnitude := bits &^ signF64
	switch {
	case magnitude < (1023-14)<<52: // below the normal numbers: steps of 2^-24
		// The last bit of a number near 2^28 weighs 2^-24.
		sum := math.Float64frombits(magnitude) + 0x1p28
		return sign | uint16(math.Float64bits(sum))
	case magnitude >= (1023+16)<<52: // 2^16 and beyond
		if magnitude > infF64 {
			return sign | nanF16
		}
		return sign | infF16
	}
	magnitude -= (1023 - 15) << 52
	magnitude += 1<<41 - 1 + magnitude>>42&1
	return sign | uint16(magnitude>>42)
}

// roundingStep says whether the nearest value `near` of `exact` has to move
// away from zero (1) or towards it (-1) in a directed mode.
func roundingStep(mode fpMode, near, exact float64) int {
	up := near < exact
	switch mode {
	case roundUp:
		if !up {
			return 0
		}
	case roundDown:
		if up {
			return 0
		}
	case roundToZero:
		if up != math.Signbit(exact) {
			return 0
		}
		return -1
	default:
		return 0
	}
	// Moving up is away from zero for what is positive.
	if up == !math.Signbit(exact) {
		return 1
	}
	return -1
}

// stepBits moves to the next number by magnitude.
func stepBits(bits, sign uint64, step int) uint64 {
	magnitude := bits &^ sign
	if step < 0 {
		if magnitude == 0 {
			return bits
		}
		return bits&sign | (magnitude - 1)
	}
	return bits&sign | (magnitude + 1)
}

// clamp limits a result to [0, 1].
func (m fpMode) clampF32(x uint32) uint32 {
	switch {
	case isNaNF32(x):
		if m&modeClampNaN != 0 {
			return 0
		}
		return x
	case x&signF32 != 0:
		return 0
	}
	return min(x, 0x3f800000)
}

func (m fpMode) clampF16(x uint16) uint16 {
	switch {
	case isNaNF16(x):
		if m&modeClampNaN != 0 {
			return 0
		}
		return x
	case x&signF16 != 0:
		return 0
	}
	return min(x, 0x3c00)
}

func (m fpMode) clampF64(x uint64) uint64 {
	switch {
	case isNaNF64(x):
		if m&modeClampNaN != 0 {
			return 0
		}
		return x
	case x&signF64 != 0:
		return 0
	}
	return min(x, 1023<<52)
}

// omod is the factor of an output modifier: 1, 2, 4 or a half.
var omodFactor = [4]float64{1, 2, 4, 0.5}

func (m fpMode) omodF32(x uint32, omod int) uint32 {
	if omod == 0 || isNaNF32(x) {
		return x
	}
	return m.roundF32(m.value32(x) * omodFactor[omod&3])
}

func (m fpMode) omodF16(x uint16, omod int) uint16 {
	if omod == 0 || isNaNF16(x) {
		return x
	}
	return m.roundF16(m.value16(x) * omodFactor[omod&3])
}

func (m fpMode) omodF64(x uint64, omod int) uint64 {
	if omod == 0 || isNaNF64(x) {
		return x
	}
	return mulF64(m, x, math.Float64bits(omodFactor[omod&3]))
}
