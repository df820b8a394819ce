// The L2 norm over a token's channels.
//
// All in f16: the squares are summed as a tree whose order is part of the
// result. A word is four channels c0..c3, eight words a plane:
//   1. c0^2 + c2^2 and c1^2 + c3^2: a pair of sums for each word
//   2. over planes: (p0 + p1), then + p2, or + (p2 + p3)
//   3. word t + word t+4, t = 0..3: the two halves of the wave hold one each
//   4. (t0 + t1) + (t2 + t3): tile 0 of a plane has the first two, tile 1 the
//      others; then the pair
// (in the natural order, tiles and halves change parts)
// and x becomes x * (gamma / sqrt(sum + 2^-13)).
#pragma once

#include "board.h"
#include "math.h"
#include "window.h"

namespace rrlite {

// Step 1 for the two words of an Eight.
KMX_DEVICE f16x4 word_squares(Eight x) {
  const Eight s = x * x;
  return __builtin_shufflevector(s, s, 0, 1, 4, 5) + __builtin_shufflevector(s, s, 2, 3, 6, 7);
}

// Steps 1 and 2, for the words of tile t of the planes.
template <u32 P, u32 T>
KMX_DEVICE f16x4 tile_squares(const Eights<P, T>& x, u32 t) {
  static_assert(P >= 2 && P <= 4);
  f16x4 q[P];
#pragma unroll
  for (u32 p = 0; p < P; p++) q[p] = word_squares(x.part[p][t]);
  f16x4 words = q[0] + q[1];
  if constexpr (P == 3) words = words + q[2];
  if constexpr (P == 4) words = words + (q[2] + q[3]);
  return words;
}

KMX_DEVICE f16x2 sum_words(f16x4 words) {
  return (words.lo + swap_halves(words.lo)) + (words.hi + swap_halves(words.hi));
}

// 1 / sqrt(sum of squares + 2^-13), of the whole token. A round of the board.
template <Layer L>
KMX_DEVICE f16 inverse_norm(const Share<L>& x, const Board<L>& board, u32 round) {
  f16x2 pair;
  if constexpr (kNatural) {
    static_assert(!kNatural || !Board<L>::kUsed, "the natural order is for token lanes");
    const f16x4 words = tile_squares(x, 0) + tile_squares(x, 1);
    const f16x2 mine = words.lo + words.hi;
    pair = mine + swap_halves(mine);
  } else if constexpr (Board<L>::kUsed) {
    const f16x2 mine = sum_words(tile_squares(x, 0));
    pair = mine + bits<f16x2>(board.from_other(round, bits<u32>(mine)));
  } else {
    pair = sum_words(tile_squares(x, 0)) + sum_words(tile_squares(x, 1));
  }
  return rsq16((f16)(pair[0] + pair[1]) + half_bits(0x0800));
}

// The whole token, normed, as operands.
template <Layer L>
KMX_DEVICE typename Board<L>::Channels norm(const Share<L>& x, const Share<L>& gamma, const Board<L>& board, u32 round) {
  const f16 r = inverse_norm<L>(x, board, round);
  Share<L> h;
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++)
#pragma unroll
    for (u32 t = 0; t < L.tiles(); t++) h.part[p][t] = x.part[p][t] * (r * gamma.part[p][t]);
  return board.gather(h);
}

}  // namespace rrlite
