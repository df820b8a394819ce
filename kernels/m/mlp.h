// The MLP: C channels to 4C hidden ones and back, 32 hidden channels at a time.
#pragma once

#include "board.h"
#include "math.h"
#include "tape.h"
#include "window.h"

namespace rrlite {

// Both runs of eight of a chunk's bias.
struct ChunkBias {
  Eight part[2];
};
template <Layer L>
KMX_DEVICE ChunkBias load_chunk_bias(ConstBytes image, u32 chunk) {
  constexpr Image m = image_of(L);
  return {load_vector(image, m.chunk_bias, chunk, 0), load_vector(image, m.chunk_bias, chunk, 1)};
}

// sums += gelu(h * W1 + b1) * W2 over all chunks. The tape stands before the
// first one; `after` is what follows.
template <Layer L>
KMX_DEVICE void mlp(Sums<L>& sums, const typename Board<L>::Channels& h, Tape<L>& tape, ConstBytes image,
                    const Board<L>& board, ConstBytes after) {
  constexpr Image m = image_of(L);
  constexpr u32 planes = L.planes(), pairs = m.chunk_pairs, team = L.team(), rounds = L.chunks() / team;
  ChunkBias bias = load_chunk_bias<L>(image, board.seat.member);
#pragma unroll 1
  for (u32 round = 0; round < rounds; round++) {
    const bool last = round == rounds - 1;
    const u32 chunk = round * team + board.seat.member, next = last ? chunk : chunk + team;
    const ChunkBias next_bias = load_chunk_bias<L>(image, next);
    tape.enter(last ? after : pair_at(image, m.chunk0 + next * pairs));

    Chain z[1][2] = {{start(bias.part[0]), start(bias.part[1])}};
    multiply<planes>(z, tape, {0, 2 * pairs}, h);
    const Eight hidden[2] = {gelu16(finish(z[0][0])), gelu16(finish(z[0][1]))};
    multiply<team>(sums.part, tape, {2 * planes, 2 * pairs}, board.exchange(round, hidden));
    bias = next_bias;
  }
}

}  // namespace rrlite
