package emu

import (
	"math"
	"testing"
)

// f16 to f32 and back is the identity for all f16 (NaN becomes quiet), and the
// values are those of the format's definition.
func TestConvertF16(t *testing.T) {
	for n := range 1 << 16 {
		h := uint16(n)
		f := cvtF32F16(modeDenormals, h)
		back := cvtF16F32(modeDenormals, f)
		if isNaNF16(h) {
			if back != h|1<<9 {
				t.Fatalf("NaN %04x becomes %08x and %04x", h, f, back)
			}
			continue
		}
		exponent, mantissa := int(h>>10&31), float64(h&0x3ff)
		want := math.Ldexp(mantissa, -24)
		if exponent > 0 {
			want = math.Ldexp(mantissa+1024, exponent-25)
		}
		if exponent == 31 {
			want = math.Inf(1)
		}
		if h&signF16 != 0 {
			want = -want
		}
		if got := math.Float32frombits(f); float64(got) != want || math.Signbit(float64(got)) != (h&signF16 != 0) {
			t.Fatalf("%04x is %v, want %v", h, got, want)
		}
		if back != h {
			t.Fatalf("%04x comes back as %04x", h, back)
		}
	}
}

func TestConvertToF16(t *testing.T) {
	r := seeded()
	xs := edges32(r, 3000)
	// All ties between neighbours, and the numbers beside them.
	for h := range uint32(infF16) {
		tie := math.Float32bits(float32((widenF16(uint16(h)) + widenF16(uint16(h+1))) / 2))
		if h+1 < infF16 {
			xs = append(xs, tie, tie-1, tie+1, tie|signF32)
		}
	}
	for i, m := range modes() {
		for j, x := range xs {
			if x&infF32 == infF32 || i > 0 && j%16 != i {
				continue
			}
			if got, want := cvtF16F32(m, x), ref16(m, exact(m.value32(x)), x&signF32 != 0); got != want {
				t.Fatalf("mode %x: %08x to f16 = %04x, want %04x", m, x, got, want)
			}
			toward0 := m&^(3<<2) | roundToZero<<2
			want := uint32(ref16(toward0, exact(m.value32(x)), x&signF32 != 0))
			if got := cvtPkRtzF16F32(m, x, x); got != want|want<<16 {
				t.Fatalf("mode %x: %08x truncated to f16 = %08x, want %04x", m, x, got, want)
			}
		}
	}
	if got := cvtPkRtzF16F32(modeDenormals, infF32, 0x7f7fffff); got != 0x7bff7c00 {
		t.Errorf("truncating infinity and the largest f32: %08x", got)
	}
	if got := cvtF16F32(modeDenormals|modeOverflow, 0x7f7fffff); got != 0x7bff {
		t.Errorf("overflow with FP16_OVFL: %04x", got)
	}
}

func TestConvertF64(t *testing.T) {
	r := seeded()
	for _, m := range modes() {
		for _, x := range edges64(r, 100) {
			if x&infF64 == infF64 {
				continue
			}
			if got, want := cvtF32F64(m, x), ref32(m, exact(m.value64(x)), x&signF64 != 0); got != want {
				t.Fatalf("mode %x: %016x to f32 = %08x, want %08x", m, x, got, want)
			}
		}
	}
	for _, x := range edges32(r, 100) {
		got := cvtF64F32(modeDenormals, x)
		if isNaNF32(x) != isNaNF64(got) || !isNaNF32(x) && math.Float64frombits(got) != float64(math.Float32frombits(x)) {
			t.Fatalf("%08x to f64 = %016x", x, got)
		}
	}
}

func TestConvertIntegers(t *testing.T) {
	r := seeded()
	const m = modeDenormals
	for _, x := range edges32(r, 2000) {
		v := float64(math.Float32frombits(x))
		wantSigned, wantUnsigned := int32(0), uint32(0)
		if v == v {
			wantSigned = int32(max(math.MinInt32, min(math.Trunc(v), math.MaxInt32)))
			wantUnsigned = uint32(max(0, min(math.Trunc(v), math.MaxUint32)))
		}
		if got := int32(cvtI32F32(m, x)); got != wantSigned || int32(cvtI32F64(m, math.Float64bits(v))) != wantSigned {
			t.Fatalf("%v to i32 = %d, want %d", v, got, wantSigned)
		}
		if got := cvtU32F32(m, x); got != wantUnsigned || cvtU32F64(m, math.Float64bits(v)) != wantUnsigned {
			t.Fatalf("%v to u32 = %d, want %d", v, got, wantUnsigned)
		}
		if v == v && math.Abs(v) < 1e9 {
			if got := int32(cvtFloorI32F32(m, x)); float64(got) != math.Floor(v) {
				t.Fatalf("%v rounded down = %d", v, got)
			}
			if got := int32(cvtNearestI32F32(m, x)); float64(got) != math.Floor(v+0.5) {
				t.Fatalf("%v to nearest = %d", v, got)
			}
		}
	}
	for range 20000 {
		x := r.Uint32() >> r.IntN(32)
		for _, m := range modes()[:4] {
			if got, want := cvtF32I32(m, x), ref32(m, exact(float64(int32(x))), false); got != want {
				t.Fatalf("mode %x: i32 %d to f32 = %08x, want %08x", m, int32(x), got, want)
			}
			if got, want := cvtF32U32(m, x), ref32(m, exact(float64(x)), false); got != want {
				t.Fatalf("mode %x: u32 %d to f32 = %08x, want %08x", m, x, got, want)
			}
		}
		if math.Float64frombits(cvtF64I32(x)) != float64(int32(x)) || math.Float64frombits(cvtF64U32(x)) != float64(x) {
			t.Fatalf("%d to f64", x)
		}
		for n := range uint(4) {
			if got := math.Float32frombits(cvtF32UByte(x, n)); got != float32(byte(x>>(8*n))) {
				t.Fatalf("byte %d of %08x to f32 = %v", n, x, got)
			}
		}
	}
	for n := range 1 << 16 {
		h := uint16(n)
		if got, want := cvtF16I16(m, h), ref16(m, exact(float64(int16(h))), false); got != want {
			t.Fatalf("i16 %d to f16 = %04x, want %04x", int16(h), got, want)
		}
		if got, want := cvtF16U16(m, h), ref16(m, exact(float64(h)), false); got != want {
			t.Fatalf("u16 %d to f16 = %04x, want %04x", h, got, want)
		}
		v, wantSigned, wantUnsigned := widenF16(h), int16(0), uint16(0)
		if v == v {
			wantSigned, wantUnsigned = int16(max(-32768, min(math.Trunc(v), 32767))), uint16(max(0, min(math.Trunc(v), 65535)))
		}
		if int16(cvtI16F16(m, h)) != wantSigned || cvtU16F16(m, h) != wantUnsigned {
			t.Fatalf("f16 %v to integers: %d, %d", v, int16(cvtI16F16(m, h)), cvtU16F16(m, h))
		}
	}
}

