// The wide template, for 96 channels and more: one window a work-group, NG waves
// a token tile. Wave z works on token tile z % 4 in group z / 4. A group takes
// every NG-th head, every NG-th hidden chunk and every NG-th channel tile of x,
// x1 and y: what it has computed, the others read from LDS.
//
//   expand   decoders: x to tokens
//   norm     1 / |x| to shared; h to tokens
//   attend   keys and values of NG heads at a time to shared; O to shared
//   residual x1 = x + bo + Wo O; x1 * gamma2 to tokens
//   mlp      hidden chunks, NG at a time, to shared, two buffers in turn
//   y        to memory; encoders: to tokens, merged
//
// Tokens and shared are the two parts of LDS. Between writing a part and reading
// it, and between reading and writing it anew, there is a barrier. Every step
// rounds to f16, in fast builds too.
#pragma once

#include "attention.h"
#include "entry.h"
#include "tokens.h"

namespace k {

template <Layer L>
struct WideTemplate {
  static constexpr Layer layer = L;
  using S = Shape<L>;
  using W = Weights<L>;
  using I = Image<L>;
  static constexpr u32 NG = L.groups;
  static constexpr u32 waves = 4 * NG;
  static constexpr u32 N = S::tiles;
  static constexpr u32 J = (N + NG - 1) / NG;   // channel tiles a wave: of all groups,
  static constexpr u32 whole = N / NG;          // and of every group
  static constexpr u32 rounds = L.heads / NG;   // of attention
  static_assert(!kKeepF32 && L.heads % NG == 0 && S::chunks % NG == 0);

  // Tiles of shared: a head's values and keys, a round's operands of one token
  // tile, both buffers of them.
  static constexpr u32 head_tiles = kValueTiles + kKeyTiles;
  static constexpr u32 operands = I::part_k;
  static constexpr u32 shared_tiles =
      larger(NG * head_tiles, larger(4 * 2 * L.heads, 2 * 4 * operands));
  static constexpr u32 lds_bytes = Tokens<L>::bytes + wmma::kTileBytes * shared_tiles;

  const Params& p;
  const ConstBytes image, weights;
  const u32 tile, group;
  const Window window;
  const Tokens<L> tokens;
  const LocalBytes shared;

  KMX_DEVICE u32 channel_tile(u32 j) const { return group + NG * j; }
  KMX_DEVICE bool has(u32 j) const { return j < whole || channel_tile(j) < N; }

  // The rows of a channel vector that belong to channel tile j of this wave.
  KMX_DEVICE Rows vector(u32 offset, u32 j) const {
    return wmma::load_rows(weights + offset + 32 * group, 32 * NG * j);
  }

  // acc += W * the operands of one round; w: W's tiles [nt][k].
  template <u32 First, u32 Count>
  KMX_DEVICE void accumulate(wmma::Tiles w, LocalBytes from, Chain (&acc)[J]) const {
#pragma unroll
    for (u32 k = 0; k < operands; k++) {
      if (k == operands / 2) phase();
      const Operand x = wmma::load_tile(from, k);
#pragma unroll
      for (u32 j = First; j < First + Count; j++)
        acc[j] = step(wmma::load_tile(w, NG * operands * j + k), x, acc[j]);
    }
  }
  KMX_DEVICE void accumulate(wmma::Tiles w, LocalBytes from, Chain (&acc)[J]) const {
    accumulate<0, whole>(w, from, acc);
    if constexpr (J > whole)
      if (has(whole)) accumulate<whole, 1>(w, from, acc);
  }

  // Where this wave's token tile has its operands in a buffer of shared.
  KMX_DEVICE LocalBytes buffer(u32 b, u32 tiles) const {
    return wmma::tile_at(shared, (4 * b + tile) * tiles);
  }

  // Queries, keys and values of one head.
  KMX_DEVICE void project(u32 head, LocalBytes values, LocalBytes keys, Operand (&query)[2][1]) const {
    Chain q[2] = {}, key[2] = {}, v[2] = {};
#pragma unroll 1
    for (u32 kt = 0; kt < N; kt++) {
      const wmma::Tiles w = wmma::tiles_at(image, I::qkv_tile(head, 0, kt, 0));
      const Operand h = wmma::load_tile(tokens.tile(tile), kt);
#pragma unroll
      for (u32 nt = 0; nt < 2; nt++) {
        q[nt] = step(wmma::load_tile(w, I::qkv_tile(0, 0, 0, nt)), h, q[nt]);
        key[nt] = step(wmma::load_tile(w, I::qkv_tile(0, 1, 0, nt)), h, key[nt]);
        v[nt] = step(h, wmma::load_tile(w, I::qkv_tile(0, 2, 0, nt)), v[nt]);
      }
    }
#pragma unroll
    for (u32 nt = 0; nt < 2; nt++) {
      query[nt][0] = wmma::to_operand(finish(q[nt]));
      wmma::store_tile(keys, key_tile(tile, nt), wmma::to_piece(finish(key[nt])));
      wmma::store_tile(values, value_tile(nt, tile), wmma::to_piece(finish(v[nt])));
    }
  }

