// What only gfx12 has: 8-bit floats, and minimum and maximum that keep NaN.
#include "corpus.h"

FN u8 code_at(const u32 *in, u32 tile, u32 row, u32 k) {  // no NaN, no infinity, in either encoding
  const u8 c = (u8)(in[kIntegers + (256 * tile + 16 * row + k) % 1024] >> 5);
  return (c & 0x7f) >= 0x7b ? c & 0x80 : c;
}

#ifdef __AMDGCN__
typedef int Codes __attribute__((ext_vector_type(2)));
typedef f32 Accum __attribute__((ext_vector_type(8)));

DEVICE_KERNEL(fp8_encode) {
  const u32 t = group_x() * 64 + thread_x();
  out += kPerThread * t;
  for (u32 i = 0; i < 4; i++) {
    const f32 x = as<f32>(in[kFloats + t + i]) * 8.0f, y = as<f32>(in[kEdges + t + i]);
    int c = (int)in[t];
    c = __builtin_amdgcn_cvt_pk_fp8_f32(x, y, c, false);
    put(out, (u32)c);
    put(out, (u32)__builtin_amdgcn_cvt_pk_fp8_f32(y, x, c, true));
    put(out, (u32)__builtin_amdgcn_cvt_pk_bf8_f32(x, y, c, false));
    put(out, (u32)__builtin_amdgcn_cvt_pk_bf8_f32(y, x, c, true));
  }
}
DEVICE_KERNEL(fp8_decode) {
  const u32 t = group_x() * 64 + thread_x();
  const int c = (int)in[kIntegers + t];
  out += kPerThread * t;
  put(out, bits(__builtin_amdgcn_cvt_f32_fp8(c, 0)));
  put(out, bits(__builtin_amdgcn_cvt_f32_fp8(c, 1)));
  put(out, bits(__builtin_amdgcn_cvt_f32_fp8(c, 2)));
  put(out, bits(__builtin_amdgcn_cvt_f32_fp8(c, 3)));
  put(out, bits(__builtin_amdgcn_cvt_f32_bf8(c, 0)));
  put(out, bits(__builtin_amdgcn_cvt_f32_bf8(c, 3)));
  const auto lo = __builtin_amdgcn_cvt_pk_f32_fp8(c, false), hi = __builtin_amdgcn_cvt_pk_f32_fp8(c, true), other = __builtin_amdgcn_cvt_pk_f32_bf8(c, true);
  put(out, bits((f32)lo[0])), put(out, bits((f32)lo[1])), put(out, bits((f32)hi[0])), put(out, bits((f32)hi[1]));
  put(out, bits((f32)other[0])), put(out, bits((f32)other[1]));
}
DEVICE_KERNEL(nan_minmax) {
  const u32 t = group_x() * 64 + thread_x();
  const f32 a = as<f32>(in[kEdges + t]), b = as<f32>(in[kEdges + 99 + t]), c = as<f32>(in[kFloats + t]);
  f32 r;
  out += kPerThread * t;
  asm("v_minimum_f32 %0, %1, %2" : "=v"(r) : "v"(a), "v"(b));
  put(out, bits(r));
  asm("v_maximum_f32 %0, %1, %2" : "=v"(r) : "v"(a), "v"(b));
  put(out, bits(r));
  asm("v_maximumminimum_f32 %0, %1, -%2, %2" : "=v"(r) : "v"(a), "s"(448.0f));
  put(out, bits(r));
  asm("v_minimum3_f32 %0, %1, %2, %3" : "=v"(r) : "v"(a), "v"(b), "v"(c));
  put(out, bits(r));
}

FN Codes load_codes(const u32 *in, u32 tile) {
  Codes v = {};
  for (u32 k = 0; k < 8; k++) v[k / 4] |= (int)((u32)code_at(in, tile, lane_id() & 15, 8 * (lane_id() >> 4) + k) << (8 * (k % 4)));
  return v;
}
#define PRODUCT(name, builtin)                                                                   \
  DEVICE_KERNEL(name) {                                                                          \
    Accum c;                                                                                     \
    const u32 half = lane_id() >> 4, col = lane_id() & 15, g = group_x();                       \
    for (u32 i = 0; i < 8; i++) c[i] = as<f32>(in[kFloats + (i + 8 * half) * 16 + col]);       \
    c = builtin(load_codes(in, 2 * g), load_codes(in, 2 * g + 1), c);                           \
    for (u32 i = 0; i < 8; i++) out[512 * g + (i + 8 * half) * 16 + col] = bits(c[i]);          \
  }
PRODUCT(wmma_fp8_fp8_b32, __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12)
PRODUCT(wmma_fp8_bf8_b32, __builtin_amdgcn_wmma_f32_16x16x16_fp8_bf8_w32_gfx12)
PRODUCT(wmma_bf8_fp8_b32, __builtin_amdgcn_wmma_f32_16x16x16_bf8_fp8_w32_gfx12)
PRODUCT(wmma_bf8_bf8_b32, __builtin_amdgcn_wmma_f32_16x16x16_bf8_bf8_w32_gfx12)

#else

