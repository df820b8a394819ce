package emu

import (
	"math"
	"testing"
)

func TestArithF32(t *testing.T) {
	r := seeded()
	xs := edges32(r, 12)
	for _, m := range modes() {
		for _, a := range xs {
			for _, b := range xs {
				c := xs[r.IntN(len(xs))]
				checkFMA32(t, "fma", m, fmaF32(m, a, b, c), a, b, c)
				checkFMA32(t, "add", m, addF32(m, a, b), a, 0x3f800000, b)
				checkFMA32(t, "sub", m, subF32(m, a, b), a, 0x3f800000, b^signF32)
				if p := mulF32(m, a, b); m.value32(a)*m.value32(b) != 0 {
					checkFMA32(t, "mul", m, p, a, b, 0)
				} else if p != (a^b)&signF32 {
					t.Fatalf("mode %x: %08x * %08x = %08x, not zero of its sign", m, a, b, p)
				}
			}
		}
	}
}

func checkFMA32(t *testing.T, op string, m fpMode, got, a, b, c uint32) {
	t.Helper()
	x, y, z := m.value32(a), m.value32(b), m.value32(c)
	v, negativeZero, special, isSpecial := refFMA(m.round32(), x, y, z)
	switch {
	case isSpecial && special != special:
		if got&nanF32 != nanF32 {
			t.Fatalf("mode %x: %s of %08x %08x %08x = %08x, not a quiet NaN", m, op, a, b, c, got)
		}
		return
	case isSpecial:
		if got != math.Float32bits(float32(special)) {
			t.Fatalf("mode %x: %s of %08x %08x %08x = %08x, want %v", m, op, a, b, c, got, special)
		}
		return
	}
	if want := ref32(m, v, negativeZero); got != want {
		t.Fatalf("mode %x: %s of %08x %08x %08x = %08x, want %08x", m, op, a, b, c, got, want)
	}
}

func TestArithF16(t *testing.T) {
	r := seeded()
	xs := edges16(r, 12)
	for _, m := range modes() {
		for _, a := range xs {
			for _, b := range xs {
				c := xs[r.IntN(len(xs))]
				checkFMA16(t, "fma", m, fmaF16(m, a, b, c), a, b, c)
				checkFMA16(t, "add", m, addF16(m, a, b), a, 0x3c00, b)
				checkFMA16(t, "sub", m, subF16(m, a, b), a, 0x3c00, b^signF16)
				if p := mulF16(m, a, b); m.value16(a)*m.value16(b) != 0 {
					checkFMA16(t, "mul", m, p, a, b, 0)
				} else if p != (a^b)&signF16 {
					t.Fatalf("mode %x: %04x * %04x = %04x, not zero of its sign", m, a, b, p)
				}
			}
		}
	}
}

func checkFMA16(t *testing.T, op string, m fpMode, got, a, b, c uint16) {
	t.Helper()
	x, y, z := m.value16(a), m.value16(b), m.value16(c)
	v, negativeZero, special, isSpecial := refFMA(m.round16(), x, y, z)
	switch {
	case isSpecial && special != special:
		if got&nanF16 != nanF16 {
			t.Fatalf("mode %x: %s of %04x %04x %04x = %04x, not a quiet NaN", m, op, a, b, c, got)
		}
		return
	case isSpecial:
		if got != nearestF16(special) {
			t.Fatalf("mode %x: %s of %04x %04x %04x = %04x, want %v", m, op, a, b, c, got, special)
		}
		return
	}
	if want := ref16(m, v, negativeZero); got != want {
		t.Fatalf("mode %x: %s of %04x %04x %04x = %04x, want %04x", m, op, a, b, c, got, want)
	}
}

// Every f16 with some others, in the usual mode, on integers: an f16 is a
// multiple of 2^-24.
func TestArithF16AllOperands(t *testing.T) {
	r := seeded()
	for a := range 1 << 16 {
		x := uint16(a)
		if isNaNF16(x) || x&infF16 == infF16 {
			continue
		}
		for range 6 {
			y := uint16(r.Uint32())
			if y&infF16 == infF16 {
				continue
			}
			checkFMA16(t, "add", modeDenormals, addF16(modeDenormals, x, y), x, 0x3c00, y)
			z := uint16(r.Uint32())
			checkFMA16(t, "fma", modeDenormals, fmaF16(modeDenormals, x, y, z), x, y, z)
		}
	}
}

func TestArithF64(t *testing.T) {
	r := seeded()
	xs := edges64(r, 6)
	for _, m := range modes() {
		for _, a := range xs {
			for _, b := range xs {
				c := xs[r.IntN(len(xs))]
				checkFMA64(t, "fma", m, fmaF64(m, a, b, c), a, b, c)
				checkFMA64(t, "add", m, addF64(m, a, b), a, 0x3ff0000000000000, b)
				if m.value64(a)*m.value64(b) != 0 {
					checkFMA64(t, "mul", m, mulF64(m, a, b), a, b, 0)
				}
			}
		}
	}
}