  // O of all heads to shared.
  KMX_DEVICE void attend() const {
    const LocalBytes values = wmma::tile_at(shared, group * head_tiles);
    const LocalBytes keys = wmma::tile_at(values, kValueTiles);
    wmma::Piece o[rounds][2];
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++) {
      const u32 head = group + NG * round;
      Operand query[2][1], p[4][1];
      project(head, values, keys, query);
      barrier_lds();
      softmax(wmma::starts_at(image, I::table_tile(head, tile, 0)), keys, query, p);
      Chain d[2][1] = {};
#pragma unroll
      for (u32 kt = 0; kt < 4; kt++) weigh(values, kt, p[kt], d);
      // The last round's O is last.
#pragma unroll
      for (u32 nt = 0; nt < 2; nt++) {
#pragma unroll
        for (u32 i = 0; i + 1 < rounds; i++) o[i][nt] = o[i + 1][nt];
        o[rounds - 1][nt] = wmma::to_piece(finish(d[nt][0]));
      }
      barrier_lds();
    }
#pragma unroll
    for (u32 round = 0; round < rounds; round++)
#pragma unroll
      for (u32 nt = 0; nt < 2; nt++)
        wmma::store_tile(buffer(0, 2 * L.heads), 2 * (group + NG * round) + nt, o[round][nt]);
    barrier_lds();
  }

  // Channel tile t of the wave's tokens; token: their place in memory, in bytes.
  KMX_DEVICE Operand input(u32 token, u32 t) const {
    if constexpr (L.low) return wmma::load_tile(tokens.tile(tile), t);
    return wmma::load_operand((GlobalBytes)p.in, token + 32 * t);
  }

  // h to tokens. One group's waves sum up the squares, for the others too.
  KMX_DEVICE void normalise(u32 token, Rows (&x0)[J]) const {
    const u32 at = kHalf * (16 * tile + wmma::column());
    if (group == 0) {
      Operand x[N];
#pragma unroll
      for (u32 t = 0; t < N; t++) x[t] = input(token, t);
      store(shared, at, inverse_norm(x));
    }
    Operand x[J];
#pragma unroll
    for (u32 j = 0; j < J; j++)
      if (has(j)) x[j] = input(token, channel_tile(j));
    barrier_lds();
    const f16 r = load<f16>(shared, at);
#pragma unroll
    for (u32 j = 0; j < J; j++)
      if (has(j)) {
        const Operand gamma = wmma::load_operand(weights + W::gamma1 + 32 * group, 32 * NG * j);
        wmma::store_tile(tokens.tile(tile), channel_tile(j), wmma::piece_of(x[j] * (r * gamma)));
        x0[j] = wmma::to_rows(x[j]);
      }
  }

  // x1 * gamma2 to tokens, x1 + beta2 to acc.
  KMX_DEVICE void residual(const Rows (&x0)[J], Chain (&acc)[J]) const {
#pragma unroll
    for (u32 j = 0; j < J; j++)
      if (has(j)) acc[j] = start(vector(W::bo, j));
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++)
      accumulate(wmma::tiles_at(image, I::wo_tile(round, group, 0)),
                 wmma::tile_at(buffer(0, 2 * L.heads), operands * round), acc);
#pragma unroll
    for (u32 j = 0; j < J; j++)
      if (has(j)) {
        const Rows x1 = finish(acc[j]) + x0[j];
        wmma::store_tile(tokens.tile(tile), channel_tile(j),
                         wmma::to_piece(x1 * vector(W::gamma2, j)));
        acc[j] = start(x1 + vector(W::beta2, j));
      }
  }

  // acc += W2 gelu(W1 m + b1), NG hidden chunks at a time.
  KMX_DEVICE void mlp(Chain (&acc)[J]) const {
#pragma unroll 1
    for (u32 first = 0; first < S::chunks; first += NG) {
      const u32 chunk = first + group;
      const ConstBytes b1 = weights + W::b1 + W::b1_chunk * chunk;
      Chain z[2] = {start(wmma::load_rows(b1, 0)), start(wmma::load_rows(b1, 32))};
      const wmma::Tiles w1 = wmma::tiles_at(image, I::w1_tile(chunk, 0, 0));
#pragma unroll
      for (u32 kt = 0; kt < N; kt++) {
        if (kt == N / 2) phase();
        const Operand m = wmma::load_tile(tokens.tile(tile), kt);
#pragma unroll
        for (u32 nt = 0; nt < 2; nt++) z[nt] = step(wmma::load_tile(w1, 2 * kt + nt), m, z[nt]);
      }
      const LocalBytes to = buffer(first / NG % 2, operands);
#pragma unroll
      for (u32 nt = 0; nt < 2; nt++)
        wmma::store_tile(to, 2 * group + nt, wmma::to_piece(gelu16(finish(z[nt]))));
      barrier_lds();
      accumulate(wmma::tiles_at(image, I::w2_tile(first / NG, group, 0)), to, acc);
    }
  }

  KMX_DEVICE void run() const {
    const Place place = window.place(16 * tile + wmma::column());
    const u32 token = kHalf * L.channels * place.token;
    if constexpr (L.low) {
      static_assert(J == whole);
      expand<L, J>(p, window, image, tokens, tile, group, NG);
      barrier_lds();
    }
    Rows x0[J];
    normalise(token, x0);
    barrier_lds();
    attend();
    Chain acc[J];
    residual(x0, acc);
    barrier_lds();
    mlp(acc);
#pragma unroll
    for (u32 j = 0; j < J; j++)
      if (has(j)) {
        const wmma::Piece y = wmma::to_piece(finish(acc[j]));
        if constexpr (L.merged) wmma::store_tile(tokens.tile(tile), channel_tile(j), y);
        if (place.inside)
          wmma::store_piece((GlobalBytes)(L.merged ? p.y : p.out), token + 32 * channel_tile(j), y);
      }
    if constexpr (L.merged) {
      barrier_lds();
      merge<L>(p, window, image, tokens, tile + 4 * group, waves);
    }
  }

  KMX_DEVICE static void run(const Params& p, ConstBytes image, LocalBytes lds) {
    const u32 wave = wave_id();
    WideTemplate{p, image, (ConstBytes)p.weights, wave & 3, wave >> 2, window_of(p), {lds},
                 lds + Tokens<L>::bytes}
        .run();
  }
};

}  // namespace k
