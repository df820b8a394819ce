// The five layers of the M network and what a launch hands them.
//
// A layer works on windows of 4x4 tokens: norm, attention inside the window,
// MLP; encoders then merge 2x2 tokens into one, decoders start by expanding a
// token of half resolution. Everything that differs between layers is a field
// of Layer, a template parameter of all the code here.
//
// Token lanes: one wave owns a window, and what it computes stays in its lanes.
// Builds for FP8 do that in all layers (SWIN_NO_TOKEN_LANES turns it off). With
// f16, whose operands take twice the registers and on gfx11 four times, the
// wide layers have two waves for a window: a team of two.
#pragma once

#include "types.h"

namespace rrlite {

#if defined(D4R_FP8_WMMA) && !defined(SWIN_NO_TOKEN_LANES)
inline constexpr bool kTokenLanes = true;
#else
inline constexpr bool kTokenLanes = false;
#endif

struct Layer {
  u32 channels;  // C: 64, 96 or 128; MLP hidden width is 4C
  u32 heads;     // of 32 channels each; their total may exceed C
  u32 members;   // waves to a window, where token lanes do not say one
  u32 merged;    // channels of the merged output; 0: no merge
  u32 low;       // channels of the half-resolution input; 0: no expansion

  constexpr u32 planes() const { return channels / 32; }  // activations come in planes of 32 channels
  constexpr u32 chunks() const { return channels / 8; }   // MLP hidden chunks of 32
  constexpr u32 team() const { return kTokenLanes ? 1 : members; }
  constexpr u32 waves() const { return 4 * team(); }  // block.z
  // Of the two tiles of 16 outputs in a plane, those that one wave sums up.
  constexpr u32 tiles() const { return 2 / team(); }
};

inline constexpr Layer kEnc1{.channels = 64, .heads = 2, .members = 1, .merged = 96, .low = 0};
inline constexpr Layer kEnc2{.channels = 96, .heads = 4, .members = 2, .merged = 128, .low = 0};
inline constexpr Layer kTube{.channels = 128, .heads = 4, .members = 2, .merged = 0, .low = 0};
inline constexpr Layer kDec2{.channels = 96, .heads = 4, .members = 2, .merged = 0, .low = 128};
inline constexpr Layer kDec1{.channels = 64, .heads = 2, .members = 2, .merged = 0, .low = 96};

// The parameter block of every layer but the tube, which appends to it.
// Activations are e4m3: channel c of token (X, Y) at
// ((c / 32 * height + Y) * width + X) * 32 + c % 32.
struct Params {
  GlobalBytes weights;
  i32 shift_x, shift_y;  // even; how far left and up the first window reaches
  i32 width, height;     // the token grid
  GlobalBytes in;        // decoders: of the grid of half the size, rounded down
  GlobalBytes skip;      // decoders: tokens of this grid
  GlobalBytes out;       // tokens of this grid
  GlobalBytes merged;    // encoders: tokens of the grid of half the size
};
static_assert(sizeof(Params) == 56);

// Flags of the tube: one byte a block, 32 bytes apart, row by row.
struct TubeParams : Params {
  i32 bound_x, bound_y;        // blocks of the launch that raises in_flags
  i32 neighbour_x, neighbour_y;  // its first block that this one waits for, relative to it
  GlobalBytes in_flags;        // null: nothing to wait for
  GlobalBytes out_flags;       // null: nobody waits
};
static_assert(sizeof(TubeParams) == 88);

// Which u64 of the block the runtime watches, plus one: the weights' address. It
// cannot see other weights at an address it knows. The tube, whose weights are
// moved about from launch to launch, is prepared every time.
inline constexpr u32 kPrepKeyAt = 0 + 1;
inline constexpr u32 kPrepAlways = 0;

}  // namespace rrlite
