// The MLP: C channels to 4C hidden ones and back, 32 hidden channels at a time.
#pragma once

#include "math.h"
#include "tape.h"
#include "window.h"

namespace rrlite {

// One chunk: sums += gelu(h * W1 + b1) * W2.
template <Layer L>
KMX_DEVICE void mlp_chunk(Sums<L>& sums, const Channels<L>& h, Tape& tape, const Eight (&bias)[2]) {
  constexpr u32 planes = L.planes(), pairs = 2 * planes;
  static_assert(pairs % kDepth == 0, "the loop over chunks would move registers about");
  wmma::Accum z[2] = {wmma::widen(bias[0]), wmma::widen(bias[1])};
#pragma unroll
  for (u32 p = 0; p < planes; p++) {
    const Pair w = tape.take(p, pairs);
#pragma unroll
    for (u32 t = 0; t < 2; t++) z[t] = mma(w.tile[t], h.plane[p], z[t]);
  }
  const Step hidden = {quantised(gelu16(wmma::round(z[0]))), quantised(gelu16(wmma::round(z[1])))};
#pragma unroll
  for (u32 p = 0; p < planes; p++) {
    const Pair w = tape.take(planes + p, pairs);
#pragma unroll
    for (u32 t = 0; t < 2; t++) sums.part[p][t] = mma(w.tile[t], hidden, sums.part[p][t]);
  }
}

// All chunks. The tape stands before the first one; `after` is what follows.
template <Layer L>
KMX_DEVICE void mlp(Sums<L>& sums, const Channels<L>& h, Tape& tape, ConstBytes image, ConstBytes after) {
  constexpr Image m = image_of(L);
  constexpr u32 chunks = L.chunks();
  Eight bias[2] = {load_vector(image, m.chunk_bias, 0, 0), load_vector(image, m.chunk_bias, 0, 1)};
#pragma unroll 1
  for (u32 chunk = 0; chunk < chunks; chunk++) {
    const bool last = chunk == chunks - 1;
    const u32 next = last ? chunk : chunk + 1;
    const Eight next_bias[2] = {load_vector(image, m.chunk_bias, next, 0), load_vector(image, m.chunk_bias, next, 1)};
    tape.enter(last ? after : pair_at(image, m.chunk0 + next * m.chunk_pairs));
    mlp_chunk<L>(sums, h, tape, bias);
    bias[0] = next_bias[0], bias[1] = next_bias[1];
  }
}

}  // namespace rrlite
