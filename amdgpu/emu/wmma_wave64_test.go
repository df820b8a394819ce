package emu_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"kmx/amdgpu/emu"
)

// wave64Matrices multiplies with every size of element that gfx12 has in wave64.
// Elements lie where the tables of AMD's RDNA4 manual (7.12.2) put them: {a, b} of
// its notation is 2*a + b. A comes by rows, B by columns, D goes by rows.
const wave64Matrices = `
typedef f16 h4 __attribute__((ext_vector_type(4)));
typedef short s4 __attribute__((ext_vector_type(4)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef int i4 __attribute__((ext_vector_type(4)));
struct P { void *out; const u8 *a, *b; };
#define ROW (lane & 15)
#define BIT4 (lane >> 4 & 1)
#define BIT5 (lane >> 5)
#define K(name, ...) KERNEL void name(P p) { __VA_ARGS__; }
// lane {col[3:2], row}, vgpr col[1], position col[0]
#define HALVES(m) (*(const h4 *)((m) + 2 * (16 * ROW + 4 * (2 * BIT5 + BIT4))))
#define BHALVES(m) (*(const s4 *)((m) + 2 * (16 * ROW + 4 * (2 * BIT5 + BIT4))))
// lane {col[2], col[3], row}, position col[1:0]
#define BYTES(m) (*(const int *)((m) + 16 * ROW + 8 * BIT4 + 4 * BIT5))
// lane {0, col[3], row}, position col[2:0]; other lanes do not count
#define NIBBLES(m) (BIT5 ? 0x77777777 : *(const int *)((m) + 8 * ROW + 4 * BIT4))
// lane {col[3], col[4], row}, position col[2:0]
#define NIBBLES32(m) (*(const int *)((m) + 16 * ROW + 4 * (2 * BIT4 + BIT5)))
// lane {row[2], row[3], col}, vgpr row[1:0]
#define D(i) 16 * (8 * BIT4 + 4 * BIT5 + (i)) + ROW
#define PUT32(T, v) for (u32 i = 0; i < 4; i++) ((T *)p.out)[D(i)] = (v)[i]
K(f32_f16, f4 d = __builtin_amdgcn_wmma_f32_16x16x16_f16_w64_gfx12(HALVES(p.a), HALVES(p.b), (f4)(0)); PUT32(float, d))
K(f32_bf16, f4 d = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w64_gfx12(BHALVES(p.a), BHALVES(p.b), (f4)(0)); PUT32(float, d))
K(f16_f16, h4 d = __builtin_amdgcn_wmma_f16_16x16x16_f16_w64_gfx12(HALVES(p.a), HALVES(p.b), (h4)(f16)0.0f); for (u32 i = 0; i < 4; i++) ((float *)p.out)[D(i)] = (float)(f16)d[i])
K(f32_fp8, f4 d = __builtin_amdgcn_wmma_f32_16x16x16_fp8_bf8_w64_gfx12(BYTES(p.a), BYTES(p.b), (f4)(0)); PUT32(float, d))
K(i32_iu8, i4 d = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w64_gfx12(true, BYTES(p.a), false, BYTES(p.b), (i4)(0), false); PUT32(int, d))
K(i32_iu4, i4 d = __builtin_amdgcn_wmma_i32_16x16x16_iu4_w64_gfx12(true, NIBBLES(p.a), true, NIBBLES(p.b), (i4)(0), false); PUT32(int, d))
K(i32_iu4_32, i4 d = __builtin_amdgcn_wmma_i32_16x16x32_iu4_w64_gfx12(false, NIBBLES32(p.a), true, NIBBLES32(p.b), (i4)(0), false); PUT32(int, d))
// D feeds C: an accumulator keeps its places
K(twice, f4 d = __builtin_amdgcn_wmma_f32_16x16x16_f16_w64_gfx12(HALVES(p.a), HALVES(p.b), (f4)(0));
  d = __builtin_amdgcn_wmma_f32_16x16x16_f16_w64_gfx12(HALVES(p.a), HALVES(p.b), d); PUT32(float, d))
`

