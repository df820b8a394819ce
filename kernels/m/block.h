// The Swin block, which every layer has: x1 = x + attention(norm(x)), then
// y = x1 + MLP(norm(x1)).
#pragma once

#include "attention.h"
#include "mlp.h"
#include "norm.h"

namespace rrlite {

// The section of the tape that a wave begins with.
template <Layer L>
KMX_DEVICE ConstBytes first_head(ConstBytes image, Seat seat) {
  return pair_at(image, seat.member * image_of(L).head_pairs);
}

// A wave's share of y, from its share of x. The tape stands before the first
// head; `after` follows.
template <Layer L>
KMX_DEVICE Share<L> swin_block(const Share<L>& x, Tape<L>& tape, ConstBytes image, const Board<L>& board,
                               ConstBytes after) {
  constexpr Image m = image_of(L);
  const auto vector = [&](u32 at) { return load_share<L>(image, at, board.seat.member); };

  const auto h = norm<L>(x, vector(m.gamma1), board, 1);
  phase();
  Sums<L> sums = begin<L>(plus(x, vector(m.out_bias)));
  attention<L>(sums, h, tape, image, board, pair_at(image, m.chunk0 + board.seat.member * m.chunk_pairs));
  const Share<L> x1 = end<L>(sums);

  const auto h2 = norm<L>(x1, vector(m.gamma2), board, kHeadRounds<L>);
  phase();
  sums = begin<L>(plus(x1, vector(m.mlp_bias)));
  mlp<L>(sums, h2, tape, image, board, after);
  return end<L>(sums);
}

// Writes a share of y where the image has the token.
template <Layer L>
KMX_DEVICE void store_share(const Params& par, const Eights<L.planes(), L.tiles()>& y, Place place, u32 member) {
  if (!place.inside(par.width, par.height)) return;
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++) {
    u32x2 codes[L.tiles()];
#pragma unroll
    for (u32 t = 0; t < L.tiles(); t++) codes[t] = encode(y.part[p][t]);
    store_codes(par.out, place.at(p, par.width, par.height), codes, member);
  }
}

}  // namespace rrlite
