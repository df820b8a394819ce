// The parameter block of a K kernel and the window a work-group works on.
//
// Activations are f16, token-major: channel c of token (x, y) at byte
// 2 * ((y * W + x) * channels + c). A window is 8x8 tokens, shifted up and left
// by (shift_x, shift_y); tokens outside the grid are read mirrored and not
// written. The half-resolution grid has floor(W/2) x floor(H/2) tokens, a window
// covers 4x4 of them.
#pragma once

#include "shape.h"
#include "wave.h"

namespace k {

// One struct by value, as the original kernels take it.
struct Params {
  i32 width, height;    // tokens of the full-resolution grid
  u64 in;               // input tokens
  u64 skip;             // decoders: skip tokens at full resolution
  u64 out;              // encoders: merged tokens; decoders: output tokens
  u64 y;                // encoders: full-resolution output
  u64 unread[2];
  i32 shift_x, shift_y;
  u64 weights;
  u64 rest[13];
};
static_assert(sizeof(Params) == 176 && __builtin_offsetof(Params, out) == 24 &&
              __builtin_offsetof(Params, shift_x) == 56 && __builtin_offsetof(Params, weights) == 64);

// Index v reflected once at the ends of 0..n-1, and kept in them on grids
// smaller than a window.
KMX_DEVICE i32 mirror(i32 v, i32 n) {
  v = v < 0 ? -v : v;
  v = v < 2 * n - 2 - v ? v : 2 * n - 2 - v;
  return v > 0 ? v : 0;
}

// Whether v is one of 0..n-1.
KMX_DEVICE bool within(i32 v, i32 n) { return (u32)v < (u32)n; }

// A position on a grid.
struct Place {
  bool inside;
  u32 token;  // y * width + x, mirrored into the grid when outside
};
KMX_DEVICE Place place_of(i32 width, i32 height, i32 x, i32 y) {
  return {within(x, width) && within(y, height),
          (u32)(mirror(y, height) * width + mirror(x, width))};
}

struct Window {
  i32 width, height;  // of the grid
  i32 x, y;           // of token 0; may be negative

  // Token t = 8 * ty + tx.
  KMX_DEVICE Place place(u32 t) const {
    return place_of(width, height, x + (i32)(t & 7), y + (i32)(t >> 3));
  }

  // Token m = 4 * my + mx of the half-resolution grid: merged, or low input.
  KMX_DEVICE Place half_place(u32 m) const {
    return place_of(width / 2, height / 2, x / 2 + (i32)(m & 3), y / 2 + (i32)(m >> 2));
  }
};

KMX_DEVICE Window window_of(const Params& p) {
  return {p.width, p.height, (i32)(8 * group_x()) - p.shift_x, (i32)(8 * group_y()) - p.shift_y};
}

}  // namespace k