func TestMatrixWave64(t *testing.T) {
	p := build(t, wave64Matrices, "gfx1200", "-mwavefrontsize64")
	halves := func(b []byte, i int) float64 {
		return component{"FLOAT", 0, 16}.number(uint32(binary.LittleEndian.Uint16(b[2*i:])))
	}
	bytewise := func(f func(x byte) float64) func([]byte, int) float64 {
		return func(b []byte, i int) float64 { return f(b[i]) }
	}
	nibble := func(signed bool) func([]byte, int) float64 {
		return func(b []byte, i int) float64 {
			x := b[i/2] >> (4 * (i % 2)) & 15
			if signed && x > 7 {
				return float64(x) - 16
			}
			return float64(x)
		}
	}
	for _, c := range []struct {
		kernel string
		k      int
		a, b   func(m []byte, i int) float64
		mask   byte // of random bytes: keeps floats small
		set    byte
		times  float64
	}{
		{"f32_f16", 16, halves, halves, 0x87, 0x38, 1},
		{"f16_f16", 16, halves, halves, 0x80, 0x3c, 1},
		{"twice", 16, halves, halves, 0x87, 0x38, 2},
		{"f32_bf16", 16, func(b []byte, i int) float64 {
			return float64(math.Float32frombits(uint32(b[2*i])<<16 | uint32(b[2*i+1])<<24))
		}, nil, 0x80, 0x3f, 1},
		{"f32_fp8", 16, bytewise(func(x byte) float64 { return sign(x) * (1 + float64(x&7)/8) }), bytewise(func(x byte) float64 { return sign(x) * math.Ldexp(1+float64(x&3)/4, int(x>>2&31)-15) }), 0x87, 0x38, 1},
		{"i32_iu8", 16, bytewise(func(x byte) float64 { return float64(int8(x)) }), bytewise(func(x byte) float64 { return float64(x) }), 0xff, 0, 1},
		{"i32_iu4", 16, nibble(true), nibble(true), 0xff, 0, 1},
		{"i32_iu4_32", 32, nibble(false), nibble(true), 0xff, 0, 1},
	} {
		d := newDevice(t)
		out := d.buffer("out", make([]byte, 4*256))
		m := [2][]byte{make([]byte, 512), make([]byte, 512)}
		r := rand.New(rand.NewPCG(64, 12))
		for n, name := range []string{"a", "b"} {
			for i := range m[n] {
				m[n][i] = byte(r.Uint32())
				if c.set != 0 && (i%2 == 1 || c.kernel == "f32_fp8") {
					m[n][i] = m[n][i]&c.mask | c.set
				}
				if c.set != 0 && i%2 == 0 && c.kernel != "f32_fp8" {
					m[n][i] &= 0xc0 // few bits of mantissa: exact sums
				}
			}
			d.buffer(name, m[n])
		}
		if c.b == nil {
			c.b = c.a
		}
		s := d.mustLaunch(p, emu.Launch{Kernel: c.kernel, Block: [3]uint32{64}})
		if float64(s.WMMAs()) != c.times {
			t.Errorf("%s: %v", c.kernel, s)
		}
		for i := range 16 {
			for j := range 16 {
				want := 0.0
				for k := range c.k {
					want += c.a(m[0], c.k*i+k) * c.b(m[1], c.k*j+k) * c.times
				}
				got := float64(math.Float32frombits(word(out, 16*i+j)))
				switch c.kernel[0] {
				case 'i':
					got = float64(int32(word(out, 16*i+j)))
				case 'f':
					want = float64(float32(want))
				}
				if c.kernel == "f16_f16" {
					want = component{"FLOAT", 0, 16}.number(nearestHalf(float32(want)))
				}
				if got != want {
					t.Fatalf("%s: D[%d][%d] = %g, want %g", c.kernel, i, j, got, want)
				}
			}
		}
	}
}

func sign(x byte) float64 {
	if x > 127 {
		return -1
	}
	return 1
}
