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

using wmma::Accum;
using wmma::Operand;
using wmma::Rows;

// One k16 step of a chain.
KMX_DEVICE Accum step(Operand a, Operand b, Accum c) {
  const Accum d = wmma::mma_f16(a, b, c);
  return kKeepF32 ? d : wmma::widen(wmma::round(d));
}

// L2 norm of a token of N tiles, scaled: x * (rsqrt(sum of x^2) * gamma). The
// squares are rounded to f16 and summed in f32 in channel order. There is no
// epsilon: a token of zeros becomes NaN, as in the original.
template <int N>
KMX_DEVICE void norm(const Operand (&x)[N], ConstBytes gamma, Operand (&h)[N]) {
  Operand square[N];
#pragma unroll
  for (int t = 0; t < N; t++) square[t] = x[t] * x[t];
  const f16 r = rsq16(narrow(wmma::sum_k(square)));
#pragma unroll
  for (int t = 0; t < N; t++) h[t] = x[t] * (r * wmma::load_operand(gamma, 32 * t));
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
