// The MLP: C channels to 4C hidden ones and back, 32 hidden channels at a time.
#pragma once

#include "image.h"
#include "window.h"

namespace rrlite {

// One chunk: sums += gelu(h * W1 + b1) * W2.
template <Layer L>
KMX_DEVICE void mlp_chunk(Sums<L>& sums, const Channels<L>& h, ConstBytes image, u32 chunk) {
  constexpr Image m = image_of(L);
  constexpr u32 planes = L.planes();
  const u32 pairs = m.chunk0 + chunk * m.chunk_pairs;
  Step hidden;
#pragma unroll
  for (u32 t = 0; t < 2; t++) {
    wmma::Accum z = wmma::widen(load_vector(image, m.chunk_bias, chunk, t));
#pragma unroll
    for (u32 p = 0; p < planes; p++) z = mma(load_weights(image, pairs + p, t), h.plane[p], z);
    hidden.part[t] = quantised(gelu16(wmma::round(z)));
  }
#pragma unroll
  for (u32 p = 0; p < planes; p++)
#pragma unroll
    for (u32 t = 0; t < 2; t++)
      sums.part[p][t] = mma(load_weights(image, pairs + planes + p, t), hidden, sums.part[p][t]);
}

template <Layer L>
KMX_DEVICE void mlp(Sums<L>& sums, const Channels<L>& h, ConstBytes image) {
#pragma unroll 1
  for (u32 chunk = 0; chunk < L.chunks(); chunk++) mlp_chunk<L>(sums, h, image, chunk);
}

}  // namespace rrlite
