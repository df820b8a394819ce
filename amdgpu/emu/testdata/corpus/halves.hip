// f16, one and several at a time. x86 computes f16 in f32 and rounds, which for
// sums, products, quotients and square roots gives the same; fused operations
// are spelt out for the host.
#include "corpus.h"

typedef f16 h2 __attribute__((ext_vector_type(2)));
typedef f16 h8 __attribute__((ext_vector_type(8)));

FN f16 half(const u32 *in, u32 at) { return (f16)as<f32>(in[at]); }
FN f16 edge(const u32 *in, u32 at) { return as<f16>((u16)(in[at] >> (at & 16))); }

// a*b + c rounded once.
FN f16 fused(f16 a, f16 b, f16 c) {
#ifdef __AMDGCN__
  return __builtin_fmaf16(a, b, c);
#else
  return to_f16((f128)(f32)a * (f128)(f32)b + (f128)(f32)c);  // exact before the rounding
#endif
}

PER_THREAD(f16_arithmetic) {
  const f16 a = half(in, kFloats + tid), b = half(in, kFloats + 300 + tid), c = half(in, kFloats + 600 + tid);
  out += kPerThread * tid;
  put(out, bits((f16)(a + b)));
  put(out, bits((f16)(a - b)));
  put(out, bits((f16)(a * b)));
  put(out, bits((f16)((f16)(a * b) + c)));
  put(out, bits(fused(a, b, c)));
  put(out, bits(fused(-a, b, c)));
  put(out, bits((f16)(a / b)));
  put(out, (u32)(a < b) | (u32)(a >= c) << 1 | (u32)(b != c) << 2);
  put(out, bits(a < b ? a : b));
  put(out, bits((f32)a * (f32)b + (f32)c));
  put(out, bits((f16)((f32)a * (f32)b)));
  put(out, (u32)(i32)a);
  put(out, bits((f16)(i32)(in[kSmall + tid] & 0xfff)));
  put(out, bits((f16)((f16)2 * a + (f16)0.5)));
}

PER_THREAD(f16_edges) {
  const f16 a = edge(in, kIntegers + tid), b = edge(in, kIntegers + 256 + tid), c = edge(in, kIntegers + 512 + tid);
  out += kPerThread * tid;
  put(out, bits((f16)(a + b)));
  put(out, bits((f16)(a * b)));
  put(out, bits(fused(a, b, c)));
  put(out, bits((f16)(a / b)));
  put(out, bits((f32)a));
  put(out, bits((f32)a * (f32)b + (f32)c));
  put(out, (u32)(a < b) | (u32)(a == b) << 1 | (u32)(a > b) << 2 | (u32)(a != a) << 3);
}

PER_THREAD(f16_vectors) {
  h8 a, b, c;
  for (u32 i = 0; i < 8; i++) {
    a[i] = half(in, kFloats + (tid + i * 37) % 1024);
    b[i] = half(in, kFloats + (tid + i * 91 + 5) % 1024);
    c[i] = edge(in, kIntegers + (tid + i) % 1024);
  }
  const h8 sum = a + b, product = a * b, mixed = a * b - sum, negative = -c;
  h8 chosen;
  for (u32 i = 0; i < 8; i++) chosen[i] = a[i] < b[i] ? a[i] : b[i];
  out += kPerThread * tid;
  for (u32 i = 0; i < 8; i += 2) put(out, bits(sum[i]) | bits(sum[i + 1]) << 16);
  for (u32 i = 0; i < 8; i += 2) put(out, bits(product[i]) | bits(product[i + 1]) << 16);
  for (u32 i = 0; i < 8; i += 2) put(out, bits(mixed[i]) | bits(mixed[i + 1]) << 16);
  for (u32 i = 0; i < 8; i += 2) put(out, bits(negative[i]) | bits(negative[i + 1]) << 16);
  for (u32 i = 0; i < 8; i += 2) put(out, bits(chosen[i]) | bits(chosen[i + 1]) << 16);
}

PER_THREAD(f16_fused_vectors) {
  h8 r;
  for (u32 i = 0; i < 8; i++)
    r[i] = fused(half(in, kFloats + (tid + i * 37) % 1024), half(in, kFloats + (tid + i * 91 + 5) % 1024), half(in, kFloats + (tid + i * 13) % 1024));
  out += kPerThread * tid;
  for (u32 i = 0; i < 8; i++) put(out, bits(r[i]));
  // A running sum that mixes widths.
  f32 s = 0;
  for (u32 i = 0; i < 8; i++) s = s + (f32)r[i] * 0.5f;
  put(out, bits(s));
  put(out, bits((f16)s));
}
