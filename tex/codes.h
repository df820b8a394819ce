// Two e4m3 codes to halves and back, as PTX's cvt does it.
#pragma once

#include "abi.h"
#include "e4m3.h"

// cvt.rn.f16x2.e4m3x2: exact. The NaN codes become some NaN; an NVIDIA GPU makes
// 0x7fff of both.
KMX_CALLED u32 d4r_dec_e4m3x2(B16 codes) {
#if KMX_HARD_E4M3
  const f32x2 v = __builtin_amdgcn_cvt_pk_f32_fp8(codes.bits, false);
  return bits<u32>(__builtin_amdgcn_cvt_pkrtz(v[0], v[1]));
#else
  const u32 v = bits<u32x4>(e4m3::decode(u32x2{codes.bits, 0}))[0];
  const u32 low = v << 16 & 0x7fff0000, high = v & 0x7fff0000;
  constexpr u32 kNan = 0x5f800000;  // 480, which is no number of e4m3
  return (low == kNan ? v | 0x7e00 : v) | (high == kNan ? 0x7e000000 : 0);
#endif
}

// cvt.rn.satfinite.e4m3x2.f16x2: the nearest codes, 448 of the sign beyond; NaN is
// 0x7f whatever its sign, as on an NVIDIA GPU. The networks' codes keep the sign.
KMX_CALLED B16 d4r_enc_e4m3x2(u32 v) {
  const u32 codes = e4m3::encode(bits<f16x8>(u32x4{v, 0, 0, 0}))[0];
  const u32 low = (codes & 0x7f) == 0x7f ? 0x7f : codes & 0xff;
  const u32 high = (codes & 0x7f00) == 0x7f00 ? 0x7f00 : codes & 0xff00;
  return {(u16)(high | low)};
}
