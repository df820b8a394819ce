package emu

import "math"

// The operations of f16. Every operand, sum of two and product is exact in f64.
// What nearly all calls are, finite operands in the usual mode, goes first.

func addF16(m fpMode, a, b uint16) uint16 {
	if m.plain16() && finiteF16(a) && finiteF16(b) {
		return nearestF16(finiteValue16(a) + finiteValue16(b))
	}
	x, y := m.value16(a), m.value16(b)
	sum := x + y
	if sum != sum {
		return quietF16(a, b)
	}
	if sum == 0 {
		sum = zeroSum(m.round16(), sum, x, y)
	}
	return m.roundF16(sum)
}

func subF16(m fpMode, a, b uint16) uint16 {
	if isNaNF16(b) {
		return quietF16(a, b)
	}
	return addF16(m, a, b^signF16)
}

func mulF16(m fpMode, a, b uint16) uint16 {
	if m.plain16() && finiteF16(a) && finiteF16(b) {
		return nearestF16(finiteValue16(a) * finiteValue16(b))
	}
	product := m.value16(a) * m.value16(b)
	if product != product {
		return quietF16(a, b)
	}
	return m.roundF16(product)
}

// fmaF16 is a*b + c, rounded once.
func fmaF16(m fpMode, a, b, c uint16) uint16 {
	if m.plain16() && finiteF16(a) && finiteF16(b) && finiteF16(c) {
		return nearestF16(addOdd(finiteValue16(a)*finiteValue16(b), finiteValue16(c)))
	}
	product, z := m.value16(a)*m.value16(b), m.value16(c)
	sum := addOdd(product, z)
	if sum != sum {
		return quietF16(a, b, c)
	}
	if sum == 0 {
		sum = zeroSum(m.round16(), sum, product, z)
	}
	return m.roundF16(sum)
}

func ldexpF16(m fpMode, x uint16, e int16) uint16 {
	if x&infF16 == infF16 {
		if isNaNF16(x) {
			return quietF16(x)
		}
		return x
	}
	return m.roundF16(m.value16(x) * powerOfTwo(int32(e)))
}

func frexpMantF16(m fpMode, x uint16) uint16 {
	v := m.value16(x)
	if v != v {
		return quietF16(x)
	}
	mantissa, _ := math.Frexp(v)
	return nearestF16(mantissa)
}

func frexpExpF16(m fpMode, x uint16) int16 {
	if x&infF16 == infF16 {
		return 0
	}
	_, e := math.Frexp(m.value16(x))
	return int16(e)
}

// fractF16 is x - floor(x), below 1 also where that would round to 1.
func fractF16(m fpMode, x uint16) uint16 {
	v := m.value16(x)
	if v != v || math.IsInf(v, 0) {
		return quietF16(x)
	}
	return min(m.roundF16(v-math.Floor(v)), 0x3bff)
}

func integralF16(m fpMode, x uint16, f func(float64) float64) uint16 {
	v := m.value16(x)
	if v != v {
		return quietF16(x)
	}
	return nearestF16(f(v))
}

func floorF16(m fpMode, x uint16) uint16 { return integralF16(m, x, math.Floor) }
func ceilF16(m fpMode, x uint16) uint16  { return integralF16(m, x, math.Ceil) }
func truncF16(m fpMode, x uint16) uint16 { return integralF16(m, x, math.Trunc) }
func rndneF16(m fpMode, x uint16) uint16 { return integralF16(m, x, math.RoundToEven) }
