package model

import (
	"math"
	"math/big"
	"testing"

	"kmx/internal/num"
)

const precision = 200

func precise() *big.Float { return new(big.Float).SetPrec(precision) }

// ln2 is the logarithm of 2 as a series: the sum of 1/(n 2^n).
func ln2() *big.Float {
	sum, power := precise(), precise().SetInt64(1)
	for n := int64(1); n < precision; n++ {
		power.Quo(power, precise().SetInt64(2))
		sum.Add(sum, precise().Quo(power, precise().SetInt64(n)))
	}
	return sum
}

// power2 is 2^x: the integer part goes to the exponent, the rest through the
// series of the exponential.
func power2(x float64, log *big.Float) *big.Float {
	n := math.Floor(x)
	t := precise().Mul(precise().SetFloat64(x-n), log)
	sum, term := precise().SetInt64(1), precise().SetInt64(1)
	for i := int64(1); i < 60; i++ {
		term.Quo(term.Mul(term, t), precise().SetInt64(i))
		sum.Add(sum, term)
	}
	return sum.SetMantExp(sum, int(n))
}

// TestApproximationsAreCorrectlyRounded compares the three functions with
// arithmetic of 200 bits for every positive f16 (exp2: for every one).
func TestApproximationsAreCorrectlyRounded(t *testing.T) {
	log := ln2()
	step := 7
	if everything() {
		step = 1
	}
	for i := 0; i < 1<<16; i += step {
		h := num.F16(i)
		if h.IsNaN() || h.IsInf() {
			continue
		}
		x := h.Float32()
		want, _ := power2(float64(x), log).Float32()
		if got := exp2(x); got != want {
			t.Fatalf("2^%v = %v, want %v", x, got, want)
		}
		if x <= 0 {
			continue
		}
		inverse := precise().Quo(precise().SetInt64(1), precise().SetFloat64(float64(x)))
		want, _ = inverse.Float32()
		if got := rcp(x); got != want {
			t.Fatalf("1/%v = %v, want %v", x, got, want)
		}
		want, _ = precise().Sqrt(inverse).Float32()
		if got := rsqrt(x); got != want {
			t.Fatalf("1/sqrt(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestApproximationSpecials(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		name      string
		got, want float32
	}{
		{"rsqrt 0", rsqrt(0), inf}, {"rcp 0", rcp(0), inf}, {"rcp inf", rcp(inf), 0}, {"rsqrt inf", rsqrt(inf), 0},
		{"exp2 0", exp2(0), 1}, {"exp2 high", exp2(128), inf}, {"exp2 low", exp2(-151), 0}, {"exp2 subnormal", exp2(-149), math.SmallestNonzeroFloat32},
		{"exp2 -inf", exp2(-inf), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if n := float32(math.NaN()); exp2(n) == exp2(n) || rsqrt(-1) == rsqrt(-1) {
		t.Error("a number comes out of NaN")
	}
}

func TestShift(t *testing.T) {
	up, down := Options{ULP: 1}, Options{ULP: -1}
	if got := up.rcp(2); got != math.Nextafter32(0.5, 1) {
		t.Errorf("one up: %v", got)
	}
	if got := down.rcp(2); got != math.Nextafter32(0.5, 0) {
		t.Errorf("one down: %v", got)
	}
	if got := up.rcp(0); !math.IsInf(float64(got), 1) {
		t.Errorf("infinity moves to %v", got)
	}
}

// TestWhatAnULPChanges counts the f16 results that an error of one float32
// place changes: none for rcp and rsqrt, a handful for exp2.
func TestWhatAnULPChanges(t *testing.T) {
	var plain, up, down = Options{}, Options{ULP: 1}, Options{ULP: -1}
	changed := map[string]int{}
	differ := func(name string, f func(Options) float32) {
		want := num.F16FromFloat32(f(plain))
		for _, o := range []Options{up, down} {
			if num.F16FromFloat32(f(o)) != want {
				changed[name]++
			}
		}
	}
	for i := 1; i < 0x7c00; i++ {
		x := num.F16(i).Float32()
		differ("rcp", func(o Options) float32 { return o.rcp(x) })
		differ("rsqrt", func(o Options) float32 { return o.rsqrt(x) })
	}
	// The exponents that K's softmax can make: -19.7 to 9.5.
	for i := range 1 << 16 {
		if x := num.F16(i).Float32(); x > -25 && x < 16 {
			differ("exp2", func(o Options) float32 { return o.exp2(x) })
		}
	}
	if changed["rcp"] != 0 || changed["rsqrt"] != 0 || changed["exp2"] == 0 || changed["exp2"] > 12 {
		t.Errorf("changed results: %v", changed)
	}
	t.Log(changed)
}
