// The surface stores of translated PTX.
//
// PTX has two: sust.b writes bytes and counts x in bytes, sust.p converts numbers
// to the surface's format and counts x in texels. The hardware only writes whole
// texels and converts always, so that bytes become numbers first.
#pragma once

#include "abi.h"
#include "texel.h"

namespace tex {

// Writes the bytes of T at byte x of row y: all texels that they cover. What does
// not begin with a texel or covers less than one is dropped, as is what goes to a
// surface of an unknown format.
template <class T>
KMX_DEVICE void store_bytes(const Surface& s, i32 x, i32 y, T bytes) {
  const Channel channel(s.type());
  const u32 channels = channels_of(s.order()), texel = channels * channel.size;
  if (texel == 0 || texel > sizeof(T) || ((u32)x & (texel - 1)) != 0 || x < 0) return;
  i32 at = (i32)((u32)x >> (31 - __builtin_clz(texel)));
#pragma unroll 1
  for (u32 left = sizeof(T); left != 0; left -= texel, at++) {
    u32x4 t;
#pragma unroll
    for (u32 c = 0; c < 4; c++) t[c] = channel.number((u32)(bytes >> (8 * c * channel.size) % (8 * sizeof(T))));
    s.store(at, y, t);  // of its four numbers the image takes those that it has channels for
    if (left == texel) return;
    bytes >>= 8 * texel;
  }
}

KMX_DEVICE u32 pair(B16 a, B16 b) { return a.bits | (u32)b.bits << 16; }

// A short way for halves to an image of halves, which is what kernels do. Out of
// line, where lanes may have different surfaces, it takes scalar registers that
// are not to be had without scratch.
inline constexpr bool kFastHalf = !KMX_OUTLINED;
KMX_DEVICE u32 widened(u32 half) { return bits<u32>((f32)bits<f16>((u16)half)); }

// Formats 192 to 203 of CUDA: texels of unorm8, unorm16, snorm8, snorm16, with
// 1, 2 and 4 channels each. The image beneath them has integers.
constexpr u32 kFirstNormalised = 192, kNormalised = 12;
constexpr u32 kTenTenTenTwo = 80;

KMX_DEVICE u32 nearest_signed(u32 v, f32 steps) {
  const u32 n = nearest(magnitude(v), steps);
  return v & kSign ? 0 - n : n;
}

KMX_DEVICE u32x4 integers(u32 kind, u32x4 v) {
  const f32 steps = kind < 3 ? 255.0f : kind < 6 ? 65535.0f : kind < 9 ? 127.0f : 32767.0f;
  if (kind < 6) return {nearest(unit(v[0]), steps), nearest(unit(v[1]), steps), nearest(unit(v[2]), steps), nearest(unit(v[3]), steps)};
  return {nearest_signed(v[0], steps), nearest_signed(v[1], steps), nearest_signed(v[2], steps), nearest_signed(v[3], steps)};
}

}  // namespace tex

// sust.b.2d.b32.zero
KMX_CALLED_STORE void d4r_sust_b32(u64 surface, i32 x, i32 y, u32 v) {
  const tex::Surface s(surface);
  const tex::Redirect r(s);
  if (r.any()) return r.store(x, y, v);
  tex::store_bytes(s, x, y, v);
}

// sust.b.2d.v2.b16.zero
KMX_CALLED_STORE void d4r_sust_v2b16(u64 surface, i32 x, i32 y, B16 a, B16 b) {
  const tex::Surface s(surface);
  const tex::Redirect r(s);
  const u32 v = tex::pair(a, b);
  if (r.any()) return r.store(x, y, v);
  if (!tex::kFastHalf || s.type() != tex::kHalf || s.order() != tex::kRG) return tex::store_bytes(s, x, y, v);
  if ((x & 3) == 0) s.store(x >> 2, y, {tex::widened(v), tex::widened(v >> 16), 0, 0});
}

// sust.b.2d.v4.b16.zero; is not redirected.
KMX_CALLED_STORE void d4r_sust_v4b16(u64 surface, i32 x, i32 y, B16 a, B16 b, B16 c, B16 d) {
  const tex::Surface s(surface);
  const u32 low = tex::pair(a, b), high = tex::pair(c, d);
  if (!tex::kFastHalf || s.type() != tex::kHalf || s.order() != tex::kRGBA)
    return tex::store_bytes(s, x, y, low | (u64)high << 32);
  if ((x & 7) == 0)
    s.store(x >> 3, y, {tex::widened(low), tex::widened(low >> 16), tex::widened(high), tex::widened(high >> 16)});
}

// sust.p.2d.v4.b32.zero
KMX_CALLED_STORE void d4r_sust_p_v4b32(u64 surface, i32 x, i32 y, u32 a, u32 b, u32 c, u32 d) {
  const tex::Surface s(surface);
  const u32 format = s.format();
  u32x4 v = {a, b, c, d};
  if (format - tex::kFirstNormalised < tex::kNormalised)
    return s.store(x, y, tex::integers(format - tex::kFirstNormalised, v));
  const tex::Redirect r(s);
  if (r.is(tex::kPacked)) return r.store_texel(s, x, y, tex::packed(v));
  if (format == tex::kTenTenTenTwo) v = tex::on_grid(v);
  if (r.is(tex::kRgba16f)) return r.store_texel(s, x, y, tex::halves(v));
  s.store(x, y, v);
}
