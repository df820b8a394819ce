// Attention of a window: what one wave computes for its tiles of 16 tokens.
//
// Everything is computed transposed: a lane is a token, registers are channels,
// weights come first in every product. So the result of one product is, up to
// wmma::to_operand, the operand of the next. Only keys and values cross between
// waves, through LDS; they stand there in the order of the window's tokens.
//
// M is the number of token tiles of the wave: tiles first .. first + M - 1.
// Arrays are [channel tile][token tile]; every loaded weight serves M products.
#pragma once

#include "numerics.h"
#include "shape.h"

namespace k {

// LDS tiles of one head's values: [nt 2][kt 4], slot = channel, K = keys.
constexpr u32 kValueTiles = 2 * 4;
// LDS tiles of one head's keys: [kt 4][nt 2], slot = key, K = channels.
constexpr u32 kKeyTiles = 4 * 2;

constexpr u32 value_tile(u32 nt, u32 kt) { return 4 * nt + kt; }
constexpr u32 key_tile(u32 kt, u32 nt) { return 2 * kt + nt; }

// The queries of one head. w: the head's tiles.
template <Layer L, u32 M>
KMX_DEVICE void project_queries(wmma::Tiles w, const Operand (&h)[Shape<L>::tiles][M],
                                Operand (&query)[2][M]) {
#pragma unroll
  for (u32 nt = 0; nt < 2; nt++) {
    Chain q[M] = {};
#pragma unroll
    for (u32 kt = 0; kt < Shape<L>::tiles; kt++)
      step(wmma::load_tile(w, Image<L>::qkv_tile(0, 0, kt, nt)), h[kt], q);
#pragma unroll
    for (u32 i = 0; i < M; i++) query[nt][i] = wmma::to_operand(finish(q[i]));
  }
}

// The keys of one head, from the wave's own tokens to LDS.
template <Layer L, u32 M>
KMX_DEVICE void project_keys(wmma::Tiles w, LocalBytes keys, u32 first,
                             const Operand (&h)[Shape<L>::tiles][M]) {
#pragma unroll
  for (u32 nt = 0; nt < 2; nt++) {
    Chain key[M] = {};
#pragma unroll
    for (u32 kt = 0; kt < Shape<L>::tiles; kt++)
      step(wmma::load_tile(w, Image<L>::qkv_tile(0, 1, kt, nt)), h[kt], key);
#pragma unroll
    for (u32 i = 0; i < M; i++)
      wmma::store_tile(keys, key_tile(first + i, nt), wmma::to_piece(finish(key[i])));
  }
}

// The values of one head, from the wave's own tokens to LDS: channels in lanes.
template <Layer L, u32 M>
KMX_DEVICE void project_values(wmma::Tiles w, LocalBytes values, u32 first,
                               const Operand (&h)[Shape<L>::tiles][M]) {
#pragma unroll
  for (u32 nt = 0; nt < 2; nt++) {
    Chain v[M] = {};
#pragma unroll
    for (u32 kt = 0; kt < Shape<L>::tiles; kt++)
      step(h[kt], wmma::load_tile(w, Image<L>::qkv_tile(0, 2, kt, nt)), v);
#pragma unroll
    for (u32 i = 0; i < M; i++)
      wmma::store_tile(values, value_tile(nt, first + i), wmma::to_piece(finish(v[i])));
  }
}

// Probabilities of one head for one tile of queries: exp(table + K q), divided
// by its sum over keys. No maximum is subtracted.
KMX_DEVICE void softmax(wmma::Tiles table, LocalBytes keys, const Operand (&query)[2][1],
                        Operand (&p)[4][1]) {
  Rows e[4];
#pragma unroll
  for (u32 kt = 0; kt < 4; kt++) {
    if (kt == 2) phase();
    Chain s = start(wmma::load_start(table, kt));
#pragma unroll
    for (u32 nt = 0; nt < 2; nt++) s = step(wmma::load_tile(keys, key_tile(kt, nt)), query[nt][0], s);
    e[kt] = attention_exp(finish(s));
  }
  const f16 r = rcp16((f16)wmma::sum_rows(e));
#pragma unroll
  for (u32 kt = 0; kt < 4; kt++) p[kt][0] = wmma::to_operand(e[kt] * r);
}

// d += V p over one tile of keys: both channel tiles of one head's output.
template <u32 M>
KMX_DEVICE void weigh(LocalBytes values, u32 kt, const Operand (&p)[M], Chain (&d)[2][M]) {
#pragma unroll
  for (u32 nt = 0; nt < 2; nt++) step(wmma::load_tile(values, value_tile(nt, kt)), p, d[nt]);
}

// Attention where a wave holds all channels of its tokens and takes one head
// after the other:
//
//   project   from the normalised tokens of this wave to keys and values in LDS
//   mix       after a barrier: acc += Wo * O, head by head
//
// Heads are a loop, not unrolled: that bounds the registers of one pass.
template <Layer L, u32 M>
struct Attend {
  using S = Shape<L>;
  using I = Image<L>;
  static constexpr bool learned = L.attention == Attention::learned;
  static constexpr u32 keys = L.heads * kValueTiles;  // first tile of the keys
  static constexpr u32 lds_tiles = keys + (learned ? L.heads * kKeyTiles : 0);

