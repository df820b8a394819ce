// Weights on their way: the image read as a tape, some pairs ahead of use.
//
// A wave uses the pairs of its sections (heads, chunks, its merge group) in the
// order in which they are stored, so what to fetch is known long before. Left to
// itself the compiler fetches a tile right where it is used, to save registers,
// or many at once and then copies them about. Here kDepth pairs have registers:
// the one in use, and those in flight. A section is entered with the place of
// the one that follows it; its last pairs fetch the first of that.
#pragma once

#include "image.h"

namespace rrlite {

// A pair takes 8 registers with FP8, 16 on gfx12, 32 on gfx11. It must divide the
// pairs of a chunk, so that the loop over chunks ends with each where it began.
inline constexpr u32 kDepth = KMX_GFX12 ? 4 : 2;

struct Pair {
  Step tile[2];
};

struct Tape {
  Pair ahead[kDepth - 1];
  ConstBytes here, following;

  // Starts at a section.
  KMX_DEVICE explicit Tape(ConstBytes first) : here(first), following(first) {
#pragma unroll
    for (u32 i = 0; i + 1 < kDepth; i++) ahead[i] = load_pair(first, i);
  }

  // Moves on to the section announced last time.
  KMX_DEVICE void enter(ConstBytes next) { here = following, following = next; }

  // Pair i of the n of this section; to be called for each in turn.
  KMX_DEVICE Pair take(u32 i, u32 n) {
    hold_order();
    const u32 fetch = i + kDepth - 1;
    return shift(fetch < n ? load_pair(here, fetch) : load_pair(following, fetch - n));
  }

  // The same in the last section.
  KMX_DEVICE Pair take_last(u32 i, u32 n) {
    hold_order();
    const u32 fetch = i + kDepth - 1;
    return shift(fetch < n ? load_pair(here, fetch) : ahead[0]);
  }

 private:
  // No load and no product is scheduled across: the pair before this one is
  // done with its registers. Other instructions may move.
  KMX_DEVICE static void hold_order() { __builtin_amdgcn_sched_barrier(0x786); }

  KMX_DEVICE static Pair load_pair(ConstBytes from, u32 i) {
    return {load_weights(from, 2 * i), load_weights(from, 2 * i + 1)};
  }

  KMX_DEVICE Pair shift(Pair last) {
    const Pair now = ahead[0];
#pragma unroll
    for (u32 j = 1; j + 1 < kDepth; j++) ahead[j - 1] = ahead[j];
    ahead[kDepth - 2] = last;
    return now;
  }
};

}  // namespace rrlite
