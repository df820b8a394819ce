package emu

import (
	"math"
	"testing"
)

// Every pair out of a set of f16 that has all kinds, and the same as f32 and
// f64: order, minimum and maximum agree with the host's comparisons.
func TestOrder(t *testing.T) {
	xs := edges16(seeded(), 40)
	const m = modeDenormals
	for _, a := range xs {
		for _, b := range xs {
			x, y := widenF16(a), widenF16(b)
			want := fpUnordered
			switch {
			case x < y:
				want = fpLess
			case x == y:
				want = fpEqual
			case x > y:
				want = fpGreater
			}
			a32, b32 := math.Float32bits(float32(x)), math.Float32bits(float32(y))
			a64, b64 := math.Float64bits(x), math.Float64bits(y)
			if cmpF16(m, a, b) != want || cmpF32(m, a32, b32) != want || cmpF64(m, a64, b64) != want {
				t.Fatalf("order of %v and %v is not %d", x, y, want)
			}
			low, high := math.Min(x, y), math.Max(x, y) // order zeros
			if want == fpUnordered {
				low, high = math.NaN(), math.NaN()
			}
			checkMinMax(t, "minimum", x, y, low, minimumF16(m, a, b), minimumF32(m, a32, b32), minimumF64(m, a64, b64))
			checkMinMax(t, "maximum", x, y, high, maximumF16(m, a, b), maximumF32(m, a32, b32), maximumF64(m, a64, b64))
			if x != x {
				low, high = y, y
			} else if y != y {
				low, high = x, x
			}
			checkMinMax(t, "minNum", x, y, low, minNumF16(m, a, b), minNumF32(m, a32, b32), minNumF64(m, a64, b64))
			checkMinMax(t, "maxNum", x, y, high, maxNumF16(m, a, b), maxNumF32(m, a32, b32), maxNumF64(m, a64, b64))
		}
	}
}

func checkMinMax(t *testing.T, op string, x, y, want float64, h uint16, f uint32, d uint64) {
	t.Helper()
	if want != want {
		if h&nanF16 != nanF16 || f&nanF32 != nanF32 || d&nanF64 != nanF64 {
			t.Fatalf("%s of %v and %v is no quiet NaN", op, x, y)
		}
		return
	}
	if h != nearestF16(want) || f != math.Float32bits(float32(want)) || d != math.Float64bits(want) {
		t.Fatalf("%s of %v and %v = %04x %08x %016x, want %v", op, x, y, h, f, d, want)
	}
}

func TestSignallingNaN(t *testing.T) {
	const signalling = infF32 | 1
	if got := minNumF32(modeDenormals, signalling, 0x3f800000); got != 0x3f800000 {
		t.Errorf("without the IEEE flag: %08x", got)
	}
	if got := maxNumF32(modeDenormals|modeIEEE, 0x3f800000, signalling); got != signalling|1<<22 {
		t.Errorf("with the IEEE flag: %08x", got)
	}
	if got := minNumF32(modeDenormals|modeIEEE, nanF32, 0x3f800000); got != 0x3f800000 {
		t.Errorf("a quiet NaN with the IEEE flag: %08x", got)
	}
}

func TestMed3(t *testing.T) {
	xs := edges16(seeded(), 6)
	const m = modeDenormals
	for _, a := range xs {
		for _, b := range xs {
			for _, c := range xs {
				got := med3F16(m, a, b, c)
				got32 := med3F32(m, cvtF32F16(m, a), cvtF32F16(m, b), cvtF32F16(m, c))
				if !isNaNF16(got) && cvtF32F16(m, got) != got32 {
					t.Fatalf("med3 of %04x %04x %04x: f16 %04x, f32 %08x", a, b, c, got, got32)
				}
				x, y, z := widenF16(a), widenF16(b), widenF16(c)
				if x != x || y != y || z != z {
					if want := minNumF16(m, minNumF16(m, a, b), c); got != want {
						t.Fatalf("med3 with NaN of %04x %04x %04x = %04x, want %04x", a, b, c, got, want)
					}
					continue
				}
				v, below, above := widenF16(got), 0, 0
				for _, w := range []float64{x, y, z} {
					if w < v {
						below++
					}
					if w > v {
						above++
					}
				}
				if below > 1 || above > 1 || got != a && got != b && got != c {
					t.Fatalf("med3 of %v %v %v = %v", x, y, z, v)
				}
			}
		}
	}
}

func TestClass(t *testing.T) {
	for n := range 1 << 16 {
		h := uint16(n)
		v := widenF16(h)
		want := uint32(classPositiveNormal)
		switch {
		case v != v:
			if want = classSignallingNaN; h&(1<<9) != 0 {
				want = classQuietNaN
			}
		case math.IsInf(v, 1):
			want = classPositiveInf
		case math.IsInf(v, -1):
			want = classNegativeInf
		case v == 0:
			if want = classPositiveZero; math.Signbit(v) {
				want = classNegativeZero
			}
		case math.Abs(v) < 0x1p-14:
			if want = classPositiveDenormal; v < 0 {
				want = classNegativeDenormal
			}
		case v < 0:
			want = classNegativeNormal
		}
		for bit := range 10 {
			if got := classF16(h, 1<<bit); got != (want == 1<<bit) {
				t.Fatalf("class %d of %04x: %v", bit, h, got)
			}
		}
	}
	for x, class := range map[uint32]uint32{1: classPositiveDenormal, signF32 | 0x7fffff: classNegativeDenormal, 0x800000: classPositiveNormal, infF32 | 1: classSignallingNaN, nanF32: classQuietNaN, signF32: classNegativeZero} {
		if !classF32(x, class) || classF32(x, ^class) {
			t.Errorf("class of %08x is not %x", x, class)
		}
	}
	for x, class := range map[uint64]uint32{1: classPositiveDenormal, 1 << 52: classPositiveNormal, infF64 | 1: classSignallingNaN, infF64 | signF64: classNegativeInf} {
		if !classF64(x, class) || classF64(x, ^class) {
			t.Errorf("class of %016x is not %x", x, class)
		}
	}
}

func TestClamp(t *testing.T) {
	for n := range 1 << 16 {
		h := uint16(n)
		v := widenF16(h)
		got := modeDenormals.clampF16(h)
		got32 := modeDenormals.clampF32(math.Float32bits(float32(v)))
		got64 := modeDenormals.clampF64(math.Float64bits(v))
		if v != v {
			if !isNaNF16(got) || (modeDenormals|modeClampNaN).clampF16(h) != 0 || (modeDenormals|modeClampNaN).clampF32(got32) != 0 {
				t.Fatalf("clamp of NaN %04x", h)
			}
			continue
		}
		want := max(0, min(v, 1))
		if want == 0 {
			want = 0 // never -0
		}
		if widenF16(got) != want || math.Float32frombits(got32) != float32(want) || math.Float64frombits(got64) != want {
			t.Fatalf("clamp of %v", v)
		}
	}
	if got := modeDenormals.omodF32(0x3f800000, 3); got != 0x3f000000 {
		t.Errorf("omod: 1 / 2 = %08x", got)
	}
	if got := modeDenormals.omodF16(0x3c00, 2); got != 0x4400 {
		t.Errorf("omod: 1 * 4 = %04x", got)
	}
	if got := modeDenormals.omodF64(0x3ff0000000000000, 1); got != 0x4000000000000000 {
		t.Errorf("omod: 1 * 2 = %016x", got)
	}
}
