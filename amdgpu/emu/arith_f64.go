package emu

import (
	"math"
	"math/big"
)

// The operations of f64. The host rounds to nearest even and keeps denormals;
// other modes are computed with math/big.

func addF64(m fpMode, a, b uint64) uint64 { return fmaF64(m, a, 1023<<52, b) }

func mulF64(m fpMode, a, b uint64) uint64 {
	x, y := m.value64(a), m.value64(b)
	product := x * y
	switch {
	case product != product:
		return quietF64(a, b)
	case m.plain64() || math.IsInf(x, 0) || math.IsInf(y, 0) || x == 0 || y == 0:
		return math.Float64bits(product)
	}
	return m.roundBig(exactBig().Mul(big.NewFloat(x), big.NewFloat(y)))
}

func fmaF64(m fpMode, a, b, c uint64) uint64 {
	x, y, z := m.value64(a), m.value64(b), m.value64(c)
	sum := math.FMA(x, y, z)
	switch {
	case sum != sum:
		return quietF64(a, b, c)
	case m.plain64() || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsInf(z, 0):
		return math.Float64bits(sum)
	}
	exact := exactBig().Mul(big.NewFloat(x), big.NewFloat(y))
	exact.Add(exact, big.NewFloat(z))
	if exact.Sign() == 0 {
		return math.Float64bits(zeroSum(m.round16(), sum, x*y, z))
	}
	return m.roundBig(exact)
}

// exactBig has room for the exact sum of any product and number of f64: the
// exponents reach from -2148 to 2048.
func exactBig() *big.Float { return new(big.Float).SetPrec(4400) }

// roundBig rounds a finite exact value to f64 as the mode says.
func (m fpMode) roundBig(exact *big.Float) uint64 {
	near, _ := exact.Float64()
	bits := math.Float64bits(near)
	cmp := 1 // near is above exact
	if !math.IsInf(near, 0) {
		cmp = big.NewFloat(near).Cmp(exact)
	} else if near < 0 {
		cmp = -1
	}
	if cmp != 0 {
		// Only order and sign of the pair count.
		toward, sign := -float64(cmp), 1.0
		if exact.Signbit() {
			sign = -1
		}
		if step := roundingStep(m.round16(), 2*sign, 2*sign+toward/2); step != 0 {
			bits = stepBits(bits, signF64, step)
		}
	}
	if bits&infF64 == 0 && m.denorm16()&denormKeepResult == 0 {
		bits &= signF64
	}
	return bits
}

func ldexpF64(m fpMode, x uint64, e int32) uint64 {
	v := m.value64(x)
	if v != v {
		return quietF64(x)
	}
	if math.IsInf(v, 0) || v == 0 {
		return math.Float64bits(v)
	}
	return m.roundBig(exactBig().SetMantExp(big.NewFloat(v), int(max(-5000, min(e, 5000)))))
}

func frexpMantF64(m fpMode, x uint64) uint64 {
	v := m.value64(x)
	if v != v {
		return quietF64(x)
	}
	mantissa, _ := math.Frexp(v)
	return math.Float64bits(mantissa)
}

func frexpExpF64(m fpMode, x uint64) int32 {
	if x&infF64 == infF64 {
		return 0
	}
	_, e := math.Frexp(m.value64(x))
	return int32(e)
}

// fractF64 is x - floor(x), below 1 also where that would round to 1.
func fractF64(m fpMode, x uint64) uint64 {
	v := m.value64(x)
	if v != v || math.IsInf(v, 0) {
		return quietF64(x)
	}
	return min(addF64(m, math.Float64bits(v), math.Float64bits(-math.Floor(v))), 0x3fefffffffffffff)
}

func integralF64(m fpMode, x uint64, f func(float64) float64) uint64 {
	v := m.value64(x)
	if v != v {
		return quietF64(x)
	}
	return math.Float64bits(f(v))
}

func floorF64(m fpMode, x uint64) uint64 { return integralF64(m, x, math.Floor) }
func ceilF64(m fpMode, x uint64) uint64  { return integralF64(m, x, math.Ceil) }
func truncF64(m fpMode, x uint64) uint64 { return integralF64(m, x, math.Trunc) }
func rndneF64(m fpMode, x uint64) uint64 { return integralF64(m, x, math.RoundToEven) }

// rcpF64, rsqF64 and sqrtF64 are the host's to within an ulp. The hardware's are
// first approximations of about 2^-26 that code refines.
func rcpF64(m fpMode, x uint64) uint64 {
	return approxF64(m, x, func(v float64) float64 { return 1 / v })
}

func rsqF64(m fpMode, x uint64) uint64 {
	return approxF64(m, x, func(v float64) float64 { return 1 / math.Sqrt(v) })
}

func sqrtF64(m fpMode, x uint64) uint64 { return approxF64(m, x, math.Sqrt) }

func approxF64(m fpMode, x uint64, f func(float64) float64) uint64 {
	r := f(m.value64(x))
	if r != r {
		return quietF64(x)
	}
	return math.Float64bits(r)
}
