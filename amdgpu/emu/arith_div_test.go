package emu

import (
	"math"
	"testing"
)

// The division that compilers make of these instructions gives the correctly
// rounded quotient for all kinds of operands.
func TestDivisionF32(t *testing.T) {
	const m = modeDenormals
	r := seeded()
	xs := edges32(r, 150)
	for _, num := range xs {
		for _, den := range xs {
			x, y := math.Float32frombits(num), math.Float32frombits(den)
			want := math.Float32bits(x / y)
			got := divideF32(m, num, den)
			if isNaNF32(want) {
				if !isNaNF32(got) {
					t.Fatalf("%v / %v = %08x, want NaN", x, y, got)
				}
				continue
			}
			if got != want {
				t.Fatalf("%v / %v (%08x / %08x) = %08x, want %08x", x, y, num, den, got, want)
			}
		}
	}
}

// divideF32 is the sequence of LLVM's lowering of a full-precision fdiv.
func divideF32(m fpMode, num, den uint32) uint32 {
	neg := func(x uint32) uint32 { return x ^ signF32 }
	const one = 0x3f800000
	d, _ := divScaleF32(m, den, den, num)
	n, scaled := divScaleF32(m, num, den, num)
	rcp := rcpF32(m, d, 0)
	e := fmaF32(m, neg(d), rcp, one)
	rcp = fmaF32(m, e, rcp, rcp)
	q := mulF32(m, n, rcp)
	rest := fmaF32(m, neg(d), q, n)
	q = fmaF32(m, rest, rcp, q)
	rest = fmaF32(m, neg(d), q, n)
	q = divFmasF32(m, rest, rcp, q, scaled)
	return divFixupF32(m, q, den, num)
}

func TestDivisionF64(t *testing.T) {
	const m = modeDenormals
	r := seeded()
	xs := edges64(r, 60)
	neg := func(x uint64) uint64 { return x ^ signF64 }
	const one = 1023 << 52
	for _, num := range xs {
		for _, den := range xs {
			d, _ := divScaleF64(m, den, den, num)
			n, scaled := divScaleF64(m, num, den, num)
			rcp := rcpF64(m, d)
			for range 2 {
				rcp = fmaF64(m, fmaF64(m, neg(d), rcp, one), rcp, rcp)
			}
			q := mulF64(m, n, rcp)
			q = divFmasF64(m, fmaF64(m, neg(d), q, n), rcp, q, scaled)
			got := divFixupF64(m, q, den, num)
			want := math.Float64bits(math.Float64frombits(num) / math.Float64frombits(den))
			if isNaNF64(want) {
				if !isNaNF64(got) {
					t.Fatalf("%016x / %016x = %016x, want NaN", num, den, got)
				}
				continue
			}
			if got != want {
				t.Fatalf("%016x / %016x = %016x, want %016x", num, den, got, want)
			}
		}
	}
}

func TestDivFixupF16(t *testing.T) {
	xs := edges16(seeded(), 60)
	for _, num := range xs {
		for _, den := range xs {
			v := widenF16(num) / widenF16(den)
			got := divFixupF16(modeDenormals, nearestF16(v)^signF16, den, num)
			want := nearestF16(v)
			if v != v {
				if !isNaNF16(got) {
					t.Fatalf("%04x / %04x = %04x, want NaN", num, den, got)
				}
			} else if got != want {
				t.Fatalf("%04x / %04x = %04x, want %04x", num, den, got, want)
			}
		}
	}
}
