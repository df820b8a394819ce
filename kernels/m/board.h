// What the two waves of a team tell each other, through LDS.
//
// Work goes in rounds: each member computes the 32 channels of its own head or
// hidden chunk, writes them here, and after a barrier both read those of both.
// Rounds alternate between two places, so one barrier a round is enough: who
// writes to a place has passed the barrier of the other, which everybody reached
// after reading from this one. A third place keeps the normed tokens, which both
// read in every round.
//
// A team of one has nothing to tell: no LDS, no barrier.
#pragma once

#include "window.h"

namespace rrlite {

template <Layer L>
struct Board {
  static constexpr bool kUsed = L.team() > 1;
  static constexpr u32 kTile = kFp8 ? 256 : 512;           // 16 channels of 16 tokens
  static constexpr u32 kRound = L.team() * 2 * kTile;      // of one window
  static constexpr u32 kTokens = L.planes() * 2 * kTile;   // of one window
  // Even rounds, tokens, odd rounds, each for four windows.
  static constexpr u32 kTokensAt = 4 * kRound;
  static constexpr u32 kOddAt = kTokensAt + 4 * kTokens;
  static constexpr u32 kBytes = kUsed ? kOddAt + 4 * kRound : 0;

  LocalBytes lds;
  Seat seat;

  KMX_DEVICE LocalBytes round_place(u32 round) const { return lds + round % 2 * kOddAt + seat.window * kRound; }
  KMX_DEVICE LocalBytes tokens_place() const { return lds + kTokensAt + seat.window * kTokens; }

  KMX_DEVICE static void put(LocalBytes to, u32 tile, Packed v) {
#ifdef D4R_FP8_WMMA
    store(to, tile * kTile + 8 * lane_id(), v);
#else
    wmma::store_tile(to, tile, bits<wmma::Piece>(v));
#endif
  }
  // Tiles 2*n and 2*n + 1 as operands.
  KMX_DEVICE static Step get(LocalBytes from, u32 n) {
#ifdef D4R_FP8_WMMA
    const u32 at = 2 * n * kTile + 8 * lane_id();
    return {load<u32x2>(from, at), load<u32x2>(from, at + kTile)};
#else
    return {wmma::load_tile(from, 2 * n), wmma::load_tile(from, 2 * n + 1)};
#endif
  }

  // The 32 channels of each member in a round, as operands, by member.
  struct Round {
    LocalBytes from;
    Step own;
    KMX_DEVICE Step operator()(u32 member) const { return kUsed ? get(from, member) : own; }
  };
  KMX_DEVICE Round exchange(u32 round, const Eight (&mine)[2]) const {
    if constexpr (!kUsed) return {lds, {quantised(mine[0]), quantised(mine[1])}};
    const LocalBytes to = round_place(round);
#pragma unroll
    for (u32 t = 0; t < 2; t++) put(to, 2 * seat.member + t, pack(mine[t]));
    barrier_lds();
    return {to, {}};
  }

  // What the same lane of the other member has; a round by itself.
  KMX_DEVICE u32 from_other(u32 round, u32 mine) const {
    const LocalBytes to = round_place(round);
    store(to, 128 * seat.member + 4 * lane_id(), mine);
    barrier_lds();
    return load<u32>(to, 128 * (1 - seat.member) + 4 * lane_id());
  }

  // A whole token as operands of a product over all channels, by plane.
  struct Channels {
    LocalBytes from;
    Step own[L.planes()];
    KMX_DEVICE Step operator()(u32 plane) const { return kUsed ? get(from, plane) : own[plane]; }
  };
  // The whole from the shares of all. Nobody may still read the one before: a
  // round has to lie in between.
  KMX_DEVICE Channels gather(const Share<L>& mine) const {
    Channels all{tokens_place(), {}};
#pragma unroll
    for (u32 p = 0; p < L.planes(); p++)
      if constexpr (kUsed) put(all.from, 2 * p + seat.member, pack(mine.part[p][0]));
      else all.own[p] = {quantised(mine.part[p][0]), quantised(mine.part[p][1])};
    if constexpr (kUsed) barrier_lds();
    return all;
  }
};

}  // namespace rrlite
