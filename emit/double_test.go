package emit_test

import (
	"math"
	"testing"
)

// f64: what there is of it.
func TestDoubles(t *testing.T) {
	f := math.Float64frombits
	op := func(text string, n int, g func(a, b, c float64) float64) row {
		return row{text, "f64", []string{"f64", "f64", "f64"}[:n], func(v []uint64) uint64 {
			for len(v) < 3 {
				v = append(v, 0)
			}
			return math.Float64bits(g(f(v[0]), f(v[1]), f(v[2])))
		}, 0}
	}
	less := func(a, b float64) float64 {
		switch {
		case a != a:
			return b
		case b != b:
			return a
		}
		return math.Min(a, b)
	}
	rows := []row{
		op("add.f64 $d, $a, $b;", 2, func(a, b, _ float64) float64 { return a + b }),
		op("sub.rn.f64 $d, $a, $b;", 2, func(a, b, _ float64) float64 { return a - b }),
		op("mul.f64 $d, $a, $b;", 2, func(a, b, _ float64) float64 { return a * b }),
		op("fma.rn.f64 $d, $a, $b, $c;", 3, math.FMA),
		op("div.rn.f64 $d, $a, $b;", 2, func(a, b, _ float64) float64 { return a / b }),
		op("rcp.rn.f64 $d, $a;", 1, func(a, _, _ float64) float64 { return 1 / a }),
		op("min.f64 $d, $a, $b;", 2, func(a, b, _ float64) float64 { return less(a, b) }),
		op("max.f64 $d, $a, $b;", 2, func(a, b, _ float64) float64 { return -less(-a, -b) }),
		op("abs.f64 $d, $a;", 1, func(a, _, _ float64) float64 { return math.Abs(a) }),
		op("neg.f64 $d, $a;", 1, func(a, _, _ float64) float64 { return -a }),
		op("copysign.f64 $d, $a, $b;", 2, func(a, b, _ float64) float64 { return math.Copysign(b, a) }),
		op("add.f64 $d, $a, 0d3FF8000000000000;", 1, func(a, _, _ float64) float64 { return a + 1.5 }),
		op("cvt.rni.f64.f64 $d, $a;", 1, func(a, _, _ float64) float64 { return math.RoundToEven(a) }),
		{"setp.ltu.f64 $d, $a, $b;", "pred", []string{"f64", "f64"}, two(func(a, b uint64) uint64 { return truth(!(f(a) >= f(b))) }), 0},
		{"cvt.rn.f32.f64 $d, $a;", "f32", []string{"f64"}, func(v []uint64) uint64 { return bits32(flush(float32(f(v[0])))) }, 0},
		{"cvt.rn.f64.s64 $d, $a;", "f64", []string{"s64"}, func(v []uint64) uint64 { return math.Float64bits(float64(int64(v[0]))) }, 0},
		{"cvt.rn.f64.u64 $d, $a;", "f64", []string{"u64"}, func(v []uint64) uint64 { return math.Float64bits(float64(v[0])) }, 0},
		{"cvt.rn.f64.s32 $d, $a;", "f64", []string{"s32"}, func(v []uint64) uint64 { return math.Float64bits(float64(int32(v[0]))) }, 0},
	}
	edges := []uint64{
		0, 1 << 63, 1, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000, 0xbfe0000000000000,
		0x4008000000000000, 0x400921fb54442d18, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x3ca0000000000000,
		0x4340000000000000, 0x4330000000000001, 0x38100000000fffff, 0x47efffffe0000000, 0x47effffff0000000, 0x3ff0000010000000, 0x7e37e43c8800759c, 0x0020000000000001,
		0x36a0000000000000, 0x3690000000000001, 0x3fd5555555555555, 0x43e0000000000000,
	}
	runTable(t, rows, edges, some()...)
}
