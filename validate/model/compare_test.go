package model

import (
	"math"
	"testing"

	"kmx/validate/layout"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name      string
		family    layout.Family
		ref, got  []byte
		want      Difference
		tolerance float64
	}{
		{"equal", layout.K, []byte{0, 0x3c, 0, 0x7e}, []byte{0, 0x3c, 1, 0xfe}, Difference{2, 2, 0, 0, math.Inf(1), -1}, 0},
		// 1 against 1 + 2^-10, next to an equal 4: 20 log10(4) - 10 log10(2^-20 / 2).
		{"one ulp", layout.K, []byte{0, 0x3c, 0, 0x44}, []byte{1, 0x3c, 0, 0x44}, Difference{2, 1, 0, 1, 75.26, 0}, 0.01},
		{"nan", layout.K, []byte{0, 0x3c, 0, 0x3c}, []byte{0, 0x3c, 0, 0x7e}, Difference{2, 1, 1, 0, math.NaN(), 1}, 0},
		{"zeros", layout.K, []byte{0, 0}, []byte{0, 0x80}, Difference{1, 0, 0, 1, math.Inf(1), 0}, 0},
		{"across zero", layout.M, []byte{1, 0x38}, []byte{0x81, 0x38}, Difference{2, 1, 0, 3, 51.18, 0}, 0.01},
	} {
		d, err := Compare(c.family, c.ref, c.got)
		if err != nil {
			t.Fatal(err)
		}
		psnr := d.PSNR == c.want.PSNR || math.IsNaN(d.PSNR) && math.IsNaN(c.want.PSNR) || math.Abs(d.PSNR-c.want.PSNR) < c.tolerance
		d.PSNR, c.want.PSNR = 0, 0
		if d != c.want || !psnr {
			t.Errorf("%s: %+v, want %+v", c.name, d, c.want)
		}
	}
	if _, err := Compare(layout.K, make([]byte, 4), make([]byte, 2)); err == nil {
		t.Error("different lengths are compared")
	}
	if _, err := Compare(layout.K, make([]byte, 3), make([]byte, 3)); err == nil {
		t.Error("half a number is compared")
	}
}
