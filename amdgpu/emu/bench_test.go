package emu_test

import (
	"testing"
	"time"

	"kmx/amdgpu/emu"
)

// benchmarked are kernels that spend their time in one kind of instruction.
const benchmarked = `
struct P { u32 *out; const u32 *in; };
typedef f16 half2 __attribute__((ext_vector_type(2)));
typedef float accum __attribute__((ext_vector_type(8)));
#if defined(__GFX12__)
typedef f16 operand __attribute__((ext_vector_type(8)));
#define wmma __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12
#else
typedef f16 operand __attribute__((ext_vector_type(16)));
#define wmma __builtin_amdgcn_wmma_f32_16x16x16_f16_w32
#endif
KERNEL void integer(P p) {
  u32 x = lane, y = p.in[lane];
  for (u32 i = 0; i < 2000; i++) { x = (x ^ y) * 5 + (x >> 3); y = (y << 1 | x & 1) + i; }
  p.out[lane] = x + y;
}
KERNEL void packed_f16(P p) {
  half2 x = (f16)(float)lane, y = (f16)0.5f;
  for (u32 i = 0; i < 2000; i++) { x = x * y + (half2)(f16)1.0f; y = __builtin_elementwise_fma(x, (half2)(f16)0.001f, y); }
  p.out[lane] = __builtin_bit_cast(u32, x + y);
}
KERNEL void matrix(P p) {
  operand a, b; accum c = 0;
  for (u32 i = 0; i < sizeof(a) / 2; i++) a[i] = (f16)(float)((i32)(lane & 15) - (i32)i), b[i] = (f16)(0.01f * (float)(lane & 15));
  for (u32 i = 0; i < 500; i++) { c = wmma(a, b, c); c = wmma(b, a, c); }
  p.out[lane] = __builtin_bit_cast(u32, c[0]);
}
KERNEL void shared(P p) {
  SHARED u32 s[1024];
  u32 x = lane;
  for (u32 i = 0; i < 500; i++) { s[x & 1023] = x; x = s[(x * 7 + i) & 1023] + 1; }
  p.out[lane] = x;
}
`

// BenchmarkLaunch reports wave instructions a second of one worker.
func BenchmarkLaunch(b *testing.B) {
	for _, target := range generations {
		p := build(b, benchmarked, target)
		for _, kernel := range []string{"integer", "packed_f16", "matrix", "shared"} {
			b.Run(kernel+"/"+target, func(b *testing.B) {
				d := newDevice(b)
				d.buffer("out", make([]byte, 128))
				d.buffer("in", make([]byte, 128))
				var ran int64
				var took time.Duration
				for b.Loop() {
					begin := time.Now()
					ran += d.mustLaunch(p, emu.Launch{Kernel: kernel, Block: [3]uint32{32}, Workers: 1}).Total()
					took += time.Since(begin)
				}
				b.ReportMetric(float64(ran)/took.Seconds()/1e6, "Minstr/s")
			})
		}
	}
}
