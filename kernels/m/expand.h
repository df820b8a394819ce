// Patch expansion: a token of half resolution becomes a quad; with the skip
// added, that is the decoder's input.
//
// The low token is mirrored on its own grid, the skip on the full one, and which
// of a quad a token is comes from its place in the window: beyond the border the
// two are taken from different places. One wave (or a team) computes one q of
// all 16 quads of the block and puts them into LDS.
#pragma once

#include "quads.h"
#include "tape.h"

namespace rrlite {

template <Layer L>
KMX_DEVICE ConstBytes expand_section(ConstBytes image) {
  constexpr Image m = image_of(L);
  return pair_at(image, m.expand0 + wave_id() * m.expand_pairs);
}

// Fills the rows. The tape stands before this wave's section; `after` follows.
template <Layer L>
KMX_DEVICE void expand(const Params& par, LocalBytes lds, Tape<L>& tape, ConstBytes image, ConstBytes after) {
  constexpr Image im = image_of(L);
  constexpr u32 planes = L.planes(), tiles = L.tiles(), steps = L.low / 32;
  const u32 q = wave_id() / L.team(), member = wave_id() % L.team(), m = wmma::index();
  const i32 width = par.width / 2, height = par.height / 2;
  const Place from = mirror(quad_place(corner(par.shift_x, par.shift_y), m), width, height);
  Codes low[steps];
#pragma unroll
  for (u32 j = 0; j < steps; j++) low[j] = load_codes((ConstBytes)par.in, from.at(j, width, height));
  Sums<L> sums;
#pragma unroll
  for (u32 p = 0; p < planes; p++)
#pragma unroll
    for (u32 t = 0; t < tiles; t++)
      sums.part[p][t] = start(load_vector(image, im.expand_bias, q * planes + p, tile_of_share<L>(t, member)));
  tape.enter(after);
  multiply<steps>(sums.part, tape, {0, 2 * im.expand_pairs}, [&](u32 j) {
    return Step{operand(from_codes(low[j].tile[0])), operand(from_codes(low[j].tile[1]))};
  });
  const u32 row = QuadRows<L>::of_quad(q, m);
#pragma unroll
  for (u32 p = 0; p < planes; p++)
#pragma unroll
    for (u32 t = 0; t < tiles; t++)
      QuadRows<L>::put(lds, row, p, tile_of_share<L>(t, member), pack(finish(sums.part[p][t])));
}

// A share of this lane's token: expanded + skip.
template <Layer L>
KMX_DEVICE Share<L> expanded_token(LocalBytes lds, Share<L> skip, Seat seat) {
  const u32 row = QuadRows<L>::of_token(seat.window, token());
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++)
#pragma unroll
    for (u32 t = 0; t < L.tiles(); t++)
      skip.part[p][t] = unpack(QuadRows<L>::get(lds, row, p, tile_of_share<L>(t, seat.member))) + skip.part[p][t];
  return skip;
}

}  // namespace rrlite
