// Tokens of a window: where they are, and in which lane.
//
// A block covers 8x8 tokens, four windows of 4x4: window w is the quarter
// (w % 2, w / 2), its token t stands at (t % 4, t / 4). A wave works on one
// window, a lane on one token: lane r on token token(), both halves on the same
// one. Half h holds, of every plane of 32 channels and every tile t = 0, 1, the
// eight channels from channel(t, h) on: an Eight is what a tile of weights
// accumulates. So norms, gates and residuals never leave their lane.
//
// A team of two waves shares a window: each holds and sums up one tile of every
// plane, its share. Alone, a wave's share is everything.
#pragma once

#include "image.h"
#include "layer.h"
#include "numerics.h"

namespace rrlite {

// A wave's share of a token, as this lane holds it.
template <u32 P, u32 T>
struct Eights {
  Eight part[P][T];
};
template <Layer L>
using Share = Eights<L.planes(), L.tiles()>;

// A share as chains of products.
template <Layer L>
struct Sums {
  Chain part[L.planes()][L.tiles()];
};

// Which token of its window index n stands for. The sum over the 16 keys of a
// softmax pairs key with key + 8, then with + 2, + 4, + 1; in this order of the
// tokens (the bits 1, 3, 2, 0 of n) only the third pair lies in two lanes. It is
// also the order in which ZLUDA's translation sums over keys on gfx12.
KMX_DEVICE constexpr u32 token_of(u32 n) {
#ifdef SWIN_KEYS_IN_ORDER
  return n;
#else
  return n % 2 + (n >> 1 & 6) + (n << 2 & 8);
#endif
}
KMX_DEVICE u32 token() { return token_of(wmma::index()); }

// What a wave is to its block.
struct Seat {
  u32 window, member;
};
template <Layer L>
KMX_DEVICE Seat seat() { return {wave_id() / L.team(), wave_id() % L.team()}; }

// Tile t of a share, as a tile of the plane.
template <Layer L>
KMX_DEVICE u32 tile_of_share(u32 t, u32 member) { return L.tiles() == 2 ? t : member; }

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
KMX_DEVICE Place mirror(Place p, i32 width, i32 height) { return {mirror(p.x, width), mirror(p.y, height)}; }

// ---- tokens in memory
// A lane's codes of one plane.
struct Codes {
  u32x2 tile[2];
};
template <class Bytes>
KMX_DEVICE Codes load_codes(Bytes from, u32 plane_at) {
  const u32 at = plane_at + channel(0, 1) * wmma::half();
  if constexpr (channel(1, 0) == 8) return bits<Codes>(load<u32x4>(from, at));
  return {load<u32x2>(from, at), load<u32x2>(from, at + channel(1, 0))};
}

// A share of the token at a place, mirrored into the image.
template <Layer L, class Bytes>
KMX_DEVICE Share<L> load_token(Bytes in, Place place, i32 width, i32 height, u32 member) {
  const Place m = mirror(place, width, height);
  Share<L> x;
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++) {
    const u32 at = m.at(p, width, height);
    if constexpr (L.tiles() == 2) {
      const Codes c = load_codes(in, at);
      x.part[p][0] = decode(c.tile[0]), x.part[p][1] = decode(c.tile[1]);
    } else {
      x.part[p][0] = decode(load<u32x2>(in, at + channel(member, 0) + channel(0, 1) * wmma::half()));
    }
  }
  return x;
}

// Writes a share of one plane.
template <u32 T>
KMX_DEVICE void store_codes(GlobalBytes to, u32 plane_at, const u32x2 (&codes)[T], u32 member) {
  const u32 at = plane_at + channel(0, 1) * wmma::half();
  if constexpr (T == 2 && channel(1, 0) == 8) {
    store(to, at, u32x4{codes[0][0], codes[0][1], codes[1][0], codes[1][1]});
  } else {
#pragma unroll
    for (u32 t = 0; t < T; t++) store(to, at + channel(T == 2 ? t : member, 0), codes[t]);
  }
}

// ---- shares
// A vector of the image, as this wave needs it.
template <Layer L>
KMX_DEVICE Share<L> load_share(ConstBytes image, u32 vector, u32 member) {
  Share<L> v;
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++)
#pragma unroll
    for (u32 t = 0; t < L.tiles(); t++) v.part[p][t] = load_vector(image, vector, p, tile_of_share<L>(t, member));
  return v;
}

template <u32 P, u32 T>
KMX_DEVICE Eights<P, T> plus(const Eights<P, T>& a, const Eights<P, T>& b) {
  Eights<P, T> sum;
#pragma unroll
  for (u32 p = 0; p < P; p++)
#pragma unroll
    for (u32 t = 0; t < T; t++) sum.part[p][t] = a.part[p][t] + b.part[p][t];
  return sum;
}

template <Layer L>
KMX_DEVICE Sums<L> begin(const Share<L>& x) {
  Sums<L> s;
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++)
#pragma unroll
    for (u32 t = 0; t < L.tiles(); t++) s.part[p][t] = start(x.part[p][t]);
  return s;
}

template <Layer L>
KMX_DEVICE Share<L> end(const Sums<L>& s) {
  Share<L> x;
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++)
#pragma unroll
    for (u32 t = 0; t < L.tiles(); t++) x.part[p][t] = finish(s.part[p][t]);
  return x;
}

}  // namespace rrlite
