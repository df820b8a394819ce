// Patch merging: each 2x2 tokens become one of `merged` channels.
//
// A block makes 16 merged tokens, four of each window: merged token m is number
// m % 4 of window m / 4, from the tokens at (2*(m%2) + dx, 2*(m%4/2) + dy), which
// are its sub-tokens q = 2*dy + dx; its input is their channels, q by q. All
// waves put their tokens into LDS, then a wave computes 32 outputs of all 16.
#pragma once

#include "tape.h"
#include "window.h"

namespace rrlite {

// LDS: rows of one token, grouped by q, ordered by m. Operand values, f16 or
// e4m3. Rows are 4 words apart from a power of two and groups 16, so that 16
// lanes reading one q, or writing all of their window, use different banks.
template <Layer L>
struct MergeRows {
  static constexpr u32 kRow = (kFp8 ? 1 : 2) * L.channels + 16;
  static constexpr u32 kGroup = 16 * kRow + 64;
  static constexpr u32 kBytes = 4 * kGroup;
  static_assert(kRow / 16 % 2 == 1, "rows of an even number of 16-byte pieces collide");

  KMX_DEVICE static u32 of_token(u32 window, u32 t) {
    const u32 x = t % 4, y = t / 4;
    return (2 * (y % 2) + x % 2) * kGroup + (4 * window + 2 * (y / 2) + x / 2) * kRow;
  }
  KMX_DEVICE static u32 of_merged(u32 q, u32 m) { return q * kGroup + m * kRow; }
};

// Writes 16 channels of a token: plane p, from their codes.
KMX_DEVICE void put_codes(LocalBytes lds, u32 row, u32 p, u32x4 codes) {
#ifdef D4R_FP8_WMMA
  store(lds, row + 32 * p + 16 * wmma::half(), codes);
#else
  wmma::store_run(lds, row + 64 * p, decode(u32x2{codes[0], codes[1]}));
  wmma::store_run(lds, row + 64 * p + 32, decode(u32x2{codes[2], codes[3]}));
#endif
}

// Plane p of a row as operands.
KMX_DEVICE Step get_plane(LocalBytes lds, u32 row, u32 p) {
#ifdef D4R_FP8_WMMA
  const u32x4 codes = load<u32x4>(lds, row + 32 * p + 16 * wmma::half());
  return {u32x2{codes[0], codes[1]}, u32x2{codes[2], codes[3]}};
#else
  return {wmma::load_operand(lds, row + 64 * p), wmma::load_operand(lds, row + 64 * p + 32)};
#endif
}

// Outputs 32*group .. +31 of the block's merged tokens, from all rows. The tape
// stands before the group.
template <Layer L>
KMX_DEVICE void merge_group(LocalBytes lds, Tape& tape, ConstBytes image, const Params& par, u32 group) {
  constexpr Image im = image_of(L);
  constexpr u32 planes = L.planes(), steps = 4 * planes;
  const u32 m = wmma::index();
  wmma::Accum acc[2];
#pragma unroll
  for (u32 t = 0; t < 2; t++) acc[t] = wmma::widen(load_vector(image, im.merge_bias, group, t));
#pragma unroll
  for (u32 k = 0; k < steps; k++) {
    const Step x = get_plane(lds, MergeRows<L>::of_merged(k / planes, m), k % planes);
    const Pair w = tape.take_last(k, steps);
#pragma unroll
    for (u32 t = 0; t < 2; t++) acc[t] = mma(w.tile[t], x, acc[t]);
  }
  const u32x4 codes = encode(wmma::round(acc[0]), wmma::round(acc[1]));

  // Shifts are even, so halving the corner is exact.
  const Place c = corner(par.shift_x, par.shift_y);
  const Place to = {c.x / 2 + (i32)(m % 2 + 2 * (m / 4 % 2)), c.y / 2 + (i32)(m % 4 / 2 + 2 * (m / 8))};
  const i32 width = par.width / 2, height = par.height / 2;
  if (to.inside(width, height)) store(par.merged, to.at(group, width, height) + 16 * wmma::half(), codes);
}

}  // namespace rrlite
