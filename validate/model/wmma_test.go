package model

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"kmx/internal/num"
)

// everything asks for the long run: every case instead of a sample.
func everything() bool { return os.Getenv("KMX_TEST_ALL") == "1" }

// exactStep is one WMMA element by its definition.
func exactStep(c float32, a, b [stepK]num.F16) float32 {
	sum := new(big.Float).SetPrec(1000).SetFloat64(float64(c))
	for i := range a {
		p := new(big.Float).SetPrec(1000).Mul(big.NewFloat(a[i].Float64()), big.NewFloat(b[i].Float64()))
		sum.Add(sum, p)
	}
	f, _ := sum.Float32()
	return f
}

func TestStepIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	// How wide the exponents of the operands scatter: narrow ones take the
	// fast sum, wide ones the slow.
	scatter := []int{1, 4, 10, 30}
	slow := 0
	for i := range 60_000 {
		width := scatter[i%len(scatter)]
		draw := func() num.F16 {
			for {
				h := num.F16(rng.Uint32()&0x83ff) | num.F16(15-width/2+rng.IntN(width))<<10
				if rng.IntN(8) == 0 {
					h &= 0x8000
				}
				if !h.IsInf() && !h.IsNaN() {
					return h
				}
			}
		}
		var a, b [stepK]num.F16
		for j := range a {
			a[j], b[j] = draw(), draw()
		}
		c := float32(math.Ldexp(rng.Float64()-0.5, rng.IntN(60)-30))
		if i%3 == 0 { // near minus the sum: cancellation
			c = -exactStep(0, a, b)
		}
		left := pack(1, stepK, nil, func(_, k int) num.F16 { return a[k] })
		right := pack(1, stepK, nil, func(_, k int) num.F16 { return b[k] })
		if left.spread[0]*right.spread[0] > exactSpread {
			slow++
		}
		acc := startRow(1, 1, nil)
		acc.v[0] = c
		acc.add(left, right, 0)
		if got, want := acc.v[0], exactStep(c, a, b); math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("%x * %x + %v = %v, want %v", a, b, c, got, want)
		}
	}
	if slow < 1000 {
		t.Errorf("only %d steps took the slow sum", slow)
	}
}

// TestStepRoundsOnce has a sum just above a float32 tie, by less than a
// float64 can hold.
func TestStepRoundsOnce(t *testing.T) {
	half := num.F16FromFloat64(1.0 / 4096) // its square is half the last place of 1
	products := map[int]num.F16{0: half, 1: 1 /* 2^-24; squared, 2^-48 */}
	at := func(_, k int) num.F16 { return products[k] }
	for c, want := range map[float32]float32{1: math.Nextafter32(1, 2), 64: 64} {
		acc := startRow(1, 1, nil)
		acc.v[0] = c
		acc.add(pack(1, stepK, nil, at), pack(1, stepK, nil, at), 0)
		if acc.v[0] != want {
			t.Errorf("%v becomes %v, want %v", c, acc.v[0], want)
		}
	}
	// Without the 2^-48 it is a tie, which goes to even.
	products[1] = 0
	acc := startRow(1, 1, nil)
	acc.v[0] = 1
	acc.add(pack(1, stepK, nil, at), pack(1, stepK, nil, at), 0)
	if acc.v[0] != 1 {
		t.Errorf("a tie becomes %v, want 1", acc.v[0])
	}
}

func TestStepZeros(t *testing.T) {
	negative := math.Float32frombits(1 << 31)
	for _, c := range []struct {
		name string
		a, b num.F16
		c    float32
		want uint32
	}{
		{"all +0", 0, 0, 0, 0},
		{"all -0", 0x8000, 0x3c00, negative, 1 << 31},
		{"+0 accumulator", 0x8000, 0x3c00, 0, 0},
		{"+0 products", 0, 0x3c00, negative, 0},
		{"cancelled", 0x3c00, 0x3c00, -16, 0},
	} {
		left := pack(1, stepK, nil, func(_, _ int) num.F16 { return c.a })
		right := pack(1, stepK, nil, func(_, _ int) num.F16 { return c.b })
		acc := startRow(1, 1, nil)
		acc.v[0] = c.c
		acc.add(left, right, 0)
		if got := math.Float32bits(acc.v[0]); got != c.want {
			t.Errorf("%s: %#08x, want %#08x", c.name, got, c.want)
		}
	}
}

func TestStepSpecials(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b num.F16
		c    float32
		want float64
	}{
		{"inf", 0x7c00, 0x3c00, 1, math.Inf(1)},
		{"inf times zero", 0x7c00, 0, 1, math.NaN()},
		{"nan", 0x7e00, 0x3c00, 1, math.NaN()},
		{"inf accumulator", 0x3c00, 0x3c00, float32(math.Inf(-1)), math.Inf(-1)},
		{"nan accumulator", 0x3c00, 0x3c00, float32(math.NaN()), math.NaN()},
		{"overflow", 0x7bff, 0x7bff, math.MaxFloat32, math.MaxFloat32},
	} {
		left := pack(1, stepK, nil, func(_, k int) num.F16 { return map[bool]num.F16{true: c.a}[k == 5] })
		right := pack(1, stepK, nil, func(_, k int) num.F16 { return map[bool]num.F16{true: c.b}[k == 5] })
		acc := startRow(1, 1, nil)
		acc.v[0] = c.c
		acc.add(left, right, 0)
		if got := float64(acc.v[0]); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestChainRounding follows three steps by hand in each form of rounding.
func TestChainRounding(t *testing.T) {
	// Step sums of 2048, 1 and 1: f16 holds no odd number above 2048.
	value := func(k int) num.F16 {
		switch k {
		case 0:
			return num.F16FromFloat64(2048)
		case 16, 32:
			return num.F16FromFloat64(1)
		}
		return 0
	}
	for _, c := range []struct {
		every int
		want  float32
	}{{0, 2050}, {1, 2048}, {2, 2049}, {3, 2050}} {
		left := pack(1, 48, nil, func(_, k int) num.F16 { return value(k) })
		right := pack(1, 48, nil, func(_, _ int) num.F16 { return 0x3c00 })
		acc := startRow(1, 1, nil)
		acc.add(left, right, c.every)
		if acc.v[0] != c.want {
			t.Errorf("rounding every %d steps: %v, want %v", c.every, acc.v[0], c.want)
		}
	}
}

// TestOrder holds that order says which channels share a step.
func TestOrder(t *testing.T) {
	want := []int{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31}
	got := k32(64)
	for i, w := range want {
		if got[i] != w || got[i+32] != w+32 {
			t.Fatalf("k32 is %v", got)
		}
	}
}