  KMX_DEVICE static void project(ConstBytes image, LocalBytes lds, u32 first,
                                 const Operand (&h)[S::tiles][M]) {
#pragma unroll 1
    for (u32 head = 0; head < L.heads; head++) {
      const wmma::Tiles w = wmma::tiles_at(image, I::qkv_tile(head, 0, 0, 0));
      if constexpr (learned) {
        project_keys<L>(w, wmma::tile_at(lds, keys + head * kKeyTiles), first, h);
        phase();
      }
      project_values<L>(w, wmma::tile_at(lds, head * kValueTiles), first, h);
    }
  }

  KMX_DEVICE static void mix(ConstBytes image, LocalBytes lds, u32 first,
                             const Operand (&h)[S::tiles][M], Chain (&acc)[S::tiles][M]) {
#pragma unroll 1
    for (u32 head = 0; head < L.heads; head++) {
      const u32 table = I::table_tile(head, first, 0);
      const LocalBytes values = wmma::tile_at(lds, head * kValueTiles);
      Chain d[2][M] = {};
      if constexpr (learned) {
        static_assert(M == 1, "one tile of queries a wave");
        Operand query[2][1], p[4][1];
        project_queries<L>(wmma::tiles_at(image, I::qkv_tile(head, 0, 0, 0)), h, query);
        phase();
        softmax(wmma::starts_at(image, table), wmma::tile_at(lds, keys + head * kKeyTiles), query, p);
        phase();
#pragma unroll
        for (u32 kt = 0; kt < 4; kt++) {
          if (kt == 2) phase();
          weigh(values, kt, p[kt], d);
        }
      } else {
        // Probabilities depend on positions only: the table holds them.
        const wmma::Tiles row = wmma::tiles_at(image, table);
#pragma unroll
        for (u32 kt = 0; kt < 4; kt++) {
          if (kt % 2 || M > 1) phase();
          Operand p[M];
#pragma unroll
          for (u32 i = 0; i < M; i++) p[i] = wmma::load_tile(row, 4 * i + kt);
          weigh(values, kt, p, d);
        }
      }
      phase();
      Operand o[2][M];
#pragma unroll
      for (u32 nt = 0; nt < 2; nt++)
#pragma unroll
        for (u32 i = 0; i < M; i++) o[nt][i] = wmma::to_operand(finish(d[nt][i]));
      const wmma::Tiles wo = wmma::tiles_at(image, I::wo_tile(head, 0, 0));
#pragma unroll
      for (u32 ks = 0; ks < 2; ks++)
#pragma unroll
        for (u32 nt = 0; nt < S::tiles; nt++)
          step(wmma::load_tile(wo, I::wo_tile(0, nt, ks) - I::wo), o[ks], acc[nt]);
    }
  }
};

}  // namespace k
