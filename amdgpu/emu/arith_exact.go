package emu

import (
	"math"
	"math/big"
	"sync"
)

// Values of the transcendental functions to about bigBits bits, for the few
// arguments whose f64 approximation lies too near a tie between two results.
// None of these functions meets a tie exactly at an argument that is not also
// a representable result, so bigBits decide.

const bigBits = 240

func newBig() *big.Float { return new(big.Float).SetPrec(bigBits) }

func bigOf(v float64) *big.Float { return newBig().SetFloat64(v) }

func bigRcp(v float64) *big.Float  { return newBig().Quo(bigOf(1), bigOf(v)) }
func bigSqrt(v float64) *big.Float { return newBig().Sqrt(bigOf(v)) }
func bigRsq(v float64) *big.Float  { return newBig().Quo(bigOf(1), bigSqrt(v)) }

// bigSeries sums term(0) + term(1) + ... until a term no longer counts, where
// next(t, n) makes term n of term n-1, in place.
func bigSeries(first *big.Float, next func(t *big.Float, n int)) *big.Float {
	sum, term := newBig().Set(first), newBig().Set(first)
	for n := 1; term.Sign() != 0; n++ {
		next(term, n)
		if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-bigBits {
			break
		}
		sum.Add(sum, term)
	}
	return sum
}

// bigExp2 is 2^v as 2^n * e^(f ln 2).
func bigExp2(v float64) *big.Float {
	n := math.RoundToEven(v)
	z := newBig().Mul(bigOf(v-n), bigLn2())
	e := bigSeries(bigOf(1), func(t *big.Float, k int) {
		t.Mul(t, z)
		t.Quo(t, bigOf(float64(k)))
	})
	return newBig().SetMantExp(e, int(n))
}

// bigLog2 is log2(v) from ln(m) = 2 artanh((m-1)/(m+1)).
func bigLog2(v float64) *big.Float {
	mantissa, e := math.Frexp(v)
	if mantissa < math.Sqrt2/2 {
		mantissa, e = 2*mantissa, e-1
	}
	ln := bigLn(bigOf(mantissa))
	ln.Quo(ln, bigLn2())
	return ln.Add(ln, bigOf(float64(e)))
}

func bigLn(m *big.Float) *big.Float {
	one := bigOf(1)
	z := newBig().Quo(newBig().Sub(m, one), newBig().Add(m, one))
	square := newBig().Mul(z, z)
	sum, power := newBig().Set(z), newBig().Set(z)
	for k := 3; power.Sign() != 0; k += 2 {
		power.Mul(power, square)
		term := newBig().Quo(power, bigOf(float64(k)))
		if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-bigBits {
			break
		}
		sum.Add(sum, term)
	}
	return sum.Mul(sum, bigOf(2))
}

var (
	bigLn2 = sync.OnceValue(func() *big.Float { return bigLn(bigOf(2)) })
	bigPi  = sync.OnceValue(bigMachin)
)

// bigMachin is pi = 16 arctan(1/5) - 4 arctan(1/239).
func bigMachin() *big.Float {
	arctan := func(n float64) *big.Float {
		power := bigRcp(n)
		sum := newBig().Set(power)
		for k := 3; ; k += 2 {
			power.Quo(power, bigOf(-n*n))
			term := newBig().Quo(power, bigOf(float64(k)))
			if term.MantExp(nil) < -bigBits {
				return sum
			}
			sum.Add(sum, term)
		}
	}
	a, b := arctan(5), arctan(239)
	a.Mul(a, bigOf(16))
	return a.Sub(a, b.Mul(b, bigOf(4)))
}

func bigSinTurns(v float64) *big.Float {
	quarter, rest := turns(v)
	return bigTurnFunction(quarter, rest)
}

func bigCosTurns(v float64) *big.Float {
	quarter, rest := turns(v)
	return bigTurnFunction(quarter+1, rest)
}

func bigTurnFunction(quarter int, rest float64) *big.Float {
	z := newBig().Mul(bigOf(2*rest), bigPi())
	square := newBig().Mul(z, z)
	square.Neg(square)
	first, odd := bigOf(1), 0
	if quarter&1 == 0 {
		first, odd = z, 1
	}
	sum := bigSeries(first, func(t *big.Float, n int) {
		k := float64(2*n + odd)
		t.Mul(t, square)
		t.Quo(t, bigOf(k*(k-1)))
	})
	if quarter&2 != 0 {
		sum.Neg(sum)
	}
	return sum
}

// nearestBigF16 rounds to nearest even by way of an odd f64.
func nearestBigF16(x *big.Float) uint16 {
	v, _ := new(big.Float).SetMode(big.ToZero).SetPrec(53).Set(x).Float64()
	if new(big.Float).SetFloat64(v).Cmp(x) != 0 {
		v = math.Float64frombits(math.Float64bits(v) | 1)
	}
	return nearestF16(v)
}