func checkFMA64(t *testing.T, op string, m fpMode, got, a, b, c uint64) {
	t.Helper()
	x, y, z := m.value64(a), m.value64(b), m.value64(c)
	v, negativeZero, special, isSpecial := refFMA(m.round16(), x, y, z)
	if isSpecial {
		// refFMA's f64 arithmetic overflows; only infinite operands count.
		if special != special && got&nanF64 != nanF64 || special == special && got != math.Float64bits(special) {
			t.Fatalf("mode %x: %s of %016x %016x %016x = %016x, want %v", m, op, a, b, c, got, special)
		}
		return
	}
	if v.Sign() == 0 && x*y != 0 && op == "mul" {
		return
	}
	if want := ref64(m, v, negativeZero); got != want {
		t.Fatalf("mode %x: %s of %016x %016x %016x = %016x, want %016x", m, op, a, b, c, got, want)
	}
}

func TestLdexp(t *testing.T) {
	r := seeded()
	for _, m := range modes() {
		for _, e := range []int32{0, 1, -1, 10, -10, -24, 24, 64, -64, -140, 140, 300, -300, math.MaxInt32, math.MinInt32} {
			by := int(max(-4000, min(e, 4000)))
			for _, x := range edges32(r, 10) {
				if x&infF32 != infF32 {
					v := exactBig().SetMantExp(exact(m.value32(x)), by)
					if got, want := ldexpF32(m, x, e), ref32(m, v, x&signF32 != 0); got != want {
						t.Fatalf("mode %x: ldexp(%08x, %d) = %08x, want %08x", m, x, e, got, want)
					}
				}
			}
			for _, x := range edges16(r, 10) {
				if x&infF16 != infF16 && e == int32(int16(e)) {
					v := exactBig().SetMantExp(exact(m.value16(x)), by)
					if got, want := ldexpF16(m, x, int16(e)), ref16(m, v, x&signF16 != 0); got != want {
						t.Fatalf("mode %x: ldexp(%04x, %d) = %04x, want %04x", m, x, e, got, want)
					}
				}
			}
			for _, x := range edges64(r, 5) {
				if x&infF64 != infF64 {
					v := exactBig().SetMantExp(exact(m.value64(x)), by)
					if got, want := ldexpF64(m, x, e), ref64(m, v, x&signF64 != 0); got != want {
						t.Fatalf("mode %x: ldexp(%016x, %d) = %016x, want %016x", m, x, e, got, want)
					}
				}
			}
		}
	}
}

// Splitting a number into mantissa and exponent, and into integer and fraction,
// for every f16 and the same numbers as f32 and f64.
func TestParts(t *testing.T) {
	const m = modeDenormals
	for n := range 1 << 16 {
		h := uint16(n)
		if h&infF16 == infF16 {
			continue
		}
		v := widenF16(h)
		f, d := math.Float32bits(float32(v)), math.Float64bits(v)
		if got := math.Ldexp(widenF16(frexpMantF16(m, h)), int(frexpExpF16(m, h))); got != v {
			t.Fatalf("f16 %04x: mantissa and exponent give %v", h, got)
		}
		if frexpExpF32(m, f) != int32(frexpExpF16(m, h)) || frexpExpF64(m, d) != frexpExpF32(m, f) {
			t.Fatalf("%v: exponents differ", v)
		}
		if v != 0 && (math.Abs(widenF16(frexpMantF16(m, h))) < 0.5 || math.Abs(widenF16(frexpMantF16(m, h))) >= 1) {
			t.Fatalf("f16 %04x: mantissa out of [0.5, 1)", h)
		}
		if math.Float32frombits(frexpMantF32(m, f)) != float32(widenF16(frexpMantF16(m, h))) || math.Float64frombits(frexpMantF64(m, d)) != widenF16(frexpMantF16(m, h)) {
			t.Fatalf("%v: mantissas differ", v)
		}
		want := math.Floor(v)
		if widenF16(floorF16(m, h)) != want || math.Float32frombits(floorF32(m, f)) != float32(want) || math.Float64frombits(floorF64(m, d)) != want {
			t.Fatalf("floor of %v", v)
		}
		if got := widenF16(fractF16(m, h)); got < 0 || got >= 1 || math.Abs(got-(v-want)) > 0x1p-11 {
			t.Fatalf("fract of %v = %v", v, got)
		}
		if got := math.Float32frombits(fractF32(m, f)); got < 0 || got >= 1 || math.Abs(float64(got)-(v-want)) > 0x1p-24 {
			t.Fatalf("f32 fract of %v = %v", v, got)
		}
		if got := math.Float64frombits(fractF64(m, d)); got != v-want {
			t.Fatalf("f64 fract of %v = %v", v, got)
		}
		if widenF16(ceilF16(m, h)) != -math.Floor(-v) || widenF16(truncF16(m, h)) != math.Trunc(v) {
			t.Fatalf("ceil or trunc of %v", v)
		}
		if rndne := widenF16(rndneF16(m, h)); math.Abs(rndne-v) > 0.5 || rndne != math.Trunc(rndne) || math.Abs(rndne-v) == 0.5 && math.Mod(rndne, 2) != 0 {
			t.Fatalf("rndne of %v = %v", v, rndne)
		}
	}
}
