// f32 and f64 arithmetic; contraction is off, fused operations say so.
#include "corpus.h"

#ifdef __AMDGCN__
#define fmaf __builtin_fmaf
#define fma __builtin_fma
#define sqrtf __builtin_sqrtf
#define sqrt __builtin_sqrt
#endif

FN f32 real(const u32 *in, u32 at) { return as<f32>(in[at]); }

PER_THREAD(f32_arithmetic) {
  const f32 a = real(in, kFloats + tid), b = real(in, kFloats + 300 + tid), c = real(in, kFloats + 600 + tid);
  out += kPerThread * tid;
  put(out, bits(a + b));
  put(out, bits(a - b));
  put(out, bits(a * b));
  put(out, bits(a * b + c));
  put(out, bits(fmaf(a, b, c)));
  put(out, bits(fmaf(-a, b, -c)));
  put(out, bits(a / b));
  put(out, bits(1.0f / a));
  put(out, bits(sqrtf(__builtin_fabsf(a))));
  put(out, bits(__builtin_floorf(a)));
  put(out, bits(__builtin_ceilf(a)));
  put(out, bits(__builtin_truncf(a)));
  put(out, bits(__builtin_rintf(a)));
  put(out, bits(__builtin_copysignf(a, b)));
  put(out, bits(__builtin_fabsf(a) - __builtin_fabsf(b)));
  put(out, bits(a < b ? a : b));
  put(out, bits(__builtin_fmaxf(a, b)));
  put(out, bits(__builtin_fminf(__builtin_fmaxf(a, -1.0f), 1.0f)));
  put(out, bits(a * 0.15915494f));
  put(out, bits(a * 2 + b * 0.5f));
}

PER_THREAD(f32_edges) {
  const f32 a = real(in, kEdges + tid), b = real(in, kEdges + 300 + tid), c = real(in, kFloats + tid);
  out += kPerThread * tid;
  put(out, bits(a + b));
  put(out, bits(a - b));
  put(out, bits(a * b));
  put(out, bits(a * c));
  put(out, bits(fmaf(a, b, c)));
  put(out, bits(fmaf(a, c, b)));
  put(out, bits(a / b));
  put(out, bits(a / c));
  put(out, bits(c / a));
  put(out, bits(sqrtf(a)));
  put(out, bits(__builtin_fmaxf(a, b) + 0.0f));
  put(out, bits(__builtin_fminf(a, b) + 0.0f));
  put(out, (u32)(a < b) | (u32)(a <= b) << 1 | (u32)(a == b) << 2 | (u32)(a != b) << 3 | (u32)(a > b) << 4 | (u32)(a >= b) << 5);
  put(out, (u32) !(a < b) | (u32) !(a > b) << 1 | (u32)__builtin_isunordered(a, b) << 2 | (u32)__builtin_islessgreater(a, b) << 3);
  put(out, (u32)__builtin_isnan(a) | (u32)__builtin_isinf(a) << 1 | (u32)__builtin_isfinite(b) << 2 | (u32)__builtin_isnormal(b) << 3);
  put(out, bits(__builtin_rintf(a)));
  put(out, bits(__builtin_floorf(a)));
}

PER_THREAD(f64_arithmetic) {
  const f64 a = wide(in, tid), b = wide(in, 300 + tid), c = wide(in, 600 + tid);
  out += kPerThread * tid;
  put(out, bits(a + b));
  put(out, bits(a * b));
  put(out, bits(fma(a, b, c)));
  put(out, bits(a / b));
  put(out, bits(sqrt(__builtin_fabs(a))));
  put(out, bits(__builtin_floor(a)));
  put(out, bits(__builtin_rint(b)));
  put(out, bits(__builtin_trunc(c)));
  put(out, bits(__builtin_fmax(a, b)));
  put(out, (u32)(a < b) | (u32)(a >= c) << 1 | (u32)(a != a) << 2);
  put(out, bits(a - b));
  put(out, bits(-a * 3.0 + 1.0));
}

PER_THREAD(f64_edges) {
  const f64 a = real(in, kEdges + tid), b = real(in, kEdges + 111 + tid);
  out += kPerThread * tid;
  put(out, bits(a / b));
  put(out, bits(a * b));
  put(out, bits(a * 1e-280 / b));
  put(out, bits(a * 1e-280 * b * 1e-20));
  put(out, bits(sqrt(a)));
  put(out, (u32)(a < b) | (u32)(a == b) << 1 | (u32)__builtin_isnan(a) << 2);
  put(out, bits(a + b));
}

// The same operands in all lanes: gfx12 has scalar instructions for them.
PER_THREAD(uniform_floats) {
  const f32 a = real(in, kFloats + 1), b = real(in, kFloats + 2), c = real(in, kFloats + 3);
  const f16 h = (f16)a, k = (f16)b;
  out += kPerThread * tid;
  put(out, bits(a + b));
  put(out, bits(a - b));
  put(out, bits(a * b));
  put(out, bits(fmaf(a, b, c)));
  put(out, bits(__builtin_floorf(a)));
  put(out, bits(__builtin_rintf(b) + __builtin_truncf(c) + __builtin_ceilf(a)));
  put(out, bits(__builtin_fmaxf(a, b)));
  put(out, bits(__builtin_fminf(a, c)));
  put(out, (u32)(i32)a + (u32)(a < b) * 7);
  put(out, bits((f32)(i32)in[kSmall] * (f32)in[kSmall + 1]));
  put(out, bits((f16)(h + k)));
  put(out, bits((f16)(h * k)));
  put(out, bits((f32)h - b));
  if (a * c > b) put(out, bits(a * 3.5f - 1.25f));
  else put(out, bits(b * 2.5f + c));
}
