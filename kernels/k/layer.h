// The layer template: a whole encoder layer, one window a work-group, four waves
// of 16 tokens each.
//
//   h = norm(x);  x1 = x + bo + attention(h);  m = x1 * gamma2
//   y = x1 + beta2 + W2 gelu(W1 m + b1);  merged = Wm [y of 2x2 tokens] + bm
//
// A wave keeps its tokens in registers from load to store; LDS carries keys and
// values between waves, then y for the merge.
#pragma once

#include "attention.h"
#include "hook.h"
#include "prep.h"
#include "window.h"

namespace k {

constexpr u32 kLayerWaves = 4;

template <Layer L>
struct LayerLds {
  // y: [wave][nt] tiles, slot = token. Four merged rows read four waves' tiles
  // at once: a skew between them spreads these reads over the banks.
  static constexpr u32 kWaveBytes = wmma::kTileBytes * Shape<L>::tiles;
  static constexpr u32 kYBytes = kLayerWaves * kWaveBytes + 256;
  static constexpr u32 kAttentionBytes = wmma::kTileBytes * Attend<L>::kLdsTiles;
  static constexpr u32 kBytes = kAttentionBytes > kYBytes ? kAttentionBytes : kYBytes;
  KMX_DEVICE static u32 y(u32 wave) { return kWaveBytes * wave + 16 * (wave & 1) + 128 * (wave >> 1); }
};

// acc += W2 gelu(W1 m + b1), 32 hidden channels at a time.
template <Layer L>
KMX_DEVICE void mlp(ConstBytes image, ConstBytes weights, const Operand (&m)[Shape<L>::tiles],
                    Accum (&acc)[Shape<L>::tiles]) {
  using S = Shape<L>;
  using I = Image<L>;
#pragma unroll 1
  for (u32 chunk = 0; chunk < S::chunks; chunk++) {
    const ConstBytes w1 = wmma::tile_at(image, I::w1_tile(chunk, 0, 0));
    const ConstBytes w2 = wmma::tile_at(image, I::w2_tile(chunk, 0, 0));
    const ConstBytes b1 = weights + Weights<L>::b1 + Weights<L>::b1_chunk * chunk;
    Rows hidden[2];
#pragma unroll
    for (u32 nt = 0; nt < 2; nt++) {
      Accum z = wmma::widen(wmma::load_rows(b1, 32 * nt));
#pragma unroll
      for (u32 kt = 0; kt < S::tiles; kt++)
        z = step(wmma::load_tile(w1, 2 * kt + nt), m[kt], z);
      hidden[nt] = wmma::round(z);
    }
    phase();
#pragma unroll
    for (u32 ks = 0; ks < 2; ks++) {
      const Operand g = wmma::to_operand(gelu16(hidden[ks]));
#pragma unroll
      for (u32 nt = 0; nt < S::tiles; nt++)
        acc[nt] = step(wmma::load_tile(w2, S::tiles * ks + nt), g, acc[nt]);
    }
  }
}

// Merges 2x2 tokens of y in LDS into one; the waves share the output tiles.
template <Layer L>
KMX_DEVICE void merge(const Params& p, const Window& window, ConstBytes image, ConstBytes weights,
                      LocalBytes lds, u32 wave) {
  using S = Shape<L>;
  using W = Weights<L>;
  const u32 m = wmma::column();
  const Place place = window.merged_place(m);
  // The 2x2 tokens are in the tiles of wave m/4, from slot 2*(m%4) on.
  const LocalBytes y = lds + LayerLds<L>::y(m >> 2);
  const u32 first = 2 * (m & 3);
  const GlobalBytes out = (GlobalBytes)p.out;
#pragma unroll 1
  for (u32 vt = wave; vt < S::merge_n; vt += kLayerWaves) {
    const ConstBytes w = wmma::tile_at(image, Image<L>::merge_tile(0, vt));
    Accum acc = wmma::widen(wmma::load_rows(weights + W::merge_bias + 32 * vt, 0));
#pragma unroll
    for (u32 q = 0; q < 4; q++) {
      if (q == 2) phase();
#pragma unroll
      for (u32 kt = 0; kt < S::tiles; kt++) {
        const Operand token = wmma::load_slot(y, kt, first + 8 * (q >> 1) + (q & 1));
        acc = step(wmma::load_tile(w, (q * S::tiles + kt) * S::merge_n), token, acc);
      }
    }
    static_assert(S::merge_per_head % kTile == 0, "whole tiles a head");
    const wmma::Piece piece = wmma::to_piece(wmma::round(acc));
    if (place.inside) wmma::store_piece(out, kHalf * (place.token * L.merged + kTile * vt), piece);
  }
}

template <Layer L>
KMX_DEVICE void encode(const Params& p, ConstBytes image, LocalBytes lds) {
  using S = Shape<L>;
  using W = Weights<L>;
  constexpr u32 N = S::tiles;
  const u32 wave = wave_id();
  const ConstBytes weights = (ConstBytes)p.weights;
  const Window window = window_of(p);
  const Place place = window.place(16 * wave + wmma::column());

  Operand x[N], h[N];
#pragma unroll
  for (u32 t = 0; t < N; t++)
    x[t] = wmma::load_operand((GlobalBytes)p.in, kHalf * (place.token * L.channels + kTile * t));
  norm(x, weights + W::gamma1, h);

  Attend<L>::project(image, lds, wave, h);
  Rows x0[N];
  Accum acc[N];
#pragma unroll
  for (u32 t = 0; t < N; t++) {
    x0[t] = wmma::to_rows(x[t]);
    acc[t] = wmma::widen(wmma::load_rows(weights + W::bo, 32 * t));
  }
  barrier_lds();
  Attend<L>::mix(image, lds, wave, h, acc);

  Operand m[N];
#pragma unroll
  for (u32 t = 0; t < N; t++) {
    const Rows x1 = wmma::round(acc[t]) + x0[t];
    m[t] = wmma::to_operand(x1 * wmma::load_rows(weights + W::gamma2, 32 * t));
    acc[t] = wmma::widen(x1 + wmma::load_rows(weights + W::beta2, 32 * t));
  }
  mlp<L>(image, weights, m, acc);

  // y replaces keys and values: not before every wave has read them.
  barrier_lds();
  wmma::Piece y[N];
#pragma unroll
  for (u32 t = 0; t < N; t++) {
    y[t] = wmma::to_piece(wmma::round(acc[t]));
    wmma::store_tile(lds + LayerLds<L>::y(wave), t, y[t]);
  }
  if (place.inside) {
#pragma unroll
    for (u32 t = 0; t < N; t++)
      wmma::store_piece((GlobalBytes)p.y, kHalf * (place.token * L.channels + kTile * t), y[t]);
  }
  barrier_lds();
  merge<L>(p, window, image, weights, lds, wave);
}

}  // namespace k

// Defines kernel NAME, its prep kernel and hook values for LAYER. The image is
// one per object: the bridge prepares again when the weights' address changes.
#define K_LAYER(NAME, LAYER, BLOCKS)                                                        \
  static_assert(k::Image<LAYER>::prep_blocks == BLOCKS);                                    \
  KMX_HOOK(prep_blocks, BLOCKS)                                                             \
  KMX_HOOK(prep_key_offset, __builtin_offsetof(k::Params, weights))                         \
  KMX_HOOK(block_z, k::kLayerWaves)                                                         \
  KMX_IMAGE u8 image[k::Image<LAYER>::bytes];                                               \
  KMX_KERNEL(KMX_PREP_THREADS) NAME##_prep(k::Params p) {                                   \
    k::prepare<LAYER>((ConstBytes)p.weights, (GlobalBytes)image,                            \
                      KMX_PREP_THREADS * group_x() + thread_id());                          \
  }                                                                                         \
  KMX_KERNEL(32 * k::kLayerWaves) NAME(k::Params p) {                                       \
    KMX_LDS u8 lds[k::LayerLds<LAYER>::kBytes];                                             \
    k::encode<LAYER>(p, kept((ConstBytes)(GlobalBytes)image), (LocalBytes)lds);             \
  }
