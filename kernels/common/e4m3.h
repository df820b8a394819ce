// e4m3, the 8-bit float of the M networks (OCP: bias 7, no infinity).
//
// A code is sign, 4 bits of exponent, 3 of mantissa; exponent 0 counts in steps
// of 2^-9, the largest number is 448 (0x7e), and 0x7f is NaN. Eight values are
// one f16x8, eight codes one u32x2 in the same order; all work is done on whole
// registers of two halves.
//
// Equalities, each over every f16 pattern or every code:
//   encode(x)  = the nearest code, ties to even; beyond 448 (infinity too) 0x7e;
//                NaN 0x7f; the sign is kept, also of zero and NaN
//   decode(c)  = the code's value, but the NaN codes read as +-480, as plain bit
//                arithmetic has it
//   q8(x)      = decode(encode(x)), but NaN becomes +-448 instead of +-480
//   encode(q8(x)) = encode(x), but NaN becomes 0x7e instead of 0x7f
//   encode(decode(c)) = c, but the NaN codes become 0x7e of their sign
//   encode_native, decode_native = the same, but NaN stays NaN (code 0x7f or 0xff)
#pragma once

#include "math.h"
#include "types.h"

namespace e4m3 {

using u16x8 = u16 __attribute__((ext_vector_type(8)));
using i16x8 = short __attribute__((ext_vector_type(8)));

constexpr u32 kSigns = 0x80008000u;
constexpr u16 kMax = 0x5f00;  // 448 as f16

// |x| between 0 and 448 on the grid of e4m3, held as base + n steps: base is
// a power of two 2^7 above the number (2 at least), whose last mantissa bit
// weighs as much as the code's, so that the addition itself rounds to nearest
// even. n is 0..16 and sits in the low mantissa bits.
struct Grid {
  f16x8 base, sum;
};

// Constants that the optimiser must not see: it would narrow the operation to
// single halves and take the vector apart.
KMX_DEVICE u32x4 mask(u32x4 pairs, u32 m) { return pairs & kept(m); }
KMX_DEVICE u16x8 pairs(u32 pair) { return bits<u16x8>(u32x4(kept(pair))); }

KMX_DEVICE Grid to_grid(u32x4 magnitude) {
  const u16x8 m = __builtin_elementwise_min(bits<u16x8>(magnitude), u16x8(kMax));
  const u16x8 exponent = bits<u16x8>(mask(magnitude, 0x7c007c00u)) + (u16)(7 << 10);
  const u16x8 base = __builtin_elementwise_min(__builtin_elementwise_max(exponent, u16x8(0x4000)), u16x8(0x7800));
  return {bits<f16x8>(base), bits<f16x8>(m) + bits<f16x8>(base)};
}

// x rounded to the nearest number that has a code.
KMX_DEVICE f16x8 q8(f16x8 x) {
  const Grid g = to_grid(mask(bits<u32x4>(x), ~kSigns));
  // A fused sum - base: the compiler takes a subtraction of vectors apart.
  const f16x8 rounded = fma16(g.base, bits<f16x8>(pairs(0xbc00bc00u)), g.sum);
  return bits<f16x8>(bits<u32x4>(rounded) | (bits<u32x4>(x) & kSigns));
}

// Codes of eight values.
KMX_DEVICE u32x2 encode(f16x8 x) {
  const u32x4 m = mask(bits<u32x4>(x), ~kSigns);
  const Grid g = to_grid(m);
  const u16x8 base = bits<u16x8>(g.base);
  // The base 2^(e+7) has exponent field e+22 and stands for code 8*(e+6).
  const u16x8 code = bits<u16x8>(g.sum) - base + (base >> 7) - pairs(0x00800080u);
  const u16x8 nan = (u16x8)((u16)0x7c00 - bits<u16x8>(m)) >> 15;  // 1 or 0
  const u32x4 sign = mask(bits<u32x4>(x) >> 8, 0x00800080u);
  const u32x4 wide = bits<u32x4>(code + nan) | sign;
  return {__builtin_amdgcn_perm(wide[1], wide[0], 0x06040200u),
          __builtin_amdgcn_perm(wide[3], wide[2], 0x06040200u)};
}

// Values of eight codes: the code's bits moved into an f16 whose exponent is
// 8 too small, which also makes the small numbers come out exactly.
KMX_DEVICE f16x8 decode(u32x2 codes) {
  const u32x4 high = {
      __builtin_amdgcn_perm(0, codes[0], 0x010c000cu), __builtin_amdgcn_perm(0, codes[0], 0x030c020cu),
      __builtin_amdgcn_perm(0, codes[1], 0x010c000cu), __builtin_amdgcn_perm(0, codes[1], 0x030c020cu)};
  const i16x8 shifted = bits<i16x8>(high) >> 1;  // the sign now stands twice
  return bits<f16x8>(mask(bits<u32x4>(shifted), 0xbfffbfffu)) * (f16)256;
}

#if defined(__GFX12__)
// x limited to +-448, NaN kept. The 2019 minimum and maximum of IEEE 754, which
// keep NaN, have no builtin in clang 19; v_med3 would turn NaN into -448.
KMX_DEVICE f32 saturate(f32 x) {
  f32 y;
  asm("v_maximumminimum_f32 %0, %1, -%2, %2" : "=v"(y) : "v"(x), "s"(448.0f));
  return y;
}

// Codes of eight values by the hardware, which would make NaN of anything
// beyond 448.
KMX_DEVICE u32x2 encode_native(f16x8 x) {
  u32x2 codes;
#pragma unroll
  for (int d = 0; d < 2; d++) {
    int c = __builtin_amdgcn_cvt_pk_fp8_f32(saturate(widen(x[4 * d])), saturate(widen(x[4 * d + 1])), 0, false);
    c = __builtin_amdgcn_cvt_pk_fp8_f32(saturate(widen(x[4 * d + 2])), saturate(widen(x[4 * d + 3])), c, true);
    codes[d] = (u32)c;
  }
  return codes;
}

// Values of eight codes by the hardware.
KMX_DEVICE f16x8 decode_native(u32x2 codes) {
  f16x8 x;
#pragma unroll
  for (int d = 0; d < 2; d++) {
    const int c = (int)codes[d];
    const f32x2 lo = __builtin_amdgcn_cvt_pk_f32_fp8(c, false);
    const f32x2 hi = __builtin_amdgcn_cvt_pk_f32_fp8(c, true);
    x[4 * d] = (f16)lo[0], x[4 * d + 1] = (f16)lo[1];
    x[4 * d + 2] = (f16)hi[0], x[4 * d + 3] = (f16)hi[1];
  }
  return x;
}
#endif

}  // namespace e4m3
