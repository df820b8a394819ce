// The position-only template, for the full-resolution layers of 32 channels:
// one window a work-group, two waves of two token tiles each, so that every
// weight that is loaded serves two products. The first encoder embeds its input
// and merges its output; the last decoder expands its input and ends in the
// network's head.
#pragma once

#include "block.h"
#include "entry.h"
#include "tokens.h"

namespace k {

template <Layer L>
struct PositionTemplate {
  static constexpr Layer layer = L;
  using S = Shape<L>;
  static constexpr u32 M = 2;  // token tiles a wave
  static constexpr u32 N = S::tiles;
  using A = Attend<L, M>;
  static constexpr u32 waves = 4 / M;
  static constexpr u32 attention_bytes = wmma::kTileBytes * A::lds_tiles;
  static constexpr u32 lds_bytes = larger(attention_bytes, Tokens<L>::bytes);
  static_assert(L.attention == Attention::position);

  // x = max(We in + be, 0).
  KMX_DEVICE static void embed(const Params& p, ConstBytes image, const Place (&place)[M],
                               Operand (&x)[N][M]) {
    static_assert(L.embed == kTile, "one step");
    const wmma::Tiles w = wmma::tiles_at(image, Image<L>::embed);
    Operand in[M];
#pragma unroll
    for (u32 i = 0; i < M; i++)
      in[i] = wmma::load_operand((GlobalBytes)p.in, kHalf * L.embed * place[i].token);
#pragma unroll
    for (u32 t = 0; t < N; t++) {
      const ConstBytes bias = (ConstBytes)p.weights + Weights<L>::embed_bias;
      const Chain first = start(wmma::load_rows(bias, 32 * t));
      Chain acc[M];
#pragma unroll
      for (u32 i = 0; i < M; i++) acc[i] = first;
      step(wmma::load_tile(w, t), in, acc);
#pragma unroll
      for (u32 i = 0; i < M; i++) x[t][i] = wmma::to_operand(positive16(finish(acc[i])));
    }
  }

  // The network's output: L.head channels of which L.stored are kept.
  KMX_DEVICE static void head(const Params& p, ConstBytes image, const Place (&place)[M],
                              const Rows (&y)[N][M]) {
    const ConstBytes bias = (ConstBytes)p.weights + Weights<L>::head_bias;
    Operand token[N][M];
#pragma unroll
    for (u32 t = 0; t < N; t++)
#pragma unroll
      for (u32 i = 0; i < M; i++) token[t][i] = wmma::to_operand(y[t][i]);
    const wmma::Tiles w = wmma::tiles_at(image, Image<L>::head);
    wmma::Piece piece[S::head_n][M];
#pragma unroll
    for (u32 nt = 0; nt < S::head_n; nt++) {
      const Chain first = start(wmma::load_rows(bias, 32 * nt));
      Chain acc[M];
#pragma unroll
      for (u32 i = 0; i < M; i++) acc[i] = first;
#pragma unroll
      for (u32 kt = 0; kt < N; kt++)
        step(wmma::load_tile(w, S::tiles * nt + kt), token[kt], acc);
#pragma unroll
      for (u32 i = 0; i < M; i++) piece[nt][i] = wmma::to_piece(finish(acc[i]));
    }
    static_assert(L.stored + 8 == kTile * S::head_n, "half of the last tile");
#pragma unroll
    for (u32 i = 0; i < M; i++) {
      const u32 at = kHalf * L.stored * place[i].token;
      if (!place[i].inside) continue;
#pragma unroll
      for (u32 nt = 0; nt + 1 < S::head_n; nt++)
        wmma::store_piece((GlobalBytes)p.out, at + 32 * nt, piece[nt][i]);
      wmma::store_first_piece((GlobalBytes)p.out, at + 32 * (S::head_n - 1), piece[S::head_n - 1][i]);
    }
  }

  KMX_DEVICE static void run(const Params& p, ConstBytes image, LocalBytes lds) {
    const u32 wave = wave_id();
    const u32 first = M * wave;
    const Window window = window_of(p);
    const Tokens<L> tokens = {lds};
    Place place[M];
#pragma unroll
    for (u32 i = 0; i < M; i++) place[i] = window.place(16 * (first + i) + wmma::column());

    Operand x[N][M];
    if constexpr (L.embed) {
      embed(p, image, place, x);
    } else {
#pragma unroll
      for (u32 i = 0; i < M; i++) expand<L, N>(p, window, image, tokens, first + i, 0, 1);
      barrier_lds();
#pragma unroll
      for (u32 t = 0; t < N; t++)
#pragma unroll
        for (u32 i = 0; i < M; i++) x[t][i] = wmma::load_tile(tokens.tile(first + i), t);
      barrier_lds();
    }

    Rows y[N][M];
    block<L>(image, (ConstBytes)p.weights, lds, first, x, y);

    if constexpr (L.head) {
      head(p, image, place, y);
    } else {
      barrier_lds();  // before y replaces the values
#pragma unroll
      for (u32 i = 0; i < M; i++) {
        wmma::Piece piece[N];
#pragma unroll
        for (u32 t = 0; t < N; t++) {
          piece[t] = wmma::to_piece(y[t][i]);
          wmma::store_tile(tokens.tile(first + i), t, piece[t]);
        }
        if (place[i].inside)
#pragma unroll
          for (u32 t = 0; t < N; t++)
            wmma::store_piece((GlobalBytes)p.y, kHalf * (L.channels * place[i].token + kTile * t), piece[t]);
      }
      barrier_lds();
      merge<L>(p, window, image, tokens, wave, waves);
    }
  }
};

}  // namespace k
