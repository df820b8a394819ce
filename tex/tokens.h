// What heads and tails share with the M network, in the form in which they use
// it: rounded to f16 after every 32 inputs in every build, inputs in natural order
// (0..15, then 16..31), as the code around them has been translated.
//
// A block of 8x8 pixels has its features in LDS, 32 e4m3 codes a pixel: code k of
// pixel (x, y) at 1024*(k / 16) + 128*y + 16*x + k % 16. Folded, four pixels are
// one token of 128 features, in raster order.
#pragma once

#include "abi.h"

// The blocks of translated kernels have any shape.
#define KMX_ANY_BLOCK 1

// As numerics.h and image.h understand them. The stores have their own use of
// D4R_ACCURACY, which abi.h has looked at.
#undef D4R_ACCURACY
#define D4R_ACCURACY 1
#define SWIN_NATURAL_ORDER 1
#ifdef D4R_TEX_FP8
#define D4R_FP8_WMMA 1
#endif

#include "hook.h"
#include "quads.h"

namespace tex {

using namespace rrlite;

// ---- e4m3
KMX_DEVICE u32x2 to_codes(Eight x) {
#if KMX_HARD_E4M3
  return e4m3::encode_native(x);
#else
  return e4m3::encode(x);
#endif
}
KMX_DEVICE Eight to_values(u32x2 codes) {
#if KMX_HARD_E4M3
  return e4m3::decode_native(codes);
#else
  return e4m3::decode(codes);
#endif
}
KMX_DEVICE Operand operand_of(u32x2 codes) {
#ifdef D4R_TEX_FP8
  return codes;
#else
  return operand(to_values(codes));
#endif
}

// x limited to +-2 pi; NaN becomes -2 pi.
KMX_DEVICE Eight limited(Eight x) {
  constexpr u16 kTwoPi = 0x4648;
  const Eight low = __builtin_elementwise_max(x, -Eight(half_bits(kTwoPi)));
  return __builtin_elementwise_min(low, Eight(half_bits(kTwoPi)));
}

// ---- features in LDS
// Codes 16*tile + 8*half .. +7 of a pixel, half being this lane's.
KMX_DEVICE u32 feature_at(u32 x, u32 y, u32 tile) { return 1024 * tile + 128 * y + 16 * x + 8 * wmma::half(); }

KMX_DEVICE Step load_features(LocalBytes lds, u32 x, u32 y) {
  return {operand_of(load<u32x2>(lds, feature_at(x, y, 0))), operand_of(load<u32x2>(lds, feature_at(x, y, 1)))};
}

// The pixels of token m of half resolution, 0..15 in raster order.
KMX_DEVICE u32 pixel_x(u32 m, u32 q) { return 2 * (m % 4) + q % 2; }
KMX_DEVICE u32 pixel_y(u32 m, u32 q) { return 2 * (m / 4) + q / 2; }

}  // namespace tex
