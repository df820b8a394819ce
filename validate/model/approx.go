package model

import "math"

// The three functions that GPUs approximate, correctly rounded to float32 for
// every argument that a layer can have, which are the f16 values.

// rsqrt is 1/sqrt(x).
func (o Options) rsqrt(x float32) float32 { return o.shift(rsqrt(x)) }

// rcp is 1/x.
func (o Options) rcp(x float32) float32 { return o.shift(rcp(x)) }

// exp2 is 2 to the power of x.
func (o Options) exp2(x float32) float32 { return o.shift(exp2(x)) }

// shift moves a finite result by ULP places.
func (o Options) shift(x float32) float32 {
	if b := math.Float32bits(x); o.ULP != 0 && b<<1 != 0 && b<<1 < 0xff<<24 {
		return math.Float32frombits(uint32(int64(b) + int64(o.ULP)))
	}
	return x
}

func rsqrt(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

func rcp(x float32) float32 { return float32(1 / float64(x)) }

// exp2 takes 2^x apart into 2^n * e^(f ln 2), |f| <= 1/2, and sums the series
// in float64: some 20 bits more than float32 needs.
func exp2(x float32) float32 {
	switch v := float64(x); {
	case math.IsNaN(v):
		return x
	case v >= 128:
		return float32(math.Inf(1))
	case v < -150:
		return 0
	default:
		n := math.RoundToEven(v)
		t := (v - n) * math.Ln2
		sum := 1.0
		for i := 17.0; i >= 1; i-- {
			sum = 1 + float64(sum*t)/i
		}
		return float32(math.Ldexp(sum, int(n)))
	}
}
