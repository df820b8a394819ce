package emu

import "testing"

// Both kinds of minimum and maximum follow MODE for denormals: operands become
// zeros of their sign before they are compared, a result after.
func TestMinMaxDenormals(t *testing.T) {
	modes := map[string]struct {
		m              fpMode
		source, result bool // kept
	}{
		"flushed": {0, false, false}, "operands kept": {denormKeepSource<<4 | denormKeepSource<<6, true, false},
		"results kept": {denormKeepResult<<4 | denormKeepResult<<6, false, true}, "kept": {modeDenormals, true, true},
	}
	for name, mode := range modes {
		keep := mode.source && mode.result
		zero := func(x, sign uint64) uint64 {
			if keep {
				return x
			}
			return x & sign
		}
		for _, f := range []struct {
			what              string
			get               func(a, b uint64) uint64
			sign, lo, hi, one uint64 // of the width; lo and hi: the smallest and the largest denormal
			max               bool
		}{
			{"v_min_num_f32", f32MinMax(mode.m, minNumF32), signF32, 1, 0x7fffff, 0x3f800000, false},
			{"v_max_num_f32", f32MinMax(mode.m, maxNumF32), signF32, 1, 0x7fffff, 0x3f800000, true},
			{"v_minimum_f32", f32MinMax(mode.m, minimumF32), signF32, 1, 0x7fffff, 0x3f800000, false},
			{"v_maximum_f32", f32MinMax(mode.m, maximumF32), signF32, 1, 0x7fffff, 0x3f800000, true},
			{"v_min_num_f16", f16MinMax(mode.m, minNumF16), signF16, 1, 0x3ff, 0x3c00, false},
			{"v_max_num_f16", f16MinMax(mode.m, maxNumF16), signF16, 1, 0x3ff, 0x3c00, true},
			{"v_minimum_f16", f16MinMax(mode.m, minimumF16), signF16, 1, 0x3ff, 0x3c00, false},
			{"v_maximum_f16", f16MinMax(mode.m, maximumF16), signF16, 1, 0x3ff, 0x3c00, true},
			{"v_min_num_f64", f64MinMax(mode.m, minNumF64), signF64, 1, 1<<52 - 1, 0x3ff << 52, false},
			{"v_max_num_f64", f64MinMax(mode.m, maxNumF64), signF64, 1, 1<<52 - 1, 0x3ff << 52, true},
			{"v_minimum_f64", f64MinMax(mode.m, minimumF64), signF64, 1, 1<<52 - 1, 0x3ff << 52, false},
			{"v_maximum_f64", f64MinMax(mode.m, maximumF64), signF64, 1, 1<<52 - 1, 0x3ff << 52, true},
		} {
			// the two operands, the lesser first
			for _, c := range [][2]uint64{
				{f.lo, f.hi}, {f.hi | f.sign, f.lo | f.sign}, {f.lo | f.sign, f.hi}, {f.lo, f.one}, {f.one | f.sign, f.hi | f.sign}, {f.sign, f.lo}, {f.hi | f.sign, 0},
			} {
				want := c[0]
				if f.max {
					want = c[1]
				}
				if want&^f.sign <= f.hi {
					want = zero(want, f.sign)
				}
				for _, got := range []uint64{f.get(c[0], c[1]), f.get(c[1], c[0])} {
					if got != want {
						t.Errorf("%s, %s: of %#x and %#x it gives %#x, want %#x", name, f.what, c[0], c[1], got, want)
					}
				}
			}
		}
	}
}

func f32MinMax(m fpMode, f func(fpMode, uint32, uint32) uint32) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 { return uint64(f(m, uint32(a), uint32(b))) }
}

func f16MinMax(m fpMode, f func(fpMode, uint16, uint16) uint16) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 { return uint64(f(m, uint16(a), uint16(b))) }
}

func f64MinMax(m fpMode, f func(fpMode, uint64, uint64) uint64) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 { return f(m, a, b) }
}