// The formats by their definitions: codes to values, and the nearest code by
// trying all of them.
struct Format { int mantissa, bias; u32 largest, beyond; };
constexpr Format kFP8 = {3, 7, 0x7e, 0x7f}, kBF8 = {2, 15, 0x7b, 0x7c};

static f64 value(Format f, u32 code) {
  const u32 c = code & 0x7f, e = c >> f.mantissa, m = c & ((1u << f.mantissa) - 1);
  f64 v = e ? ldexp(m + (1 << f.mantissa), (int)e - f.bias - f.mantissa) : ldexp(m, 1 - f.bias - f.mantissa);
  if (c > f.largest) v = c == f.beyond && f.beyond != 0x7f ? __builtin_inf() : __builtin_nan("");
  return code & 0x80 ? -v : v;
}
static u32 encode(Format f, f32 x) {
  const u32 sign = as<u32>(x) >> 24 & 0x80;
  const f64 v = x < 0 ? -(f64)x : (f64)x;
  if (x != x) return sign | (f.mantissa == 3 ? 0x7f : 0x7e);
  u32 best = 0;
  for (u32 c = 1; c <= f.largest; c++) {
    const f64 d = value(f, c) - v, e = value(f, best) - v;
    const f64 ad = d < 0 ? -d : d, ae = e < 0 ? -e : e;
    if (ad < ae || (ad == ae && !(c & 1))) best = c;
  }
  // Half a step beyond the largest number, its even neighbour wins the tie.
  const f64 top = value(f, f.largest), step = top - value(f, f.largest - 1);
  if (v > top + step / 2 || (v == top + step / 2 && (f.largest & 1))) best = f.beyond;
  return sign | best;
}

HOST_RESULT(fp8_encode) {
  for (u32 t = 0; t < kGroups * lanes; t++) {
    u32 *o = out + kPerThread * t;
    for (u32 i = 0; i < 4; i++) {
      const f32 x = as<f32>(in[kFloats + t + i]) * 8.0f, y = as<f32>(in[kEdges + t + i]);
      const u32 low = encode(kFP8, x) | encode(kFP8, y) << 8, c = (in[t] & 0xffff0000u) | low;
      put(o, c);
      put(o, low | encode(kFP8, y) << 16 | encode(kFP8, x) << 24);
      put(o, (c & 0xffff0000u) | encode(kBF8, x) | encode(kBF8, y) << 8);
      put(o, low | encode(kBF8, y) << 16 | encode(kBF8, x) << 24);
    }
  }
}
HOST_RESULT(fp8_decode) {
  for (u32 t = 0; t < kGroups * lanes; t++) {
    const u32 c = in[kIntegers + t];
    u32 *o = out + kPerThread * t;
    for (u32 i = 0; i < 32; i += 8) put(o, bits((f32)value(kFP8, c >> i & 0xff)));
    put(o, bits((f32)value(kBF8, c & 0xff))), put(o, bits((f32)value(kBF8, c >> 24)));
    for (u32 i = 0; i < 32; i += 8) put(o, bits((f32)value(kFP8, c >> i & 0xff)));
    put(o, bits((f32)value(kBF8, c >> 16 & 0xff))), put(o, bits((f32)value(kBF8, c >> 24)));
  }
}
// NaN if there is one; -0 before +0.
static f32 lesser(f32 a, f32 b) {
  if (a != a || b != b) return __builtin_nanf("");
  if (a == 0 && b == 0) return as<u32>(a) ? a : b;
  return a < b ? a : b;
}
static f32 greater(f32 a, f32 b) { return -lesser(-a, -b); }
HOST_RESULT(nan_minmax) {
  for (u32 t = 0; t < kGroups * lanes; t++) {
    const f32 a = as<f32>(in[kEdges + t]), b = as<f32>(in[kEdges + 99 + t]), c = as<f32>(in[kFloats + t]);
    u32 *o = out + kPerThread * t;
    put(o, bits(lesser(a, b))), put(o, bits(greater(a, b)));
    put(o, bits(lesser(greater(a, -448.0f), 448.0f)));
    put(o, bits(lesser(lesser(a, b), c)));
  }
}
static void product(const u32 *in, u32 *out, Format fa, Format fb) {
  for (u32 g = 0; g < kGroups; g++)
    for (u32 row = 0; row < 16; row++)
      for (u32 col = 0; col < 16; col++) {
        f128 s = as<f32>(in[kFloats + row * 16 + col]);
        for (u32 k = 0; k < 16; k++) s += (f128)value(fa, code_at(in, 2 * g, row, k)) * (f128)value(fb, code_at(in, 2 * g + 1, col, k));
        out[512 * g + row * 16 + col] = bits((f32)s);
      }
}
HOST_RESULT(wmma_fp8_fp8_b32) { product(in, out, kFP8, kFP8); }
HOST_RESULT(wmma_fp8_bf8_b32) { product(in, out, kFP8, kBF8); }
HOST_RESULT(wmma_bf8_fp8_b32) { product(in, out, kBF8, kFP8); }
HOST_RESULT(wmma_bf8_bf8_b32) { product(in, out, kBF8, kBF8); }
#endif
