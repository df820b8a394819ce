// The Swin block of the unfolded outer layers: 32 channels, two heads, and one wave
// for the four windows of a block of 8x8 pixels, one window after the other. It is
// the M network's block in token lanes.
#pragma once

#include "linear.h"

#ifndef D4R_TEX_FP8
#error "the unfolded layers are replaced with FP8 only"
#endif

#include "block.h"
#include "prep.h"

namespace rrlite {

// A token of one plane has nothing to sum over planes.
template <>
KMX_DEVICE f16x4 tile_squares<1, 2>(const Eights<1, 2>& x, u32 t) {
  return word_squares(x.part[0][t]);
}

}  // namespace rrlite

namespace tex {

inline constexpr Layer kOuter{.channels = 32, .heads = 2, .members = 1, .merged = 0, .low = 0};
inline constexpr u32 kWindows = 4;
static_assert(kOuter.team() == 1, "one wave computes a window");

// Slots of 16 inputs of one output in the image of the block.
inline constexpr u32 kOuterSlots = image_of(kOuter).pairs * kPairSlots;

KMX_DEVICE void prepare_outer(GlobalBytes image, GlobalBytes weights, u32 item) {
  constexpr Image m = image_of(kOuter);
  prepare_slot<kOuter>(image, weights, item);
  if (item < (m.bytes - m.gamma1) / 16) prepare_vector<kOuter>(image, weights, item);
}

// All windows: y = block(x), where `input(w)` is this lane's share of its token of
// window w, and `output(w, y)` takes what becomes of it.
template <class Input, class Output>
KMX_DEVICE void swin_windows(ConstBytes image, Input input, Output output) {
  const ConstBytes head = first_head<kOuter>(image, {0, 0});
  Tape<kOuter> tape(head);
#pragma unroll 1
  for (u32 w = 0; w < kWindows; w++) {
    const Board<kOuter> board{nullptr, {w, 0}};
    output(w, swin_block<kOuter>(input(w), tape, image, board, head));
  }
}

}  // namespace tex
