// Attention of a window, one wave a tile of 16 queries, all heads at once.
//
// Everything is computed transposed: a lane is a token, registers are channels,
// weights come first in every product. So the result of one product is, up to
// wmma::to_operand, the operand of the next. Only keys and values cross between
// waves, through LDS.
//
//   project   from the normalised tokens of this wave to keys and values in LDS
//   mix       after a barrier: acc += Wo * O, head by head
#pragma once

#include "numerics.h"
#include "shape.h"

namespace k {

// D = W * h for one 16-wide tile of columns of W: tokens in lanes.
template <int N>
KMX_DEVICE Accum project_tile(ConstBytes image, u32 first, u32 stride, const Operand (&h)[N]) {
  Accum d = {};
#pragma unroll
  for (int kt = 0; kt < N; kt++) d = step(wmma::load_tile(image, first + stride * kt), h[kt], d);
  return d;
}

// The same, transposed: columns of W in lanes, tokens in rows.
template <int N>
KMX_DEVICE Accum project_transposed(ConstBytes image, u32 first, u32 stride, const Operand (&h)[N]) {
  Accum d = {};
#pragma unroll
  for (int kt = 0; kt < N; kt++) d = step(h[kt], wmma::load_tile(image, first + stride * kt), d);
  return d;
}

// LDS tiles of one head's values: [nt 2][kt 4], slot = channel, K = keys.
constexpr u32 kValueTiles = 2 * 4;
// LDS tiles of one head's keys: [kt 4][nt 2], slot = key, K = channels.
constexpr u32 kKeyTiles = 4 * 2;

template <Layer L>
KMX_DEVICE void project_values(ConstBytes image, LocalBytes values, u32 wave,
                               const Operand (&h)[Shape<L>::tiles]) {
  using I = Image<L>;
#pragma unroll
  for (u32 head = 0; head < L.heads; head++)
#pragma unroll
    for (u32 nt = 0; nt < 2; nt++) {
      const Accum v = project_transposed(image, I::qkv_tile(head, 2, 0, nt), 2, h);
      wmma::store_tile(values, head * kValueTiles + 4 * nt + wave, wmma::to_piece(wmma::round(v)));
    }
}

// acc += Wo * (V * P) of one head; p: probabilities of the wave's queries.
template <Layer L>
KMX_DEVICE void apply_head(ConstBytes image, LocalBytes values, u32 head, const Operand (&p)[4],
                           Accum (&acc)[Shape<L>::tiles]) {
  using I = Image<L>;
#pragma unroll
  for (u32 ks = 0; ks < 2; ks++) {
    Accum d = {};
#pragma unroll
    for (u32 kt = 0; kt < 4; kt++)
      d = step(wmma::load_tile(values, head * kValueTiles + 4 * ks + kt), p[kt], d);
    const Operand o = wmma::to_operand(wmma::round(d));
#pragma unroll
    for (u32 nt = 0; nt < Shape<L>::tiles; nt++)
      acc[nt] = step(wmma::load_tile(image, I::wo_tile(head, ks, nt)), o, acc[nt]);
  }
}

template <Layer L, Attention A = L.attention>
struct Attend;

// Probabilities depend on positions only: the table holds them.
template <Layer L>
struct Attend<L, Attention::position> {
  using I = Image<L>;
  static constexpr u32 kLdsTiles = L.heads * kValueTiles;

  KMX_DEVICE void project(ConstBytes image, LocalBytes lds, u32 wave,
                          const Operand (&h)[Shape<L>::tiles]) {
    project_values<L>(image, lds, wave, h);
  }

  KMX_DEVICE void mix(ConstBytes image, LocalBytes lds, u32 wave, Accum (&acc)[Shape<L>::tiles]) {
#pragma unroll
    for (u32 head = 0; head < L.heads; head++) {
      Operand p[4];
#pragma unroll
      for (u32 kt = 0; kt < 4; kt++) p[kt] = wmma::load_tile(image, I::table_tile(head, wave, kt));
      apply_head<L>(image, lds, head, p, acc);
    }
  }
};

// Probabilities from queries, keys and a bias table; no maximum is subtracted.
template <Layer L>
struct Attend<L, Attention::learned> {
  using I = Image<L>;
  static constexpr u32 kKeys = L.heads * kValueTiles;  // first tile of the keys
  static constexpr u32 kLdsTiles = kKeys + L.heads * kKeyTiles;

  Operand query[L.heads][2];

  KMX_DEVICE void project(ConstBytes image, LocalBytes lds, u32 wave,
                          const Operand (&h)[Shape<L>::tiles]) {
#pragma unroll
    for (u32 head = 0; head < L.heads; head++)
#pragma unroll
      for (u32 nt = 0; nt < 2; nt++) {
        const Accum q = project_tile(image, I::qkv_tile(head, 0, 0, nt), 2, h);
        query[head][nt] = wmma::to_operand(wmma::round(q));
        const Accum key = project_tile(image, I::qkv_tile(head, 1, 0, nt), 2, h);
        wmma::store_tile(lds, kKeys + head * kKeyTiles + 2 * wave + nt,
                         wmma::to_piece(wmma::round(key)));
      }
    project_values<L>(image, lds, wave, h);
  }

  KMX_DEVICE void mix(ConstBytes image, LocalBytes lds, u32 wave, Accum (&acc)[Shape<L>::tiles]) {
#pragma unroll
    for (u32 head = 0; head < L.heads; head++) {
      Rows e[4];
      f32 sum = 0;  // of this lane's keys, in the order of its registers
#pragma unroll
      for (u32 kt = 0; kt < 4; kt++) {
        Accum s = wmma::widen(wmma::load_start(image, I::table_tile(head, wave, kt)));
#pragma unroll
        for (u32 nt = 0; nt < 2; nt++)
          s = step(wmma::load_tile(lds, kKeys + head * kKeyTiles + 2 * kt + nt), query[head][nt], s);
        e[kt] = attention_exp(wmma::round(s));
#pragma unroll
        for (u32 i = 0; i < 8; i++) sum = add_wide(sum, e[kt][i]);
      }
      const f16 r = rcp16((f16)(sum + swap_halves(sum)));
      Operand p[4];
#pragma unroll
      for (u32 kt = 0; kt < 4; kt++) p[kt] = wmma::to_operand(e[kt] * r);
      apply_head<L>(image, lds, head, p, acc);
    }
  }
};

}  // namespace k
