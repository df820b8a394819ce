// Weights on their way: the image read as a tape, some tiles ahead of use.
//
// A wave uses the tiles of its sections in the order in which they are stored,
// so what to fetch is known long before. Left to itself the compiler fetches a
// tile right where it is used, to save registers, or many at once and then
// copies them about. Here kDepth tiles have registers: the one in use, and those
// in flight. A section is entered with the place of the one that follows it; its
// last tiles fetch the first of that.
#pragma once

#include "image.h"

namespace rrlite {

// A tile takes 4 registers with FP8, 8 on gfx12, 16 on gfx11. The depth must
// divide the tiles of a section that is looped over, so that the loop ends with
// each where it began.
constexpr u32 depth_of(Layer l) { return (l.planes() == 3 ? 3 : 2) * (KMX_GFX12 ? 2 : 1); }

template <Layer L>
struct Tape {
  static constexpr u32 kDepth = depth_of(L);
  static_assert(2 * image_of(L).chunk_pairs % kDepth == 0, "the loop over chunks would move registers about");

  Step ahead[kDepth - 1];
  ConstBytes here, following;

  // Starts at a section.
  KMX_DEVICE explicit Tape(ConstBytes first) : here(first), following(first) {
#pragma unroll
    for (u32 i = 0; i + 1 < kDepth; i++) ahead[i] = load_weights(first, i);
  }

  // Moves on to the section announced last time.
  KMX_DEVICE void enter(ConstBytes next) { here = following, following = next; }

  // Tile i of the n of this section; to be called for each in turn. Nothing is
  // fetched after the last section.
  KMX_DEVICE Step take(u32 i, u32 n, bool last_section) {
    // No memory access and no product is scheduled across: the tile before this
    // one is done with its registers. Arithmetic may move. (LDS accesses that may
    // move across this lose their order with real barriers as well, in LLVM 19.)
    __builtin_amdgcn_sched_barrier(0x406);
    const u32 fetch = i + kDepth - 1;
    const Step now = ahead[0];
#pragma unroll
    for (u32 j = 1; j + 1 < kDepth; j++) ahead[j - 1] = ahead[j];
    if (fetch < n) ahead[kDepth - 2] = load_weights(here, fetch);
    else if (!last_section) ahead[kDepth - 2] = load_weights(following, fetch - n);
    return now;
  }
};

// Heads whose code stands one after the other: one where a section uses the
// registers of the tape in full turns.
template <Layer L>
inline constexpr u32 kHeadsAtOnce = 2 * image_of(L).head_pairs % depth_of(L) == 0 ? 1 : L.heads / L.team();

// Some tiles of a section: where they begin, and how many the section has.
struct Span {
  u32 first, of;
  bool last_section = false;
};

// Which side the weights stand on says what a lane of the result is.
enum Side { kOutputsInRows, kOutputsInLanes };

// sums += weights * inputs for J times 32 inputs and the P x T tiles of sums.
// `inputs(j)` is what they are, asked for one ahead; the tape has the tiles by j,
// plane, tile.
template <u32 J, Side S = kOutputsInRows, Layer L, u32 P, u32 T, class Inputs>
KMX_DEVICE void multiply(Chain (&sums)[P][T], Tape<L>& tape, Span span, Inputs inputs) {
  Step x = inputs(0);
#pragma unroll
  for (u32 j = 0; j < J; j++) {
    const Step next = inputs(j + 1 < J ? j + 1 : j);
#pragma unroll
    for (u32 p = 0; p < P; p++)
#pragma unroll
      for (u32 t = 0; t < T; t++) {
        const Step w = tape.take(span.first + (j * P + p) * T + t, span.of, span.last_section);
        sums[p][t] = S == kOutputsInRows ? mma(w, x, sums[p][t]) : mma(x, w, sums[p][t]);
      }
    x = next;
  }
}

}  // namespace rrlite
