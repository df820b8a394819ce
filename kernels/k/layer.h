// The layer template, for 64 channels: one window a work-group, four waves of
// one token tile each. Encoders merge their output, decoders expand their input.
#pragma once

#include "block.h"
#include "entry.h"
#include "tokens.h"

namespace k {

template <Layer L>
struct LayerTemplate {
  static constexpr Layer layer = L;
  using S = Shape<L>;
  using A = Attend<L, 1>;
  static constexpr u32 waves = 4;
  static constexpr u32 N = S::tiles;
  // Tokens stand where keys and values are at another time.
  static constexpr u32 attention_bytes = wmma::kTileBytes * A::lds_tiles;
  static constexpr u32 lds_bytes = larger(attention_bytes, Tokens<L>::bytes);

  KMX_DEVICE static void run(const Params& p, ConstBytes image, LocalBytes lds) {
    const u32 wave = wave_id();
    const Window window = window_of(p);
    const Place place = window.place(16 * wave + wmma::column());
    const u32 token = kHalf * L.channels * place.token;
    const Tokens<L> tokens = {lds};

    Operand x[N][1];
    if constexpr (L.low) {
      expand<L, N>(p, window, image, tokens, wave, 0, 1);
      barrier_lds();
#pragma unroll
      for (u32 t = 0; t < N; t++) x[t][0] = wmma::load_tile(tokens.tile(wave), t);
      barrier_lds();
    } else {
#pragma unroll
      for (u32 t = 0; t < N; t++) x[t][0] = wmma::load_operand((GlobalBytes)p.in, token + 32 * t);
    }

    Rows y[N][1];
    block<L>(image, (ConstBytes)p.weights, lds, wave, x, y);

    if constexpr (L.merged) barrier_lds();  // before y replaces keys and values
    wmma::Piece piece[N];
#pragma unroll
    for (u32 t = 0; t < N; t++) {
      piece[t] = wmma::to_piece(y[t][0]);
      if constexpr (L.merged) wmma::store_tile(tokens.tile(wave), t, piece[t]);
    }
    const GlobalBytes out = (GlobalBytes)(L.merged ? p.y : p.out);
    if (place.inside)
#pragma unroll
      for (u32 t = 0; t < N; t++) wmma::store_piece(out, token + 32 * t, piece[t]);
    if constexpr (L.merged) {
      barrier_lds();
      merge<L>(p, window, image, tokens, wave, waves);
    }
  }
};

}  // namespace k
