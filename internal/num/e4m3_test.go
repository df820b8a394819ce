package num

import (
	"math"
	"testing"
)

// e4m3Value is the value by the format's definition; e must not be NaN.
func e4m3Value(e E4M3) float64 {
	exp, frac := int(e>>3&15), float64(e&7)
	v := math.Ldexp(frac, -9)
	if exp > 0 {
		v = math.Ldexp(8+frac, exp-10)
	}
	return math.Copysign(v, map[bool]float64{true: -1, false: 1}[e&0x80 != 0])
}

func TestDecodeEveryE4M3(t *testing.T) {
	for i := range 256 {
		e := E4M3(i)
		if e.IsNaN() {
			if !e.F16().IsNaN() || e.F16()&0x8000 != F16(e&0x80)<<8 {
				t.Errorf("%#02x decodes to %#04x, not to a NaN of its sign", i, uint16(e.F16()))
			}
			continue
		}
		want := e4m3Value(e)
		if got := float64(e.Float32()); got != want || math.Signbit(got) != math.Signbit(want) || e.F16().Float64() != want {
			t.Errorf("%#02x is %v, want %v", i, got, want)
		}
		if back := EncodeE4M3(e.F16()); back != e {
			t.Errorf("%#02x comes back as %#02x", i, uint8(back))
		}
	}
	if v := e4m3Value(0x7e); v != 448 {
		t.Errorf("the largest is %v", v)
	}
}

func TestEncodeEveryE4M3(t *testing.T) {
	for i := range 1 << 16 {
		h := F16(i)
		sign := E4M3(h>>8) & 0x80
		want := sign | 0x7f
		if !h.IsNaN() {
			x := math.Abs(h.Float64())
			best := E4M3(0)
			for e := range E4M3(0x7f) {
				d, b := math.Abs(e4m3Value(e)-x), math.Abs(e4m3Value(best)-x)
				if d < b || d == b && e&1 == 0 {
					best = e
				}
			}
			if x >= 464 {
				best = 0x7e
			}
			want = sign | best
		}
		if got := EncodeE4M3(h); got != want {
			t.Fatalf("%#04x encodes to %#02x, want %#02x", i, uint8(got), uint8(want))
		}
		if h.IsNaN() {
			want = 0x7f
		}
		if got := ConvertE4M3(h); got != want {
			t.Fatalf("%#04x converts to %#02x, want %#02x", i, uint8(got), uint8(want))
		}
		if !h.IsNaN() && Q8(h).Float64() != e4m3Value(want) {
			t.Fatalf("Q8(%#04x) is %v", i, Q8(h).Float64())
		}
	}
}
