// Attention of a window, one wave a tile of 16 queries.
//
// Everything is computed transposed: a lane is a token, registers are channels,
// weights come first in every product. So the result of one product is, up to
// wmma::to_operand, the operand of the next. Only keys and values cross between
// waves, through LDS.
//
//   project   from the normalised tokens of this wave to keys and values in LDS
//   mix       after a barrier: acc += Wo * O, head by head
//
// Heads are a loop, not unrolled: that bounds the registers of one pass.
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

// The values of one head, from the wave's own tokens to LDS. w: the head's tiles.
template <Layer L>
KMX_DEVICE void project_values(ConstBytes w, LocalBytes values, u32 wave,
                               const Operand (&h)[Shape<L>::tiles]) {
#pragma unroll
  for (u32 nt = 0; nt < 2; nt++) {
    const Accum v = project_transposed(w, Image<L>::qkv_tile(0, 2, 0, nt), 2, h);
    wmma::store_tile(values, 4 * nt + wave, wmma::to_piece(wmma::round(v)));
  }
}

// acc += Wo * (V * P) of one head; w: the head's tiles of Wo, p: probabilities
// of the wave's queries.
template <Layer L>
KMX_DEVICE void apply_head(ConstBytes w, LocalBytes values, const Operand (&p)[4],
                           Accum (&acc)[Shape<L>::tiles]) {
  Operand o[2];
#pragma unroll
  for (u32 nt = 0; nt < 2; nt++) {
    if (nt) phase();
    Accum d = {};
#pragma unroll
    for (u32 kt = 0; kt < 4; kt++) d = step(wmma::load_tile(values, 4 * nt + kt), p[kt], d);
    o[nt] = wmma::to_operand(wmma::round(d));
  }
  phase();
#pragma unroll
  for (u32 ks = 0; ks < 2; ks++)
#pragma unroll
    for (u32 nt = 0; nt < Shape<L>::tiles; nt++)
      acc[nt] = step(wmma::load_tile(w, ks * Shape<L>::tiles + nt), o[ks], acc[nt]);
}

template <Layer L, Attention A = L.attention>
struct Attend;

// Probabilities depend on positions only: the table holds them.
template <Layer L>
struct Attend<L, Attention::position> {
  using I = Image<L>;
  static constexpr u32 kLdsTiles = L.heads * kValueTiles;

  KMX_DEVICE static void project(ConstBytes image, LocalBytes lds, u32 wave,
                                 const Operand (&h)[Shape<L>::tiles]) {
#pragma unroll 1
    for (u32 head = 0; head < L.heads; head++)
      project_values<L>(wmma::tile_at(image, I::qkv_tile(head, 0, 0, 0)),
                        wmma::tile_at(lds, head * kValueTiles), wave, h);
  }

  KMX_DEVICE static void mix(ConstBytes image, LocalBytes lds, u32 wave,
                             const Operand (&)[Shape<L>::tiles], Accum (&acc)[Shape<L>::tiles]) {
#pragma unroll 1
    for (u32 head = 0; head < L.heads; head++) {
      const ConstBytes table = wmma::tile_at(image, I::table_tile(head, wave, 0));
      Operand p[4];
#pragma unroll
      for (u32 kt = 0; kt < 4; kt++) p[kt] = wmma::load_tile(table, kt);
      apply_head<L>(wmma::tile_at(image, I::wo_tile(head, 0, 0)),
                    wmma::tile_at(lds, head * kValueTiles), p, acc);
    }
  }
};

// Probabilities from queries, keys and a bias table; no maximum is subtracted.
template <Layer L>
struct Attend<L, Attention::learned> {
  using I = Image<L>;
  static constexpr u32 kKeys = L.heads * kValueTiles;  // first tile of the keys
  static constexpr u32 kLdsTiles = kKeys + L.heads * kKeyTiles;

  KMX_DEVICE static void project(ConstBytes image, LocalBytes lds, u32 wave,
                                 const Operand (&h)[Shape<L>::tiles]) {
#pragma unroll 1
    for (u32 head = 0; head < L.heads; head++) {
      const ConstBytes w = wmma::tile_at(image, I::qkv_tile(head, 0, 0, 0));
      const LocalBytes keys = wmma::tile_at(lds, kKeys + head * kKeyTiles);
#pragma unroll
      for (u32 nt = 0; nt < 2; nt++) {
        const Accum key = project_tile(w, I::qkv_tile(0, 1, 0, nt), 2, h);
        wmma::store_tile(keys, 2 * wave + nt, wmma::to_piece(wmma::round(key)));
      }
      phase();
      project_values<L>(w, wmma::tile_at(lds, head * kValueTiles), wave, h);
    }
  }

  KMX_DEVICE static void mix(ConstBytes image, LocalBytes lds, u32 wave,
                             const Operand (&h)[Shape<L>::tiles], Accum (&acc)[Shape<L>::tiles]) {
#pragma unroll 1
    for (u32 head = 0; head < L.heads; head++) {
      const ConstBytes w = wmma::tile_at(image, I::qkv_tile(head, 0, 0, 0));
      const ConstBytes table = wmma::tile_at(image, I::table_tile(head, wave, 0));
      const LocalBytes keys = wmma::tile_at(lds, kKeys + head * kKeyTiles);
      Operand query[2];
#pragma unroll
      for (u32 nt = 0; nt < 2; nt++)
        query[nt] = wmma::to_operand(wmma::round(project_tile(w, I::qkv_tile(0, 0, 0, nt), 2, h)));
      phase();
      Rows e[4];
      f32 sum = 0;  // of this lane's keys, in the order of its registers
#pragma unroll
      for (u32 kt = 0; kt < 4; kt++) {
        if (kt == 2) phase();
        Accum s = wmma::widen(wmma::load_start(table, kt));
#pragma unroll
        for (u32 nt = 0; nt < 2; nt++) s = step(wmma::load_tile(keys, 2 * kt + nt), query[nt], s);
        e[kt] = attention_exp(wmma::round(s));
#pragma unroll
        for (u32 i = 0; i < 8; i++) sum = add_wide(sum, e[kt][i]);
      }
      const f16 r = rcp16((f16)(sum + swap_halves(sum)));
      Operand p[4];
#pragma unroll
      for (u32 kt = 0; kt < 4; kt++) p[kt] = wmma::to_operand(e[kt] * r);
      phase();
      apply_head<L>(wmma::tile_at(image, I::wo_tile(head, 0, 0)),
                    wmma::tile_at(lds, head * kValueTiles), p, acc);
    }
  }
};

}  // namespace k