func TestConvertBF16(t *testing.T) {
	for n := range 1 << 16 {
		if got := cvtBF16F32(modeDenormals, cvtF32BF16(uint16(n))); got != uint16(n) && !(isNaNF32(uint32(n)<<16) && got == uint16(n)|1<<6) {
			t.Fatalf("%04x comes back as %04x", n, got)
		}
	}
	for _, x := range edges32(seeded(), 3000) {
		if x&infF32 == infF32 {
			continue
		}
		want := uint16(refBF16.round(exact(float64(math.Float32frombits(x))), roundNearestEven, x&signF32 != 0))
		if got := cvtBF16F32(modeDenormals, x); got != want {
			t.Fatalf("%08x to bf16 = %04x, want %04x", x, got, want)
		}
	}
}

// The 8-bit floats: decoding by the definition; encoding finds the nearest code
// of all 256 for every f16 and for the numbers around each tie.
func TestFP8(t *testing.T) {
	for _, f := range []struct {
		name           string
		bits, bias     int
		nan            func(magnitude uint8) bool
		inf            uint8
		encode         func(m fpMode, x uint32, clamp bool) uint8
		decode         func(uint8) uint32
		largest, beyon uint8
	}{
		{"fp8", 3, 7, func(c uint8) bool { return c == 0x7f }, 0xff, cvtFP8F32, cvtF32FP8, 0x7e, 0x7f},
		{"bf8", 2, 15, func(c uint8) bool { return c > 0x7c }, 0x7c, cvtBF8F32, cvtF32BF8, 0x7b, 0x7c},
	} {
		var values []float64
		for c := range 128 {
			got := float64(math.Float32frombits(f.decode(uint8(c))))
			negative := float64(math.Float32frombits(f.decode(uint8(c) | 0x80)))
			e, mantissa := c>>f.bits, float64(c&(1<<f.bits-1))
			want := math.Ldexp(mantissa, 1-f.bias-f.bits)
			if e > 0 {
				want = math.Ldexp(mantissa+float64(int(1)<<f.bits), e-f.bias-f.bits)
			}
			if uint8(c) == f.inf {
				want = math.Inf(1)
			}
			if f.nan(uint8(c)) {
				if got == got || negative == negative {
					t.Fatalf("%s %02x is %v, not NaN", f.name, c, got)
				}
				continue
			}
			if got != want || negative != -want {
				t.Fatalf("%s %02x is %v, want %v", f.name, c, got, want)
			}
			if !math.IsInf(want, 0) {
				values = append(values, want)
			}
		}
		var xs []uint32
		for h := range 1 << 16 {
			xs = append(xs, cvtF32F16(modeDenormals, uint16(h)))
		}
		for i := range values[1:] {
			tie := math.Float32bits(float32((values[i] + values[i+1]) / 2))
			xs = append(xs, tie-1, tie, tie+1)
		}
		step := values[len(values)-1] - values[len(values)-2]
		limit := values[len(values)-1] + step/2
		for _, x := range xs {
			v := float64(math.Float32frombits(x))
			sign := uint8(x>>24) & 0x80
			if v != v {
				if got := f.encode(modeDenormals, x, false); got&0x80 != sign || !f.nan(got&0x7f) {
					t.Fatalf("%s: NaN %08x becomes %02x", f.name, x, got)
				}
				continue
			}
			v = math.Abs(v)
			want, clamped := f.beyon, f.largest
			if v < limit || v == limit && f.largest&1 == 0 {
				want = nearestCode(values, v)
				clamped = want
			}
			if got := f.encode(modeDenormals, x, false); got != want|sign {
				t.Fatalf("%s of %v (%08x) = %02x, want %02x", f.name, v, x, got, want|sign)
			}
			if got := f.encode(modeDenormals, x, true); got != clamped|sign {
				t.Fatalf("%s of %v (%08x) clamped = %02x, want %02x", f.name, v, x, got, clamped|sign)
			}
			if got := f.encode(modeDenormals|modeOverflow, x, false); got != clamped|sign {
				t.Fatalf("%s of %v (%08x) with FP16_OVFL = %02x", f.name, v, x, got)
			}
		}
	}
}

// nearestCode is the index of the value nearest to v, the even one at a tie.
func nearestCode(values []float64, v float64) uint8 {
	best := 0
	for c, w := range values {
		d, least := math.Abs(w-v), math.Abs(values[best]-v)
		if d < least || d == least && c&1 == 0 {
			best = c
		}
	}
	return uint8(best)
}
