package emu

import "math"

// The operations of f32 on register bits. Operands come with negation and
// absolute value applied. Where the mode is the usual one, the host's own f32
// arithmetic gives the result; NaN results are chosen by quietF32 alone,
// because hosts differ in them.

func addF32(m fpMode, a, b uint32) uint32 {
	if m.plain32() {
		sum := math.Float32frombits(a) + math.Float32frombits(b)
		if sum != sum {
			return quietF32(a, b)
		}
		return math.Float32bits(sum)
	}
	x, y := m.value32(a), m.value32(b)
	sum := addOdd(x, y)
	if sum != sum {
		return quietF32(a, b)
	}
	if sum == 0 {
		sum = zeroSum(m.round32(), sum, x, y)
	}
	return m.roundF32(sum)
}

func subF32(m fpMode, a, b uint32) uint32 {
	if isNaNF32(b) {
		return quietF32(a, b)
	}
	return addF32(m, a, b^signF32)
}

func mulF32(m fpMode, a, b uint32) uint32 {
	if m.plain32() {
		product := math.Float32frombits(a) * math.Float32frombits(b)
		if product != product {
			return quietF32(a, b)
		}
		return math.Float32bits(product)
	}
	product := m.value32(a) * m.value32(b)
	if product != product {
		return quietF32(a, b)
	}
	return m.roundF32(product)
}

// fmaF32 is a*b + c, rounded once. The product is exact in f64.
func fmaF32(m fpMode, a, b, c uint32) uint32 {
	if m.plain32() {
		sum := addOdd(float64(math.Float32frombits(a))*float64(math.Float32frombits(b)), float64(math.Float32frombits(c)))
		if sum == sum {
			return math.Float32bits(float32(sum))
		}
		return quietF32(a, b, c)
	}
	product, z := m.value32(a)*m.value32(b), m.value32(c)
	sum := addOdd(product, z)
	if sum != sum {
		return quietF32(a, b, c)
	}
	if sum == 0 {
		sum = zeroSum(m.round32(), sum, product, z)
	}
	return m.roundF32(sum)
}

// mulLegacyF32 is the product in which zero wins over everything (DX9 rules).
func mulLegacyF32(m fpMode, a, b uint32) uint32 {
	if m.source32(a)&^signF32 == 0 || m.source32(b)&^signF32 == 0 {
		return 0
	}
	return mulF32(m, a, b)
}

func fmaLegacyF32(m fpMode, a, b, c uint32) uint32 {
	if m.source32(a)&^signF32 == 0 || m.source32(b)&^signF32 == 0 {
		return addF32(m, 0, c)
	}
	return fmaF32(m, a, b, c)
}

// fmaMixF16 is v_fma_mixlo_f16 on widened operands: an f32 fma, whose result is
// rounded again to f16.
func fmaMixF16(m fpMode, a, b, c uint32) uint16 {
	return cvtF16F32(m, fmaF32(m, a, b, c))
}

func ldexpF32(m fpMode, x uint32, e int32) uint32 {
	if x&infF32 == infF32 {
		if isNaNF32(x) {
			return quietF32(x)
		}
		return x
	}
	return m.roundF32(m.value32(x) * powerOfTwo(e))
}

// powerOfTwo is 2^e as an f64, e limited to what makes any f32 or f16 overflow
// or vanish.
func powerOfTwo(e int32) float64 {
	e = max(-500, min(e, 500))
	return math.Float64frombits(uint64(1023+e) << 52)
}

// frexpMantF32 is x scaled into [0.5, 1); zero, infinity and NaN stay.
func frexpMantF32(m fpMode, x uint32) uint32 {
	v := m.value32(x)
	if v != v {
		return quietF32(x)
	}
	mantissa, _ := math.Frexp(v)
	return math.Float32bits(float32(mantissa))
}

func frexpExpF32(m fpMode, x uint32) int32 {
	if x&infF32 == infF32 {
		return 0
	}
	_, e := math.Frexp(m.value32(x))
	return int32(e)
}

// fractF32 is x - floor(x), below 1 also where that would round to 1.
func fractF32(m fpMode, x uint32) uint32 {
	v := m.value32(x)
	if v != v || math.IsInf(v, 0) {
		return quietF32(x)
	}
	return min(m.roundF32(addOdd(v, -math.Floor(v))), 0x3f7fffff)
}

func integralF32(m fpMode, x uint32, f func(float64) float64) uint32 {
	v := m.value32(x)
	if v != v {
		return quietF32(x)
	}
	return math.Float32bits(float32(f(v)))
}

func floorF32(m fpMode, x uint32) uint32 { return integralF32(m, x, math.Floor) }
func ceilF32(m fpMode, x uint32) uint32  { return integralF32(m, x, math.Ceil) }
func truncF32(m fpMode, x uint32) uint32 { return integralF32(m, x, math.Trunc) }
func rndneF32(m fpMode, x uint32) uint32 { return integralF32(m, x, math.RoundToEven) }
