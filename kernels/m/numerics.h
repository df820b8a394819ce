// The numerics of a build, and products in them.
//
//               operands   rounded to e4m3   accumulators
//   fast        f16        no                f32
//   fast FP8    e4m3       yes               f32
//   accuracy    f16, e4m3  yes               f16 after every 32 inputs
//
// D4R_ACCURACY and D4R_FP8_WMMA choose. What is rounded to e4m3 ("q8"): the
// normed inputs of projections and MLP, Q, the attention output, the gelu
// output. What never is: inputs as residual, V, scores, probabilities. Those
// two are the operands of the only product that is f16 in every build.
//
// All 32 inputs of a step go through two products of 16: inputs 0..7 and
// 16..23, then 8..15 and 24..31. That split is visible in f32 sums; the order
// inside one product is not.
#pragma once

#include "e4m3.h"
#include "wmma.h"

namespace rrlite {

#ifdef D4R_ACCURACY
inline constexpr bool kExact = true;
#else
inline constexpr bool kExact = false;
#endif
#ifdef D4R_FP8_WMMA
#if !KMX_GFX12
#error "D4R_FP8_WMMA needs gfx12"
#endif
inline constexpr bool kFp8 = true;
#else
inline constexpr bool kFp8 = false;
#endif
inline constexpr bool kQ8 = kFp8 || kExact;

// Eight values as the accumulator of a lane has them.
using Eight = wmma::Rows;

// The pair that lane l ^ 16 holds.
KMX_DEVICE f16x2 swap_halves(f16x2 v) { return bits<f16x2>(::swap_halves(bits<u32>(v))); }

#ifdef D4R_FP8_WMMA
using Operand = wmma::Operand8;
#else
using Operand = wmma::Operand;
#endif

// Both operands of a step of 32 inputs.
struct Step {
  Operand part[2];
};

// ---- e4m3 in and out of memory
KMX_DEVICE u32x2 encode(Eight x) {
#ifdef D4R_FP8_WMMA
  return e4m3::encode_native(x);
#else
  return e4m3::encode(x);
#endif
}
KMX_DEVICE Eight decode(u32x2 codes) {
#ifdef D4R_FP8_WMMA
  return e4m3::decode_native(codes);
#else
  return e4m3::decode(codes);
#endif
}

// ---- operands
// A lane's eight values rounded to e4m3 where the build says so: codes or halves.
#ifdef D4R_FP8_WMMA
using Packed = u32x2;
KMX_DEVICE Packed pack(Eight x) { return encode(x); }
KMX_DEVICE Eight unpack(Packed v) { return decode(v); }
KMX_DEVICE Packed from_codes(u32x2 codes) { return codes; }
#else
using Packed = Eight;
KMX_DEVICE Packed pack(Eight x) { return kQ8 ? e4m3::q8(x) : x; }
KMX_DEVICE Eight unpack(Packed v) { return v; }
KMX_DEVICE Packed from_codes(u32x2 codes) { return decode(codes); }
#endif

// An operand whose inputs are the sixteen of both halves.
KMX_DEVICE Operand operand(Packed v) {
#ifdef D4R_FP8_WMMA
  return v;
#else
  return wmma::join(v);
#endif
}
KMX_DEVICE Operand quantised(Eight x) { return operand(pack(x)); }

// ---- products
// A sum on its way along a chain of products, in the precision it is kept in
// from one step of 32 inputs to the next.
#ifdef D4R_ACCURACY
using Chain = Eight;
KMX_DEVICE Chain start(Eight x) { return x; }
KMX_DEVICE Eight finish(Chain c) { return c; }
#else
using Chain = wmma::Accum;
KMX_DEVICE Chain start(Eight x) { return wmma::widen(x); }
KMX_DEVICE Eight finish(Chain c) { return wmma::round(c); }
#endif

// c + a*b over 32 inputs. SWIN_K32_MIX, for tests, sums the products from zero
// and adds c in the rounding to f16, as some builds of others do.
KMX_DEVICE Chain mma(const Step& a, const Step& b, Chain c) {
#if defined(D4R_ACCURACY) && defined(SWIN_K32_MIX)
  wmma::Accum sum = {};
#elif defined(D4R_ACCURACY)
  wmma::Accum sum = wmma::widen(c);
#else
  wmma::Accum sum = c;
#endif
#pragma unroll
  for (int s = 0; s < 2; s++) {
#ifdef D4R_FP8_WMMA
    sum = wmma::mma_fp8(a.part[s], b.part[s], sum);
#else
    sum = wmma::mma_f16(a.part[s], b.part[s], sum);
#endif
  }
#if defined(D4R_ACCURACY) && defined(SWIN_K32_MIX)
#pragma unroll
  for (int i = 0; i < 8; i++) c[i] = (f16)add_wide(sum[i], c[i]);
  return c;
#elif defined(D4R_ACCURACY)
  return wmma::round(sum);
#else
  return sum;
#endif
}

}  // namespace rrlite
