// Where K rounds.
//
// A chain is a sequence of k16 steps into one accumulator. Fast builds of the
// narrow layers (PWIN_F32ACC) keep f32 through a chain and round where its
// value is consumed; all others round to f16 after every step, as the original
// does. Everything between chains is f16 in every build.
#pragma once

#include "math.h"
#include "wmma.h"

#if defined(D4R_ACCURACY) && defined(PWIN_F32ACC)
#error "accuracy builds round after every step: PWIN_F32ACC must not be set"
#endif

namespace k {

#if defined(PWIN_F32ACC)
constexpr bool kKeepF32 = true;
#else
constexpr bool kKeepF32 = false;
#endif

using wmma::Operand;
using wmma::Rows;

// A chain: started from a value (or {}, zero), continued step by step, finished
// where its value is used.
#if defined(PWIN_F32ACC)
using Chain = wmma::Accum;
KMX_DEVICE Chain start(Rows v) { return wmma::widen(v); }
KMX_DEVICE Chain step(Operand a, Operand b, Chain c) { return wmma::mma_f16(a, b, c); }
KMX_DEVICE Rows finish(Chain c) { return wmma::round(c); }
#else
using Chain = Rows;
KMX_DEVICE Chain start(Rows v) { return v; }
KMX_DEVICE Chain step(Operand a, Operand b, Chain c) {
  return wmma::round(wmma::mma_f16(a, b, wmma::widen(c)));
}
KMX_DEVICE Rows finish(Chain c) { return c; }
#endif

// Steps of M token tiles: one matrix tile, M chains.
template <u32 M>
KMX_DEVICE void step(Operand w, const Operand (&x)[M], Chain (&c)[M]) {
#pragma unroll
  for (u32 i = 0; i < M; i++) c[i] = step(w, x[i], c[i]);
}
// Transposed: tokens in rows.
template <u32 M>
KMX_DEVICE void step(const Operand (&x)[M], Operand w, Chain (&c)[M]) {
#pragma unroll
  for (u32 i = 0; i < M; i++) c[i] = step(x[i], w, c[i]);
}

// 1 / |x| of a token of N tiles. The squares are rounded to f16 and summed in
// f32 in channel order. There is no epsilon: a token of zeros becomes infinity
// and its normalised values NaN, as in the original.
template <u32 N>
KMX_DEVICE f16 inverse_norm(const Operand (&x)[N]) {
  Operand square[N];
#pragma unroll
  for (u32 t = 0; t < N; t++) square[t] = x[t] * x[t];
  return rsq16(narrow(wmma::sum_k(square)));
}

// exp of attention scores, up to a factor that the row sum cancels:
// exp2(t * (1 + b * t^2) + c) of the clamped score t.
KMX_DEVICE Rows attention_exp(Rows score) {
  constexpr f16 limit = half_bits(0x4d69);  // 21.640625
  constexpr f16 b = half_bits(0x91d5);
  constexpr f16 c = half_bits(0xc50d);
  const Rows t = clamp_abs(score, limit);
  const Rows v = fma16(t * t, Rows(b), Rows((f16)1));
  return exp2_16(fma16(t, v, Rows(c)));
}

}  // namespace k
