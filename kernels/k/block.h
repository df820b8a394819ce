// What every K layer does between its input x and its output y, for templates
// in which a wave holds all channels of its M token tiles:
//
//   h = x / |x| * gamma1;  x1 = x + bo + attention(h);  m = x1 * gamma2
//   y = x1 + beta2 + W2 gelu(W1 m + b1)
//
// Tokens stay in registers from load to store; LDS carries keys and values
// between waves.
#pragma once

#include "attention.h"
#include "mlp.h"

namespace k {

// x becomes y. first: the wave's first token tile. Other waves may still read
// keys and values when it returns.
template <Layer L, u32 M>
KMX_DEVICE void block(ConstBytes image, ConstBytes weights, LocalBytes lds, u32 first,
                      const Operand (&x)[Shape<L>::tiles][M], Rows (&y)[Shape<L>::tiles][M]) {
  using W = Weights<L>;
  constexpr u32 N = Shape<L>::tiles;

  f16 r[M];
#pragma unroll
  for (u32 i = 0; i < M; i++) {
    Operand token[N];
#pragma unroll
    for (u32 t = 0; t < N; t++) token[t] = x[t][i];
    r[i] = inverse_norm(token);
  }
  Operand h[N][M];
#pragma unroll
  for (u32 t = 0; t < N; t++) {
    const Operand gamma = wmma::load_operand(weights + W::gamma1, 32 * t);
#pragma unroll
    for (u32 i = 0; i < M; i++) h[t][i] = x[t][i] * (r[i] * gamma);
  }

  Attend<L, M>::project(image, lds, first, h);
  Rows x0[N][M];
  Chain acc[N][M];
#pragma unroll
  for (u32 t = 0; t < N; t++) {
    const Chain bo = start(wmma::load_rows(weights + W::bo, 32 * t));
#pragma unroll
    for (u32 i = 0; i < M; i++) {
      x0[t][i] = wmma::to_rows(x[t][i]);
      acc[t][i] = bo;
    }
  }
  barrier_lds();
  Attend<L, M>::mix(image, lds, first, h, acc);

  Operand m[N][M];
#pragma unroll
  for (u32 t = 0; t < N; t++) {
    const Rows gamma = wmma::load_rows(weights + W::gamma2, 32 * t);
    const Rows beta = wmma::load_rows(weights + W::beta2, 32 * t);
#pragma unroll
    for (u32 i = 0; i < M; i++) {
      const Rows x1 = finish(acc[t][i]) + x0[t][i];
      m[t][i] = wmma::to_operand(x1 * gamma);
      acc[t][i] = start(x1 + beta);
    }
  }
  mlp<L>(image, weights, m, acc);
#pragma unroll
  for (u32 t = 0; t < N; t++)
#pragma unroll
    for (u32 i = 0; i < M; i++) y[t][i] = finish(acc[t][i]);
}

}  // namespace k
