package emit_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"kmx/internal/num"
)

// whole rounds to a whole number the way a cvt modifier says.
var whole64 = map[string]func(float64) float64{
	"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil,
}

// toInteger saturates; a NaN is 0, of 64 bits 2^63.
func toInteger(x float64, n int, s bool) uint64 {
	if math.IsNaN(x) {
		if n == 64 {
			return 1 << 63
		}
		return 0
	}
	low, high := 0.0, math.Ldexp(1, n)
	if s {
		low, high = -math.Ldexp(1, n-1), math.Ldexp(1, n-1)
	}
	switch {
	case x < low:
		return uint64(int64(low))
	case x >= high && s:
		return 1<<(n-1) - 1
	case x >= high:
		return math.MaxUint64 >> (64 - n)
	case x < 0:
		return uint64(int64(x))
	}
	return uint64(x)
}

// fromInteger rounds an integer to f32 in a mode.
func fromInteger(v uint64, n int, s bool, mode big.RoundingMode) float32 {
	f := new(big.Float).SetPrec(24).SetMode(mode)
	if s {
		f.SetInt64(sign(v, n))
	} else {
		f.SetUint64(v)
	}
	r, _ := f.Float32()
	return r
}

func saturate(v uint64, from int, fromSigned bool, to int, toSigned bool) uint64 {
	x := new(big.Int).SetUint64(v)
	if fromSigned {
		x.SetInt64(sign(v, from))
	}
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(to))
	if toSigned {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	if x.Cmp(low) < 0 {
		x = low
	}
	if x.Cmp(high) > 0 {
		x = high
	}
	if x.Sign() < 0 {
		return uint64(x.Int64())
	}
	return x.Uint64()
}

// holder is the type of the register that holds a type: 16 bits at least.
func holder(t string) string {
	if sizeOf(t) == 8 {
		return "b16"
	}
	return fmt.Sprint("b", sizeOf(t))
}

// extended is v, of the type t, as it stands in the register after cvt.
func extended(v uint64, t string) uint64 {
	if t[0] == 's' {
		return uint64(sign(v, sizeOf(t)))
	}
	return cut(v, t)
}

