// Numbers of texels: bits in memory to channels, channels to steps of a format.
//
// Numbers are compared as integers and never converted between integer and f32:
// adding 2^23 to a small number puts it, rounded, into the low bits, and the other
// way round.
#pragma once

#include "surface.h"

namespace tex {

constexpr f32 kBig = 0x1p23f;
constexpr u32 kOne = 0x3f800000, kInfinity = 0x7f800000, kSign = 0x80000000;

// ---- from channels
// |v| up to 1; NaN is 0.
KMX_DEVICE u32 magnitude(u32 v) {
  const u32 m = v & ~kSign;
  return m > kInfinity ? 0 : m < kOne ? m : kOne;
}
// v limited to 0..1; NaN is 0.
KMX_DEVICE u32 unit(u32 v) { return v & kSign ? 0 : magnitude(v); }

// v * steps as the nearest integer, halves up; v is in 0..1, steps below 2^17.
KMX_DEVICE u32 nearest(u32 v, f32 steps) {
  const f32 t = bits<f32>(v) * steps;
  const f32 rounded = t + kBig;            // to nearest even
  const f32 left = t - (rounded - kBig);   // exact
  return bits<u32>(rounded) - bits<u32>(kBig) + (bits<u32>(left) == bits<u32>(0.5f) ? 1 : 0);
}

// floor(v * steps + 0.5), v limited to 0..1.
KMX_DEVICE f32 step_of(u32 v, f32 steps) { return __builtin_floorf(bits<f32>(unit(v)) * steps + 0.5f); }

// k / steps, for k = 0..steps and steps 3 or 1023 correctly rounded: what the
// product with the inverse misses is added.
KMX_DEVICE u32 fraction(f32 k, f32 steps) {
  const f32 inverse = 1.0f / steps;
  const f32 q = k * inverse;
  return bits<u32>(__builtin_fmaf(__builtin_fmaf(-q, steps, k), inverse, q));
}

constexpr f32 kColour = 1023, kAlpha = 3;

// v on the grid of a 10:10:10:2 texel.
KMX_DEVICE u32x4 on_grid(u32x4 v) {
  return {fraction(step_of(v[0], kColour), kColour), fraction(step_of(v[1], kColour), kColour),
          fraction(step_of(v[2], kColour), kColour), fraction(step_of(v[3], kAlpha), kAlpha)};
}

KMX_DEVICE u32 to_integer(f32 k) { return bits<u32>(k + kBig) - bits<u32>(kBig); }

// v as a 10:10:10:2 texel, the first channel lowest.
KMX_DEVICE u32 packed(u32x4 v) {
  return to_integer(step_of(v[0], kColour)) | to_integer(step_of(v[1], kColour)) << 10 |
         to_integer(step_of(v[2], kColour)) << 20 | to_integer(step_of(v[3], kAlpha)) << 30;
}

// v as four halves, rounded towards zero.
KMX_DEVICE u32x2 halves(u32x4 v) {
  const f32x4 f = bits<f32x4>(v);
  return {bits<u32>(__builtin_amdgcn_cvt_pkrtz(f[0], f[1])), bits<u32>(__builtin_amdgcn_cvt_pkrtz(f[2], f[3]))};
}

// ---- to channels
// Channels of a texel, 0 for orders that surfaces do not have.
KMX_DEVICE u32 channels_of(u32 order) { return order == kR ? 1 : order == kRG ? 2 : order == kRGBA ? 4 : 0; }

// Types by a bit each, and whether a set has one.
constexpr u32 kOneByte = 1 << kSnorm8 | 1 << kUnorm8 | 1 << kSint8 | 1 << kUint8;
constexpr u32 kTwoBytes = 1 << kSnorm16 | 1 << kUnorm16 | 1 << kSint16 | 1 << kUint16 | 1 << kHalf;
constexpr u32 kFourBytes = 1 << kSint32 | 1 << kUint32 | 1 << kFloat;
constexpr u32 kSigned = 1 << kSnorm8 | 1 << kSnorm16 | 1 << kSint8 | 1 << kSint16;
KMX_DEVICE bool has(u32 set, u32 type) { return set >> type & 1; }

// A channel of an image, as bits in memory.
struct Channel {
  u32 type, size;  // bytes, 0 for types that surfaces do not have
  u32 shift;       // clears what is above the channel
  f32 inverse;     // of the greatest number, for normalised types

  KMX_DEVICE explicit Channel(u32 t) : type(t & 31) {
    size = t > kFloat ? 0 : has(kOneByte, type) ? 1 : has(kTwoBytes, type) ? 2 : has(kFourBytes, type) ? 4 : 0;
    shift = (4 - size) * 8 & 31;
    inverse = type == kSnorm8 ? 1 / 127.0f : type == kSnorm16 ? 1 / 32767.0f : type == kUnorm8 ? 1 / 255.0f : 1 / 65535.0f;
  }

  // The channel as image_store takes it, from its bits and what is above them.
  // Normalised ones such that the hardware stores the bits again; the lowest snorm,
  // which stands for -1 like the one above it, becomes that one.
  KMX_DEVICE u32 number(u32 raw) const {
    const u32 integer = has(kSigned, type) ? (u32)((i32)(raw << shift) >> shift) : raw << shift >> shift;
    const u32 sign = integer & kSign, least = ~kSign >> shift;  // of the signed types
    u32 n = sign ? 0 - integer : integer;
    n = sign && n > least ? least : n;
    const u32 normalised = bits<u32>((bits<f32>(n | bits<u32>(kBig)) - kBig) * inverse) | sign;
    const u32 half = bits<u32>((f32)bits<f16>((u16)raw));
    return type <= kUnorm16 ? normalised : type == kHalf ? half : integer;
  }
};

}  // namespace tex
