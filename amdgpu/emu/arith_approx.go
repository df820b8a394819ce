package emu

import (
	"math"
	"math/big"
)

// The transcendental operations are correctly rounded to nearest even, whatever
// the mode. The hardware's are within about one ulp; `ulp` moves a result that
// is neither zero, infinite nor NaN by that many, so that a caller sees how far
// its results depend on the difference.
//
// In f32 the hardware flushes denormals in these operations whatever the mode
// says, except in sin and cos, where they do not matter. f16 follows the mode.

// A function is given by near, an f64 approximation with a relative error below
// slack, and exact, which decides where near cannot.
type function struct {
	near  func(float64) float64
	exact func(float64) *big.Float
}

var (
	functionRcp  = function{func(v float64) float64 { return 1 / v }, bigRcp}
	functionSqrt = function{math.Sqrt, bigSqrt}
	functionRsq  = function{func(v float64) float64 { return 1 / math.Sqrt(v) }, bigRsq}
	functionExp2 = function{exp2, bigExp2}
	functionLog2 = function{log2, bigLog2}
	functionSin  = function{func(v float64) float64 { return sinTurns(v) }, bigSinTurns}
	functionCos  = function{func(v float64) float64 { return cosTurns(v) }, bigCosTurns}
)

func rcpF32(m fpMode, x uint32, ulp int) uint32 {
	return functionRcp.f32(x, ulp, true)
}
func rsqF32(m fpMode, x uint32, ulp int) uint32  { return functionRsq.f32(x, ulp, true) }
func sqrtF32(m fpMode, x uint32, ulp int) uint32 { return functionSqrt.f32(x, ulp, true) }
func exp2F32(m fpMode, x uint32, ulp int) uint32 { return functionExp2.f32(x, ulp, true) }
func log2F32(m fpMode, x uint32, ulp int) uint32 { return functionLog2.f32(x, ulp, true) }

// sinF32 and cosF32 take their argument in turns.
func sinF32(m fpMode, x uint32, ulp int) uint32 { return functionSin.f32(m.source32(x), ulp, false) }
func cosF32(m fpMode, x uint32, ulp int) uint32 { return functionCos.f32(m.source32(x), ulp, false) }

func rcpF16(m fpMode, x uint16, ulp int) uint16  { return functionRcp.f16(m, x, ulp) }
func rsqF16(m fpMode, x uint16, ulp int) uint16  { return functionRsq.f16(m, x, ulp) }
func sqrtF16(m fpMode, x uint16, ulp int) uint16 { return functionSqrt.f16(m, x, ulp) }
func exp2F16(m fpMode, x uint16, ulp int) uint16 { return functionExp2.f16(m, x, ulp) }
func log2F16(m fpMode, x uint16, ulp int) uint16 { return functionLog2.f16(m, x, ulp) }
func sinF16(m fpMode, x uint16, ulp int) uint16  { return functionSin.f16(m, x, ulp) }
func cosF16(m fpMode, x uint16, ulp int) uint16  { return functionCos.f16(m, x, ulp) }

// slack is a bound on the relative error of near.
const slack = 0x1p-48

func (f function) f32(x uint32, ulp int, flush bool) uint32 {
	if flush && x&infF32 == 0 {
		x &= signF32
	}
	v := float64(math.Float32frombits(x))
	y := f.near(v)
	if y != y {
		return quietF32(x)
	}
	low, high := float32(y*(1-slack)), float32(y*(1+slack))
	if low != high {
		low, _ = f.exact(v).Float32()
	}
	bits := math.Float32bits(low)
	if flush && bits&infF32 == 0 {
		return bits & signF32
	}
	return uint32(moveUlps(uint64(bits), infF32, signF32, ulp))
}

func (f function) f16(m fpMode, x uint16, ulp int) uint16 {
	v := m.value16(x)
	y := f.near(v)
	if y != y {
		return quietF16(x)
	}
	low, high := nearestF16(y*(1-slack)), nearestF16(y*(1+slack))
	if low != high {
		low = nearestBigF16(f.exact(v))
	}
	return m.resultF16(uint16(moveUlps(uint64(low), infF16, signF16, ulp)))
}

// moveUlps moves a finite number other than zero by ulp in magnitude, staying
// finite and away from zero.
func moveUlps(bits, inf, sign uint64, ulp int) uint64 {
	magnitude := bits &^ sign
	if ulp == 0 || magnitude == 0 || magnitude >= inf {
		return bits
	}
	moved := max(1, min(int64(magnitude)+int64(ulp), int64(inf)-1))
	return bits&sign | uint64(moved)
}

// exp2 and log2 keep their relative error everywhere, log2 near 1 too.
func exp2(v float64) float64 { return math.Exp2(v) }

func log2(v float64) float64 {
	if 0.5 < v && v < 2 {
		return math.Log1p(v-1) / math.Ln2
	}
	return math.Log2(v)
}

// sinTurns is sin(2*pi*v). The argument is brought to an eighth of a turn, which
// is exact; what is left is small enough for the relative error of the product
// with 2*pi to be that of the result.
func sinTurns(v float64) float64 {
	if math.IsInf(v, 0) || v != v {
		return math.NaN()
	}
	quarter, rest := turns(v)
	return turnFunction(quarter, rest, v)
}

func cosTurns(v float64) float64 {
	if math.IsInf(v, 0) || v != v {
		return math.NaN()
	}
	quarter, rest := turns(v)
	return turnFunction(quarter+1, rest, 1)
}

// turns splits v, a number of turns, into quarters 0..3 and a rest of at most
// an eighth.
func turns(v float64) (quarter int, rest float64) {
	v -= math.Trunc(v)
	q := math.RoundToEven(4 * v)
	return int(q) & 3, v - q/4
}

// turnFunction is the sine of quarter + rest turns; zero has the sign of `like`.
func turnFunction(quarter int, rest, like float64) float64 {
	var y float64
	switch quarter & 3 {
	case 0:
		y = math.Sin(2 * math.Pi * rest)
	case 1:
		y = math.Cos(2 * math.Pi * rest)
	case 2:
		y = -math.Sin(2 * math.Pi * rest)
	default:
		y = -math.Cos(2 * math.Pi * rest)
	}
	if y == 0 {
		return math.Copysign(0, like)
	}
	return y
}
