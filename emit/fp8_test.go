package emit_test

import (
	"testing"

	"kmx/internal/num"
)

// Pairs of e4m3 against the arithmetic of the models; NaN is 0x7f. All values are
// in the corpus.
func TestE4M3(t *testing.T) {
	code := func(h num.F16) uint64 { return uint64(num.ConvertE4M3(h)) }
	rows := []row{
		{"cvt.rn.satfinite.e4m3x2.f16x2 $d, $a;", "b16", []string{"f16x2"}, func(v []uint64) uint64 {
			return code(num.F16(v[0])) | code(num.F16(v[0]>>16))<<8
		}, 0},
		{"cvt.rn.f16x2.e4m3x2 $d, $a;", "f16x2", []string{"b16"}, func(v []uint64) uint64 {
			return uint64(num.E4M3(v[0]).F16()) | uint64(num.E4M3(v[0]>>8).F16())<<16
		}, 0},
		// there and back: every code but the NaNs
		{"{ .reg .b32 %x; cvt.rn.f16x2.e4m3x2 %x, $a; cvt.rn.satfinite.e4m3x2.f16x2 $d, %x; }", "b16", []string{"b16"}, func(v []uint64) uint64 {
			for _, shift := range []int{0, 8} {
				if v[0]>>shift&0x7f == 0x7f {
					v[0] &^= 0x80 << shift
				}
			}
			return v[0]
		}, 0},
	}
	runTable(t, rows, floatEdges, some()...)
}
