// Matrix products of one wave, through the builtins of both generations. The
// expected results are exact sums, rounded once. A is tile 0 of the input, B
// (stored by columns) tile 1; work-group g takes its tiles 2*g on.
#include "corpus.h"

// Operands: f16 of moderate size, so that __float128 sums exactly.
FN f16 element(const u32 *in, u32 tile, u32 row, u32 k) {
  return (f16)as<f32>(in[kFloats + (256 * tile + 16 * row + k) % 1024]);
}
FN f32 start(const u32 *in, u32 g, u32 row, u32 col) { return as<f32>(in[kFloats + (row * 16 + col + 77 * g) % 1024]) * 0.37f; }
FN u16 brain(const u32 *in, u32 tile, u32 row, u32 k) { return (u16)(in[kFloats + (256 * tile + 16 * row + k) % 1024] >> 16); }
FN u8 byte_at(const u32 *in, u32 tile, u32 row, u32 k) { return (u8)(in[kIntegers + (256 * tile + 16 * row + k) % 1024] >> 3); }

#ifdef __AMDGCN__
#if defined(__GFX12__)
constexpr u32 kK = 8;  // values of K in a lane
#define GEN(name) name##_gfx12
FN u32 row_of(u32 i) { return i + 8 * (lane_id() >> 4); }
FN u32 first_k() { return 8 * (lane_id() >> 4); }
#else
constexpr u32 kK = 16;
#define GEN(name) name
FN u32 row_of(u32 i) { return 2 * i + (lane_id() >> 4); }
FN u32 first_k() { return 0; }
#endif
typedef f16 Halves __attribute__((ext_vector_type(kK)));
typedef short Shorts __attribute__((ext_vector_type(kK)));
typedef int Bytes __attribute__((ext_vector_type(kK / 4)));
typedef f32 Accum __attribute__((ext_vector_type(8)));
typedef int Sums __attribute__((ext_vector_type(8)));

FN Halves load_halves(const u32 *in, u32 tile) {
  Halves v;
  for (u32 k = 0; k < kK; k++) v[k] = element(in, tile, lane_id() & 15, first_k() + k);
  return v;
}
FN Shorts load_brains(const u32 *in, u32 tile) {
  Shorts v;
  for (u32 k = 0; k < kK; k++) v[k] = (short)brain(in, tile, lane_id() & 15, first_k() + k);
  return v;
}
FN Accum load_start(const u32 *in) {
  Accum c;
  for (u32 i = 0; i < 8; i++) c[i] = start(in, group_x(), row_of(i), lane_id() & 15);
  return c;
}
FN void store(u32 *out, u32 i, u32 x) { out[512 * group_x() + row_of(i) * 16 + (lane_id() & 15)] = x; }

DEVICE_KERNEL(wmma_f32_f16_b32) {
  const Accum d = GEN(__builtin_amdgcn_wmma_f32_16x16x16_f16_w32)(load_halves(in, 2 * group_x()), load_halves(in, 2 * group_x() + 1), load_start(in));
  for (u32 i = 0; i < 8; i++) store(out, i, bits(d[i]));
}
DEVICE_KERNEL(wmma_f32_bf16_b32) {
  const Accum d = GEN(__builtin_amdgcn_wmma_f32_16x16x16_bf16_w32)(load_brains(in, 2 * group_x()), load_brains(in, 2 * group_x() + 1), load_start(in));
  for (u32 i = 0; i < 8; i++) store(out, i, bits(d[i]));
}
#if defined(__GFX12__)
DEVICE_KERNEL(wmma_f16_f16_b32) {
  Halves c;
  for (u32 i = 0; i < 8; i++) c[i] = (f16)start(in, group_x(), row_of(i), lane_id() & 15);
  const Halves d = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32_gfx12(load_halves(in, 2 * group_x()), load_halves(in, 2 * group_x() + 1), c);
  for (u32 i = 0; i < 8; i++) store(out, i, bits(d[i]));
}
#else
// Here D fills the low or the high halves of the registers, and keeps the others.
DEVICE_KERNEL(wmma_f16_f16_b32) {
  Halves c;
  for (u32 i = 0; i < 16; i++) c[i] = (f16)start(in, group_x(), row_of(i / 2), lane_id() & 15);
  const Halves a = load_halves(in, 2 * group_x()), b = load_halves(in, 2 * group_x() + 1);
  const Halves low = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(a, b, c, false);
  const Halves high = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(a, b, c, true);
  for (u32 i = 0; i < 8; i++) store(out, i, bits(group_x() ? high[2 * i + 1] : low[2 * i]));
}
#endif
DEVICE_KERNEL(wmma_i32_iu8_b32) {
  Bytes a = {}, b = {};
  for (u32 k = 0; k < kK; k++) {
    a[k / 4] |= (int)((u32)byte_at(in, 2 * group_x(), lane_id() & 15, first_k() + k) << (8 * (k % 4)));
    b[k / 4] |= (int)((u32)byte_at(in, 2 * group_x() + 1, lane_id() & 15, first_k() + k) << (8 * (k % 4)));
  }
  Sums c;
  for (u32 i = 0; i < 8; i++) c[i] = (int)in[kSmall + row_of(i) * 16 + (lane_id() & 15)];
  const Sums d = GEN(__builtin_amdgcn_wmma_i32_16x16x16_iu8_w32)(true, a, false, b, c, false);
  for (u32 i = 0; i < 8; i++) store(out, i, (u32)d[i]);
}

#else

template <class F>
static void each(u32 *out, F f) {
  for (u32 g = 0; g < kGroups; g++)
    for (u32 row = 0; row < 16; row++)
      for (u32 col = 0; col < 16; col++) out[512 * g + row * 16 + col] = f(g, row, col);
}
static f128 dot(const u32 *in, u32 g, u32 row, u32 col, f128 c) {
  for (u32 k = 0; k < 16; k++) c += (f128)(f32)element(in, 2 * g, row, k) * (f128)(f32)element(in, 2 * g + 1, col, k);
  return c;
}
static f128 brain_value(u16 b) { return (f128)as<f32>((u32)b << 16); }

HOST_RESULT(wmma_f32_f16_b32) {
  each(out, [&](u32 g, u32 row, u32 col) { return bits((f32)dot(in, g, row, col, start(in, g, row, col))); });
}
HOST_RESULT(wmma_f32_bf16_b32) {
  each(out, [&](u32 g, u32 row, u32 col) {
    f128 s = start(in, g, row, col);
    for (u32 k = 0; k < 16; k++) s += brain_value(brain(in, 2 * g, row, k)) * brain_value(brain(in, 2 * g + 1, col, k));
    return bits((f32)s);
  });
}
HOST_RESULT(wmma_f16_f16_b32) {
  each(out, [&](u32 g, u32 row, u32 col) { return bits(to_f16(dot(in, g, row, col, (f32)(f16)start(in, g, row, col)))); });
}
HOST_RESULT(wmma_i32_iu8_b32) {
  each(out, [&](u32 g, u32 row, u32 col) {
    u32 s = in[kSmall + row * 16 + col];
    for (u32 k = 0; k < 16; k++) s += (u32)((i8)byte_at(in, 2 * g, row, k) * (i32)byte_at(in, 2 * g + 1, col, k));
    return s;
  });
}
#endif
