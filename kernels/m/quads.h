// Between two grids: 2x2 tokens, a quad, belong to one of half resolution.
//
// A block has 16 quads, four of each window: quad m is number m % 4 of window
// m / 4, its tokens are those at (2*(m%2) + dx, 2*(m%4/2) + dy) of the window,
// numbered q = 2*dy + dx.
#pragma once

#include "window.h"

namespace rrlite {

// Where a quad stands in the grid of half resolution. Shifts are even, so
// halving the corner is exact.
KMX_DEVICE Place quad_place(Place corner, u32 m) {
  return {corner.x / 2 + (i32)(m % 2 + m / 4 % 2 * 2), corner.y / 2 + (i32)(m % 4 / 2 + m / 8 * 2)};
}

// LDS: rows of one token each, grouped by q, ordered by m, so that they can be
// written by token and read by quad or the other way round. Operand values, f16
// or e4m3. Rows are 4 words apart from a power of two and groups 16, so that 16
// lanes at one q, or at all tokens of their window, use different banks.
template <Layer L>
struct QuadRows {
  static constexpr u32 kRow = (kFp8 ? 1 : 2) * L.channels + 16;
  static constexpr u32 kGroup = 16 * kRow + 64;
  static constexpr u32 kBytes = 4 * kGroup;
  static_assert(kRow / 16 % 2 == 1, "rows of an even number of 16-byte pieces collide");

  KMX_DEVICE static u32 of_token(u32 window, u32 t) {
    const u32 x = t % 4, y = t / 4;
    return of_quad(y % 2 * 2 + x % 2, 4 * window + y / 2 * 2 + x / 2);
  }
  KMX_DEVICE static u32 of_quad(u32 q, u32 m) { return q * kGroup + m * kRow; }

  // Tile t of plane p of a row.
#ifdef D4R_FP8_WMMA
  KMX_DEVICE static u32 at(u32 row, u32 p, u32 t) { return row + 32 * p + 16 * wmma::half() + 8 * t; }
  KMX_DEVICE static void put(LocalBytes lds, u32 row, u32 p, u32 t, Packed v) { store(lds, at(row, p, t), v); }
  KMX_DEVICE static Packed get(LocalBytes lds, u32 row, u32 p, u32 t) { return load<u32x2>(lds, at(row, p, t)); }
#else
  KMX_DEVICE static u32 at(u32 row, u32 p, u32 t) { return row + 64 * p + 32 * t; }
  KMX_DEVICE static void put(LocalBytes lds, u32 row, u32 p, u32 t, Packed v) { wmma::store_run(lds, at(row, p, t), v); }
  KMX_DEVICE static Packed get(LocalBytes lds, u32 row, u32 p, u32 t) { return wmma::load_run(lds, at(row, p, t)); }
#endif

  // Plane p of a row as operands.
  KMX_DEVICE static Step get_plane(LocalBytes lds, u32 row, u32 p) {
#ifdef D4R_FP8_WMMA
    return bits<Step>(load<u32x4>(lds, at(row, p, 0)));
#else
    return {wmma::load_operand(lds, at(row, p, 0)), wmma::load_operand(lds, at(row, p, 1))};
#endif
  }
};

}  // namespace rrlite
