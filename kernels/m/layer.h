// The five layers of the M network and what a launch hands them.
//
// A layer works on windows of 4x4 tokens: norm, attention inside the window,
// MLP; encoders then merge 2x2 tokens into one, decoders start by expanding a
// token of half resolution. Everything that differs between layers is a field
// of Layer, a template parameter of all the code here.
#pragma once

#include "types.h"

namespace rrlite {

struct Layer {
  u32 channels;  // C: 64, 96 or 128; MLP hidden width is 4C
  u32 heads;     // of 32 channels each; their total may exceed C
  u32 waves;     // block.z; waves / 4 waves share a window
  u32 merged;    // channels of the merged output; 0: no merge
  u32 low;       // channels of the half-resolution input; 0: no expansion
  bool tube;     // waits for neighbours and reports to them through flags

  constexpr u32 planes() const { return channels / 32; }  // activations come in planes of 32 channels
  constexpr u32 chunks() const { return channels / 8; }   // MLP hidden chunks of 32
};

inline constexpr Layer kEnc1{.channels = 64, .heads = 2, .waves = 4, .merged = 96, .low = 0, .tube = false};
inline constexpr Layer kEnc2{.channels = 96, .heads = 4, .waves = 8, .merged = 128, .low = 0, .tube = false};
inline constexpr Layer kTube{.channels = 128, .heads = 4, .waves = 8, .merged = 0, .low = 0, .tube = true};
inline constexpr Layer kDec2{.channels = 96, .heads = 4, .waves = 8, .merged = 0, .low = 128, .tube = false};
inline constexpr Layer kDec1{.channels = 64, .heads = 2, .waves = 8, .merged = 0, .low = 96, .tube = false};

// The parameter block of every layer but the tube, which appends to it.
// Activations are e4m3: channel c of token (X, Y) at
// ((c / 32 * height + Y) * width + X) * 32 + c % 32.
struct Params {
  GlobalBytes weights;
  i32 shift_x, shift_y;  // even; how far left and up the first window reaches
  i32 width, height;     // the token grid
  GlobalBytes in;
  GlobalBytes skip;    // decoders
  GlobalBytes out;     // tokens of this grid
  GlobalBytes merged;  // tokens of the grid of half the size, rounded down
};
static_assert(sizeof(Params) == 56);

// Which u64 of the block the runtime watches, plus one: the weights' address. It
// cannot see other weights at an address it knows.
inline constexpr u32 kPrepKeyAt = 0 + 1;

}  // namespace rrlite
