// The L2 norm over a token's channels.
//
// All in f16: the squares are summed as a tree whose order is part of the
// result. A word is four channels c0..c3, eight words a plane:
//   1. c0^2 + c2^2 and c1^2 + c3^2: a pair of sums for each word
//   2. over planes: (p0 + p1), then + p2, or + (p2 + p3)
//   3. word t + word t+4, t = 0..3: the two halves of the wave hold one each
//   4. (t0 + t1) + (t2 + t3), then the pair
// and x becomes x * (gamma / sqrt(sum + 2^-13)).
#pragma once

#include "math.h"
#include "window.h"

namespace rrlite {

// Step 1 for the four words of one plane: elements 2k, 2k+1 are word 4h + k.
KMX_DEVICE Eight word_squares(Eight a, Eight b) {
  const Eight a2 = a * a, b2 = b * b;
  const Eight even = __builtin_shufflevector(a2, b2, 0, 1, 4, 5, 8, 9, 12, 13);
  const Eight odd = __builtin_shufflevector(a2, b2, 2, 3, 6, 7, 10, 11, 14, 15);
  return even + odd;
}

template <Layer L>
KMX_DEVICE Eight plane_squares(const Token<L>& x) {
  constexpr u32 n = L.planes();
  static_assert(n >= 2 && n <= 4);
  Eight q[n];
#pragma unroll
  for (u32 p = 0; p < n; p++) q[p] = word_squares(x.part[p][0], x.part[p][1]);
  const Eight first = q[0] + q[1];
  if constexpr (n == 3) return first + q[2];
  else if constexpr (n == 4) return first + (q[2] + q[3]);
  else return first;
}

KMX_DEVICE Eight swap_halves(Eight v) {
  u32x4 d = bits<u32x4>(v);
#pragma unroll
  for (int j = 0; j < 4; j++) d[j] = ::swap_halves(d[j]);
  return bits<Eight>(d);
}

// 1 / sqrt(sum of squares + 2^-13).
template <Layer L>
KMX_DEVICE f16 inverse_norm(const Token<L>& x) {
  const Eight words = plane_squares<L>(x);
  const Eight u = words + swap_halves(words);
  const f16x2 t01 = u.lo.lo + u.lo.hi, t23 = u.hi.lo + u.hi.hi;
  const f16x2 pair = t01 + t23;
  return rsq16((f16)(pair[0] + pair[1]) + half_bits(0x0800));
}

// The normed token as operands.
template <Layer L>
KMX_DEVICE Channels<L> norm(const Token<L>& x, const Token<L>& gamma) {
  const f16 r = inverse_norm<L>(x);
  Channels<L> h;
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++)
#pragma unroll
    for (u32 t = 0; t < 2; t++) h.plane[p].part[t] = quantised(x.part[p][t] * (r * gamma.part[p][t]));
  return h;
}

}  // namespace rrlite
