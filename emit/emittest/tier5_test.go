package emittest_test

import (
	"testing"

	"kmx/emit/emittest"
	"kmx/internal/num"
)

// TestE4M3 holds the numbers that the device functions are judged by against what
// an NVIDIA GPU converts: all codes, all halves.
func TestE4M3(t *testing.T) {
	cases, err := emittest.Cases(tier5)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, c := range cases {
		switch c.Name {
		case "e4m3_decode_all":
			checked++
			for code := range 256 {
				got, want := num.E4M3(code).F16(), num.F16(c.Params[0].Type.Get(c.Want[0], code))
				if got != want && !(got.IsNaN() && want.IsNaN()) {
					t.Errorf("code %#02x is %#04x, the GPU gave %#04x", code, got, want)
				}
			}
		case "e4m3_encode_all_f16":
			checked++
			for h := range 1 << 16 {
				if got, want := num.ConvertE4M3(num.F16(h)), num.E4M3(c.Want[0][h]); got != want {
					t.Errorf("half %#04x becomes %#02x, the GPU gave %#02x", h, got, want)
				}
			}
		}
	}
	if checked != 2 {
		t.Errorf("%d kernels were found", checked)
	}
}
