// Arithmetic of the networks at f16 precision.
//
// Every function states where it rounds. The hardware's reciprocal, rsqrt and
// exp2 work in f32 with an error of about 1 ulp, which the rounding to f16
// hides for all f16 inputs of rcp and rsqrt and all but a handful of exp2.
// Vectors are processed element by element. Contraction is off: a product that
// is fused says so by fma16.
#pragma once

#include "types.h"

// The f16 with these bits.
KMX_DEVICE constexpr f16 half_bits(u16 b) { return __builtin_bit_cast(f16, b); }

// A uniform value that the optimiser does not look into.
template <class T>
KMX_DEVICE T kept(T v) {
  asm("" : "+s"(v));
  return v;
}

// f32 to f16 and back, and acc + x with x widened, each one instruction for
// either half of a register: a fused x * 1 - 0 or x * 1 + acc, exact up to its
// one rounding. The plain conversions take up to three.
KMX_DEVICE f16 narrow(f32 x) { return (f16)__builtin_fmaf(x, kept(1.0f), kept(-0.0f)); }
KMX_DEVICE f32 widen(f16 x) { return __builtin_fmaf((f32)x, kept(1.0f), kept(-0.0f)); }
KMX_DEVICE f32 add_wide(f32 acc, f16 x) { return __builtin_fmaf((f32)x, kept(1.0f), acc); }

KMX_DEVICE f16 rcp16(f16 x) { return (f16)__builtin_amdgcn_rcpf((f32)x); }
KMX_DEVICE f16 rsq16(f16 x) { return (f16)__builtin_amdgcn_rsqf((f32)x); }
KMX_DEVICE f16x8 exp2_16(f16x8 x) {
  f16x8 e;
#pragma unroll
  for (int i = 0; i < 8; i++) e[i] = narrow(__builtin_amdgcn_exp2f(widen(x[i])));
  return e;
}

// a*b + c with one rounding.
KMX_DEVICE f16x8 fma16(f16x8 a, f16x8 b, f16x8 c) { return __builtin_elementwise_fma(a, b, c); }

// x limited to [-limit, limit], limit > 0.
KMX_DEVICE f16x8 clamp_abs(f16x8 x, f16 limit) {
  return __builtin_elementwise_max(__builtin_elementwise_min(x, f16x8(limit)), f16x8(-limit));
}

// max(x, 0).
KMX_DEVICE f16x8 positive16(f16x8 x) { return __builtin_elementwise_max(x, f16x8(0)); }

// An f16 in all elements that the optimiser does not look into.
KMX_DEVICE f16x8 twice_kept(u16 b) { return bits<f16x8>(u32x4(kept(0x10001u * b))); }

// |x| by clearing sign bits, two at a time: the compiler would take a vector it
// knows to be an absolute value apart.
KMX_DEVICE f16x8 abs16(f16x8 x) { return bits<f16x8>(bits<u32x4>(x) & kept(0x7fff7fffu)); }

// The polynomial gelu of the networks, rounded to f16 after each operation:
// c = clamp(x, -2, 2); x * (0.5 + c * (k1 - k2 * |c|)).
KMX_DEVICE f16x8 gelu16(f16x8 x) {
  const f16x8 k1 = half_bits(0x3698);     // 0.41216215
  const f16x8 minus_k2 = twice_kept(0xad30);  // -0.08108108
  const f16x8 c = clamp_abs(x, 2);
  const f16x8 u = k1 + minus_k2 * abs16(c);
  return x * ((f16)0.5 + c * u);
}
