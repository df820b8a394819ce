// An encoder layer: norm, attention, MLP, both outputs.
#pragma once

#include "attention.h"
#include "merge.h"
#include "mlp.h"
#include "norm.h"

namespace rrlite {

template <Layer L>
KMX_DEVICE void encoder(const Params& par, ConstBytes image, LocalBytes lds) {
  static_assert(L.merged != 0 && L.low == 0 && !L.tube);
  // With eight waves, two share a window: each then does every second head and
  // hidden chunk and one tile of every plane, and they exchange Eights.
  static_assert(L.waves == 4, "one wave a window");
  static_assert(L.merged % 32 == 0 && L.merged / 32 <= L.waves, "a wave merges 32 channels");
  constexpr Image m = image_of(L);
  constexpr u32 planes = L.planes();

  const u32 wave = wave_id(), token = wmma::index();
  const u32 group = wave < L.merged / 32 ? wave : 0;
  const Place place = token_place(corner(par.shift_x, par.shift_y), wave, token);
  Token<L> x = load_token<L>((ConstBytes)par.in, place, par.width, par.height);
  Tape tape(image);

  const Channels<L> h = norm<L>(x, load_vectors<L>(image, m.gamma1));
  Sums<L> sums = widen<L>(plus<L>(x, load_vectors<L>(image, m.out_bias)));
#pragma unroll
  for (u32 head = 0; head < L.heads; head++) {
    const Eight bias = wmma::load_run(image + m.position + head * kPositionBytes, 32 * wmma::index());
    tape.enter(pair_at(image, (head + 1) * m.head_pairs));
    attend<L>(sums, h, tape, bias);
  }
  x = round<L>(sums);

  const Channels<L> h2 = norm<L>(x, load_vectors<L>(image, m.gamma2));
  sums = widen<L>(plus<L>(x, load_vectors<L>(image, m.mlp_bias)));
  mlp<L>(sums, h2, tape, image, pair_at(image, m.merge0 + group * 4 * planes));
  x = round<L>(sums);

  const u32 row = MergeRows<L>::of_token(wave, token);
  const bool inside = place.inside(par.width, par.height);
#pragma unroll
  for (u32 p = 0; p < planes; p++) {
    const u32x4 codes = encode(x.part[p][0], x.part[p][1]);
    put_codes(lds, row, p, codes);
    if (inside) store(par.out, place.at(p, par.width, par.height) + 16 * wmma::half(), codes);
  }
  barrier_lds();
  tape.enter(image);
  if (wave < L.merged / 32) merge_group<L>(lds, tape, image, par, group);
}

}  // namespace rrlite
