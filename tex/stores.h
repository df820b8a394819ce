// The surface stores of translated PTX.
//
// PTX has two: sust.b writes bytes and counts x in bytes, sust.p converts numbers
// to the surface's format and counts x in texels. The hardware only writes whole
// texels and converts always, so that bytes become numbers first.
#pragma once

#include "abi.h"
#include "texel.h"

namespace tex {

// Writes `count` bytes at byte x of row y: all texels that they cover. What does
// not begin with a texel or covers less than one is dropped, as is what goes to a
// surface of an unknown format.
KMX_DEVICE void store_bytes(const Surface& s, i32 x, i32 y, u64 value, u32 count) {
  const u32 type = s.type(), channels = channels_of(s.order()), size = bytes_of(type), texel = channels * size;
  if (texel == 0 || texel > count || ((u32)x & (texel - 1)) != 0 || x < 0) return;
  const u32 shift = 31 - (u32)__builtin_clz(texel);
  const u32 mask = size == 4 ? ~0u : (1u << 8 * size) - 1;
#pragma unroll 1
  for (u32 at = 0; at < count; at += texel) {
    u32x4 t = {};
#pragma unroll
    for (u32 c = 0; c < 4; c++)
      if (c < channels) t[c] = channel(type, (u32)(value >> 8 * (at + c * size)) & mask);
    s.store((i32)(((u32)x + at) >> shift), y, t);
  }
}

KMX_DEVICE u32 widened(u32 half) { return channel(kHalf, half & 0xffff); }

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
  tex::store_bytes(s, x, y, v, 4);
}

// sust.b.2d.v2.b16.zero
KMX_CALLED_STORE void d4r_sust_v2b16(u64 surface, i32 x, i32 y, B16 a, B16 b) {
  const tex::Surface s(surface);
  const tex::Redirect r(s);
  const u32 v = a.bits | (u32)b.bits << 16;
  if (r.any()) return r.store(x, y, v);
  if (s.type() == tex::kHalf && s.order() == tex::kRG) {
    if ((x & 3) == 0) s.store(x >> 2, y, {tex::widened(v), tex::widened(v >> 16), 0, 0});
    return;
  }
  tex::store_bytes(s, x, y, v, 4);
}

// sust.b.2d.v4.b16.zero; is not redirected
KMX_CALLED_STORE void d4r_sust_v4b16(u64 surface, i32 x, i32 y, B16 a, B16 b, B16 c, B16 d) {
  const tex::Surface s(surface);
  const u32 low = a.bits | (u32)b.bits << 16, high = c.bits | (u32)d.bits << 16;
  if (s.type() == tex::kHalf && s.order() == tex::kRGBA) {
    if ((x & 7) == 0)
      s.store(x >> 3, y, {tex::widened(low), tex::widened(low >> 16), tex::widened(high), tex::widened(high >> 16)});
    return;
  }
  tex::store_bytes(s, x, y, low | (u64)high << 32, 8);
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
