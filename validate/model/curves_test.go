package model

import (
	"math"
	"testing"

	"kmx/internal/num"
)

// TestGelu compares with the polynomial in float64 and holds its limits.
func TestGelu(t *testing.T) {
	for i := range 1 << 16 {
		h := num.F16(i)
		if h.IsNaN() || h.IsInf() {
			continue
		}
		x := h.Float64()
		c := max(-2, min(2, x))
		want := x * (0.5 + c*(0.41216215-0.08108108*math.Abs(c)))
		if got := gelu(h).Float64(); math.Abs(got-want) > 0.002*math.Abs(x)+1.0/(1<<23) {
			t.Fatalf("gelu(%v) = %v, want about %v", x, got, want)
		}
	}
	for x, want := range map[float64]float64{0: 0, -2: 0, -100: 0, 2: 2, 100: 100} {
		if got := gelu(num.F16FromFloat64(x)).Float64(); math.Abs(got-want) > 0.001*math.Abs(x) {
			t.Errorf("gelu(%v) = %v", x, got)
		}
	}
}

// TestExponent compares M's bit trick with an exponential: over the range of
// scores its logarithm rises evenly, to within the trick's own error.
func TestExponent(t *testing.T) {
	m := &m{}
	scores := NewValues(1, 16)
	for i := range scores.V {
		scores.V[i] = num.F16FromFloat64(float64(i)*4 - 30)
	}
	weights := map[string]Values{}
	m.softmax(scores, func(name string, v Values) { weights[name] = v })
	e := weights["exp"]
	for i := 1; i < 16; i++ {
		ratio := e.V[i].Float64() / e.V[i-1].Float64()
		if ratio < 1.2 || ratio > 8 {
			t.Errorf("from score %v to %v the weight grows by %v", scores.V[i-1].Float64(), scores.V[i].Float64(), ratio)
		}
	}
	// The halves of a word carry into each other: the low half of the sum
	// overflows for every value that can occur.
	for bits := num.F16(0x3c1f); bits <= 0x3ee0; bits++ {
		lo, hi := exponent(bits, 0x3d80)
		if want := num.F16(0x3d80<<5&0xffff + uint32(bits)>>11 + 0x7ff8 + 1); hi != want || lo != num.F16(uint32(bits)<<5+0x8000) {
			t.Fatalf("%#04x: %#04x %#04x, want high %#04x", bits, lo, hi, want)
		}
	}
}
