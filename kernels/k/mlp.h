// The MLP of a token: acc += W2 gelu(W1 m + b1), 32 hidden channels at a time.
#pragma once

#include "numerics.h"
#include "shape.h"

namespace k {

// 16 hidden channels of one chunk before their gelu: columns nt of W1 on m.
// w1, b1: the chunk's tiles and bias.
template <Layer L, u32 M>
KMX_DEVICE void hidden(wmma::Tiles w1, ConstBytes b1, u32 nt, const Operand (&m)[Shape<L>::tiles][M],
                       Rows (&z)[M]) {
  const Chain first = start(wmma::load_rows(b1, 32 * nt));
  Chain acc[M];
#pragma unroll
  for (u32 i = 0; i < M; i++) acc[i] = first;
#pragma unroll
  for (u32 kt = 0; kt < Shape<L>::tiles; kt++) step(wmma::load_tile(w1, 2 * kt + nt), m[kt], acc);
#pragma unroll
  for (u32 i = 0; i < M; i++) z[i] = finish(acc[i]);
}

// Where a wave holds all channels of its tokens.
template <Layer L, u32 M>
KMX_DEVICE void mlp(ConstBytes image, ConstBytes weights, const Operand (&m)[Shape<L>::tiles][M],
                    Chain (&acc)[Shape<L>::tiles][M]) {
  using S = Shape<L>;
  using I = Image<L>;
#pragma unroll 1
  for (u32 chunk = 0; chunk < S::chunks; chunk++) {
    const wmma::Tiles w1 = wmma::tiles_at(image, I::w1_tile(chunk, 0, 0));
    const wmma::Tiles w2 = wmma::tiles_at(image, I::w2_tile(chunk, 0, 0));
    const ConstBytes b1 = weights + Weights<L>::b1 + Weights<L>::b1_chunk * chunk;
    Rows z[2][M];
#pragma unroll
    for (u32 nt = 0; nt < 2; nt++) hidden<L>(w1, b1, nt, m, z[nt]);
    phase();
#pragma unroll
    for (u32 ks = 0; ks < 2; ks++) {
      Operand g[M];
#pragma unroll
      for (u32 i = 0; i < M; i++) g[i] = wmma::to_operand(gelu16(z[ks][i]));
#pragma unroll
      for (u32 nt = 0; nt < S::tiles; nt++)
        step(wmma::load_tile(w2, I::w2_tile(0, nt, ks) - I::w2), g, acc[nt]);
    }
  }
}

}  // namespace k
