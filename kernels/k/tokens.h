// The tokens of a window in LDS, and the two layers' edges that need them there:
// a decoder's input is expanded from the half-resolution grid, an encoder's
// output merged onto it. Half-resolution token m covers 2x2 tokens; sub-token
// q = 2 * dy + dx of it is token 16 * (m / 4) + 8 * dy + 2 * (m % 4) + dx.
#pragma once

#include "numerics.h"
#include "shape.h"
#include "window.h"

namespace k {

// Tiles [token tile][channel tile], slot = token. A skew between token tiles
// spreads accesses to one slot of four tiles over the banks.
template <Layer L>
struct Tokens {
  static constexpr u32 tile_bytes = wmma::kTileBytes * Shape<L>::tiles;
  static constexpr u32 bytes = 4 * tile_bytes + 256;
  LocalBytes lds;
  KMX_DEVICE LocalBytes tile(u32 t) const { return lds + (tile_bytes * t + 16 * (t & 1) + 128 * (t >> 1)); }
};

// Where sub-token q of half-resolution token m stands in its token tile m / 4.
KMX_DEVICE u32 sub_token(u32 m, u32 q) { return 8 * (q >> 1) + 2 * (m & 3) + (q & 1); }

// The input of a decoder: sub-token q of all 16 half-resolution tokens,
// expanded, plus the skip. J channel tiles: first, first + stride, ...
template <Layer L, u32 J>
KMX_DEVICE void expand(const Params& p, const Window& window, ConstBytes image, Tokens<L> tokens,
                       u32 q, u32 first, u32 stride) {
  using S = Shape<L>;
  const ConstBytes weights = (ConstBytes)p.weights;
  const u32 m = wmma::column();
  const u32 low = kHalf * L.low * window.half_place(m).token;
  const ConstBytes bias = weights + Weights<L>::expand_bias + 32 * (q * S::tiles + first);
  const wmma::Tiles w = wmma::tiles_at(image, Image<L>::expand_tile(q, first, 0));
  Chain acc[J];
#pragma unroll
  for (u32 j = 0; j < J; j++) acc[j] = start(wmma::load_rows(bias, 32 * stride * j));
#pragma unroll
  for (u32 ks = 0; ks < S::low_k; ks++) {
    if (ks && ks % 3 == 0) phase();
    const Operand x = wmma::load_operand((GlobalBytes)p.in, low + 32 * ks);
#pragma unroll
    for (u32 j = 0; j < J; j++)
      acc[j] = step(wmma::load_tile(w, S::low_k * stride * j + ks), x, acc[j]);
  }
  const u32 skip = kHalf * L.channels * window.place(16 * (m >> 2) + sub_token(m, q)).token;
#pragma unroll
  for (u32 j = 0; j < J; j++) {
    const u32 nt = first + stride * j;
    const wmma::Piece s = wmma::load_piece((GlobalBytes)p.skip, skip + 32 * nt);
    const wmma::Piece x = wmma::add(wmma::to_piece(finish(acc[j])), s);
    wmma::store_slot_piece(tokens.tile(m >> 2), nt, sub_token(m, q), x);
  }
}

// The output of an encoder: 2x2 tokens merged into one, the channels shared
// among the waves.
template <Layer L>
KMX_DEVICE void merge(const Params& p, const Window& window, ConstBytes image, Tokens<L> tokens,
                      u32 wave, u32 waves) {
  using S = Shape<L>;
  const u32 m = wmma::column();
  const Place place = window.half_place(m);
  const LocalBytes y = tokens.tile(m >> 2);
  const ConstBytes bias = (ConstBytes)p.weights + Weights<L>::merge_bias;
#pragma unroll 1
  for (u32 vt = wave; vt < S::merge_n; vt += waves) {
    Chain acc = start(wmma::load_rows(bias + 32 * vt, 0));
#pragma unroll S::tiles > 4 ? 1 : 4
    for (u32 q = 0; q < 4; q++) {
      if (q == 2) phase();
      const wmma::Tiles w = wmma::tiles_at(image, Image<L>::merge_tile(vt, S::tiles * q));
#pragma unroll
      for (u32 kt = 0; kt < S::tiles; kt++)
        acc = step(wmma::load_tile(w, kt), wmma::load_slot(y, kt, sub_token(m, q)), acc);
    }
    // A head's columns fill whole tiles but for the last one, which may end
    // after eight.
    const u32 u = vt % S::merge_tiles_per_head;
    const u32 channel = S::merge_per_head * (vt / S::merge_tiles_per_head) + kTile * u;
    const wmma::Piece piece = wmma::to_piece(finish(acc));
    const u32 at = kHalf * (place.token * L.merged + channel);
    if (!place.inside) continue;
    if (kTile * u + kTile <= S::merge_per_head)
      wmma::store_piece((GlobalBytes)p.out, at, piece);
    else
      wmma::store_first_piece((GlobalBytes)p.out, at, piece);
  }
}

}  // namespace k
