// Tokens of a window: where they are, and in which lane.
//
// A block covers 8x8 tokens, four windows of 4x4: window w is the quarter
// (w % 2, w / 2), its token t stands at (t % 4, t / 4). One wave works on one
// window, a lane on one token: lane r on token index(), both halves on the same
// one. Half h holds, of every plane of 32 channels, channels 16h .. 16h+15 as
// two Eights. So norms, gates and residuals never leave their lane, a token's
// 16 channels are 16 contiguous bytes, and an Eight of a plane is what tile
// t = 0, 1 of a pair of weights accumulates.
#pragma once

#include "image.h"
#include "layer.h"
#include "numerics.h"

namespace rrlite {

// A token's channels as this lane holds them.
template <Layer L>
struct Token {
  Eight part[L.planes()][2];
};

// As operands of a product over all channels.
template <Layer L>
struct Channels {
  Step plane[L.planes()];
};

// The same shape in f32: sums of a chain of products.
template <Layer L>
struct Sums {
  wmma::Accum part[L.planes()][2];
};

struct Place {
  i32 x, y;

  KMX_DEVICE bool inside(i32 width, i32 height) const { return x >= 0 && x < width && y >= 0 && y < height; }
  // Byte of the first channel of plane p; the place is inside.
  KMX_DEVICE u32 at(u32 p, i32 width, i32 height) const {
    return (((u32)height * p + (u32)y) * (u32)width + (u32)x) * 32;
  }
};

// The corner of this block.
KMX_DEVICE Place corner(i32 shift_x, i32 shift_y) {
  return {(i32)(8 * group_x()) - shift_x, (i32)(8 * group_y()) - shift_y};
}

// Token t of window w, before mirroring.
KMX_DEVICE Place token_place(Place corner, u32 w, u32 t) {
  return {corner.x + (i32)(t % 4 + 4 * (w % 2)), corner.y + (i32)(t / 4 + 4 * (w / 2))};
}

// One reflection at either border of 0..n-1, then the nearest index there is.
KMX_DEVICE i32 mirror(i32 v, i32 n) {
  v = v < 0 ? -v : v;
  v = v < 2 * n - 2 - v ? v : 2 * n - 2 - v;
  v = v < 0 ? 0 : v;
  return v < n - 1 ? v : n - 1;
}

template <Layer L>
KMX_DEVICE Token<L> load_token(ConstBytes in, Place place, i32 width, i32 height) {
  const Place m = {mirror(place.x, width), mirror(place.y, height)};
  Token<L> x;
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++) {
    const u32x4 codes = load<u32x4>(in, m.at(p, width, height) + 16 * wmma::half());
    x.part[p][0] = decode(u32x2{codes[0], codes[1]});
    x.part[p][1] = decode(u32x2{codes[2], codes[3]});
  }
  return x;
}

// Sixteen channels as codes.
KMX_DEVICE u32x4 encode(Eight a, Eight b) {
  const u32x2 lo = encode(a), hi = encode(b);
  return {lo[0], lo[1], hi[0], hi[1]};
}

// ---- whole tokens
// A vector of the image, as this lane needs it.
template <Layer L>
KMX_DEVICE Token<L> load_vectors(ConstBytes image, u32 vector) {
  Token<L> v;
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++)
#pragma unroll
    for (u32 t = 0; t < 2; t++) v.part[p][t] = load_vector(image, vector, p, t);
  return v;
}

template <Layer L>
KMX_DEVICE Token<L> plus(const Token<L>& a, const Token<L>& b) {
  Token<L> sum;
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++)
#pragma unroll
    for (u32 t = 0; t < 2; t++) sum.part[p][t] = a.part[p][t] + b.part[p][t];
  return sum;
}

template <Layer L>
KMX_DEVICE Sums<L> widen(const Token<L>& x) {
  Sums<L> s;
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++)
#pragma unroll
    for (u32 t = 0; t < 2; t++) s.part[p][t] = wmma::widen(x.part[p][t]);
  return s;
}

template <Layer L>
KMX_DEVICE Token<L> round(const Sums<L>& s) {
  Token<L> x;
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++)
#pragma unroll
    for (u32 t = 0; t < 2; t++) x.part[p][t] = wmma::round(s.part[p][t]);
  return x;
}

}  // namespace rrlite
