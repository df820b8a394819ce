// Patch merging: a quad becomes one token of `merged` channels.
//
// Its input is the channels of the quad's tokens, q by q, as they were written
// out. All waves put their tokens into LDS; then each computes some outputs of
// all 16 quads of the block.
#pragma once

#include "quads.h"
#include "tape.h"

namespace rrlite {

// Whether this wave has outputs to compute, and its section of the tape.
template <Layer L>
KMX_DEVICE bool merges() { return wave_id() < image_of(L).merges; }
template <Layer L>
KMX_DEVICE ConstBytes merge_section(ConstBytes image) {
  constexpr Image m = image_of(L);
  return pair_at(image, m.merge0 + (merges<L>() ? wave_id() : 0) * m.merge_pairs);
}

// Puts a share of y into the rows, as it will be read back from memory.
template <Layer L>
KMX_DEVICE void put_share(LocalBytes lds, const Eights<L.planes(), L.tiles()>& y, Seat seat) {
  const u32 row = QuadRows<L>::of_token(seat.window, token());
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++)
#pragma unroll
    for (u32 t = 0; t < L.tiles(); t++)
      QuadRows<L>::put(lds, row, p, tile_of_share<L>(t, seat.member), from_codes(encode(y.part[p][t])));
}

// This wave's outputs, from all rows. The tape stands before its section.
template <Layer L>
KMX_DEVICE void merge(const Params& par, LocalBytes lds, Tape<L>& tape, ConstBytes image) {
  constexpr Image im = image_of(L);
  constexpr u32 planes = L.planes(), tiles = L.tiles();
  const u32 plane = wave_id() / L.team(), member = wave_id() % L.team(), m = wmma::index();
  Chain acc[1][tiles];
#pragma unroll
  for (u32 t = 0; t < tiles; t++)
    acc[0][t] = start(load_vector(image, im.merge_bias, plane, tile_of_share<L>(t, member)));
  multiply<4 * planes>(acc, tape, {0, 2 * im.merge_pairs, true}, [&](u32 j) {
    return QuadRows<L>::get_plane(lds, QuadRows<L>::of_quad(j / planes, m), j % planes);
  });
  u32x2 codes[tiles];
#pragma unroll
  for (u32 t = 0; t < tiles; t++) codes[t] = encode(finish(acc[0][t]));

  const Place to = quad_place(corner(par.shift_x, par.shift_y), m);
  const i32 width = par.width / 2, height = par.height / 2;
  if (to.inside(width, height)) store_codes(par.merged, to.at(plane, width, height), codes, member);
}

}  // namespace rrlite