func TestConversions(t *testing.T) {
	var rows []row
	integers := []string{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}
	for _, to := range integers {
		n, s := sizeOf(to), to[0] == 's'
		for _, from := range integers {
			m, fs := sizeOf(from), from[0] == 's'
			in := []string{holder(from)}
			rows = append(rows, row{fmt.Sprintf("cvt.%s.%s $d, $a;", to, from), holder(to), in, func(v []uint64) uint64 {
				x := cut(v[0], from)
				if fs {
					x = uint64(sign(x, m))
				}
				return extended(cut(x, to), to)
			}, 0}, row{fmt.Sprintf("cvt.sat.%s.%s $d, $a;", to, from), holder(to), in, func(v []uint64) uint64 {
				return extended(cut(saturate(cut(v[0], from), m, fs, n, s), to), to)
			}, 0})
		}
		for how, f := range whole64 {
			rows = append(rows, row{fmt.Sprintf("cvt.%s.%s.f32 $d, $a;", how, to), holder(to), []string{"f32"}, func(v []uint64) uint64 {
				return extended(cut(toInteger(f(float64(flush(f32(v[0])))), n, s), to), to)
			}, 0}, row{fmt.Sprintf("cvt.%s.%s.f16 $d, $a;", how, to), holder(to), []string{"f16"}, func(v []uint64) uint64 {
				return extended(cut(toInteger(f(num.F16(v[0]).Float64()), n, s), to), to)
			}, 0})
		}
		rows = append(rows, row{fmt.Sprintf("cvt.rn.f32.%s $d, $a;", to), "f32", []string{holder(to)}, func(v []uint64) uint64 {
			return bits32(fromInteger(cut(v[0], to), n, s, big.ToNearestEven))
		}, 0}, row{fmt.Sprintf("cvt.rz.f32.%s $d, $a;", to), "f32", []string{holder(to)}, func(v []uint64) uint64 {
			return bits32(fromInteger(cut(v[0], to), n, s, big.ToZero))
		}, 0}, row{fmt.Sprintf("cvt.rn.f16.%s $d, $a;", to), "f16", []string{holder(to)}, func(v []uint64) uint64 {
			x := new(big.Float).SetUint64(cut(v[0], to))
			if s {
				x.SetInt64(sign(cut(v[0], to), n))
			}
			d, _ := x.Float64() // rounds only what is infinite in f16
			return uint64(num.F16FromFloat64(d))
		}, 0})
	}
	slices.SortFunc(rows, func(a, b row) int { // maps have no order
		if a.text < b.text {
			return -1
		}
		return 1
	})
	for how, f := range whole64 {
		rows = append(rows, row{"cvt." + how + ".f32.f32 $d, $a;", "f32", []string{"f32"}, func(v []uint64) uint64 {
			return bits32(float32(f(float64(flush(f32(v[0])))))) // by the mode of the kernel
		}, 0}, row{"cvt." + how + ".ftz.f32.f32 $d, $a;", "f32", []string{"f32"}, func(v []uint64) uint64 {
			return bits32(float32(f(float64(flush(f32(v[0]))))))
		}, 0}, row{"cvt." + how + ".f16.f16 $d, $a;", "f16", []string{"f16"}, func(v []uint64) uint64 {
			return uint64(num.F16FromFloat64(f(num.F16(v[0]).Float64())))
		}, 0})
	}
	towardZero := func(x float32) num.F16 {
		h := num.F16FromFloat32(x)
		switch a := math.Abs(float64(x)); {
		case x != x || math.IsInf(float64(x), 0):
		case math.Abs(h.Float64()) > a:
			h--
		}
		return h
	}
	rows = append(rows,
		row{"cvt.rn.f16.f32 $d, $a;", "f16", []string{"f32"}, func(v []uint64) uint64 { return uint64(num.F16FromFloat32(f32(v[0]))) }, 0},
		row{"cvt.rz.f16.f32 $d, $a;", "f16", []string{"f32"}, func(v []uint64) uint64 { return uint64(towardZero(f32(v[0]))) }, 0},
		row{"cvt.rn.sat.f16.f32 $d, $a;", "f16", []string{"f32"}, func(v []uint64) uint64 {
			return uint64(num.F16FromFloat32(sat32(float32(num.F16FromFloat32(f32(v[0])).Float32()))))
		}, 0},
		row{"cvt.f32.f16 $d, $a;", "f32", []string{"f16"}, func(v []uint64) uint64 { return bits32(num.F16(v[0]).Float32()) }, 0},
		row{"cvt.ftz.f32.f16 $d, $a;", "f32", []string{"f16"}, func(v []uint64) uint64 { return bits32(num.F16(v[0]).Float32()) }, 0},
		row{"cvt.sat.f32.f32 $d, $a;", "f32", []string{"f32"}, func(v []uint64) uint64 { return bits32(sat32(flush(f32(v[0])))) }, 0},
		row{"cvt.ftz.sat.f32.f16 $d, $a;", "f32", []string{"f16"}, func(v []uint64) uint64 { return bits32(sat32(num.F16(v[0]).Float32())) }, 0},
		row{"cvt.f64.f32 $d, $a;", "f64", []string{"f32"}, func(v []uint64) uint64 { return math.Float64bits(float64(flush(f32(v[0])))) }, 0},
		row{"cvt.rn.f16x2.f32 $d, $a, $b;", "f16x2", []string{"f32", "f32"}, two(func(a, b uint64) uint64 {
			return uint64(num.F16FromFloat32(f32(a)))<<16 | uint64(num.F16FromFloat32(f32(b)))
		}), 0},
		row{"cvt.rz.f16x2.f32 $d, $a, $b;", "f16x2", []string{"f32", "f32"}, two(func(a, b uint64) uint64 {
			return uint64(towardZero(f32(a)))<<16 | uint64(towardZero(f32(b)))
		}), 0},
	)
	edges := append(slices.Clone(integerEdges), floatEdges...)
	runTable(t, rows, edges, some()...)
}
