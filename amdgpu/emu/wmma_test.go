package emu_test

import (
	"encoding/binary"
	"math"
	"testing"

	"kmx/amdgpu/emu"
)

// matrices multiplies 16x16 matrices of small integers: A by rows, B by columns,
// D by rows. The lane layouts are those that AMD publishes.
const matrices = `
struct P { float *out; const f16 *a, *b; };
#if defined(__GFX12__)
typedef f16 operand __attribute__((ext_vector_type(8)));
typedef float accum __attribute__((ext_vector_type(8)));
typedef short tr16 __attribute__((ext_vector_type(8)));
KERNEL void multiply(P p) {
  u32 r = lane & 15, h = lane >> 4;
  operand a = *(const operand *)(p.a + 16 * r + 8 * h), b = *(const operand *)(p.b + 16 * r + 8 * h);
  accum c = 0;
  c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
  for (u32 i = 0; i < 8; i++) p.out[16 * (i + 8 * h) + r] = c[i];
}
// B by rows this time: a transposing load makes its columns
KERNEL void transposed(P p) {
  u32 r = lane & 15, h = lane >> 4;
  operand a = *(const operand *)(p.a + 16 * r + 8 * h);
  tr16 t = __builtin_amdgcn_global_load_tr_b128_v8i16((tr16 __attribute__((address_space(1))) *)(p.b + 16 * r + 8 * h));
  accum c = 0;
  c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, __builtin_bit_cast(operand, t), c);
  for (u32 i = 0; i < 8; i++) p.out[16 * (i + 8 * h) + r] = c[i];
}
#else
typedef f16 operand __attribute__((ext_vector_type(16)));
#if __AMDGCN_WAVEFRONT_SIZE == 64
typedef float accum __attribute__((ext_vector_type(4)));
#define wmma __builtin_amdgcn_wmma_f32_16x16x16_f16_w64
constexpr u32 groups = 4;
#else
typedef float accum __attribute__((ext_vector_type(8)));
#define wmma __builtin_amdgcn_wmma_f32_16x16x16_f16_w32
constexpr u32 groups = 2;
#endif
KERNEL void multiply(P p) {
  u32 r = lane & 15, h = lane >> 4;
  operand a = *(const operand *)(p.a + 16 * r), b = *(const operand *)(p.b + 16 * r);
  accum c = 0;
  c = wmma(a, b, c);
  for (u32 i = 0; i < 16 / groups; i++) p.out[16 * (groups * i + h) + r] = c[i];
}
#endif
`

func TestMatrixLayouts(t *testing.T) {
	for _, c := range []struct {
		target, kernel string
		lanes          uint32
		flags          []string
	}{
		{"gfx1101", "multiply", 32, nil},
		{"gfx1101", "multiply", 64, []string{"-mwavefrontsize64"}},
		{"gfx1201", "multiply", 32, nil},
		{"gfx1201", "transposed", 32, nil},
	} {
		p := build(t, matrices, c.target, c.flags...)
		d := newDevice(t)
		out := d.buffer("out", make([]byte, 4*256))
		a, b := make([]byte, 512), make([]byte, 512)
		var x, y [16][16]float64 // y is by columns
		for i := range 16 {
			for j := range 16 {
				x[i][j], y[i][j] = float64(i*3-j*j%7), float64(j*5%11-i)
				at := 16*i + j
				binary.LittleEndian.PutUint16(a[2*at:], smallF16(x[i][j]))
				if c.kernel == "transposed" {
					at = 16*j + i
				}
				binary.LittleEndian.PutUint16(b[2*at:], smallF16(y[i][j]))
			}
		}
		d.buffer("a", a)
		d.buffer("b", b)
		s := d.mustLaunch(p, emu.Launch{Kernel: c.kernel, Block: [3]uint32{c.lanes}})
		if s.WMMAs() != 1 {
			t.Errorf("%s: %v", c.target, s)
		}
		for i := range 16 {
			for j := range 16 {
				want := 0.0
				for k := range 16 {
					want += x[i][k] * y[j][k]
				}
				if got := math.Float32frombits(word(out, 16*i+j)); float64(got) != want {
					t.Fatalf("%s %s, %d lanes: D[%d][%d] = %g, want %g", c.target, c.kernel, c.lanes, i, j, got, want)
				}
			}
		}
	}
}

// smallF16 is an integer of at most ten bits as f16.
func smallF16(v float64) uint16 {
	if v == 0 {
		return 0
	}
	bits := math.Float64bits(v)
	return uint16(bits>>63)<<15 | uint16((bits>>52&0x7ff)-1023+15)<<10 | uint16(bits>>42&0x3ff)
}
