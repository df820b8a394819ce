// Conversions between all widths.
#include "corpus.h"

FN f32 within(f32 x, f32 lo, f32 hi) { return x != x ? 0 : x < lo ? lo : x > hi ? hi : x; }

PER_THREAD(convert_integers) {
  const u32 a = in[kIntegers + tid];
  const u64 b = (u64)a << 32 | in[kIntegers + 77 + tid];
  out += kPerThread * tid;
  put(out, bits((f32)a));
  put(out, bits((f32)(i32)a));
  put(out, bits((f64)a));
  put(out, bits((f64)(i32)a));
  put(out, bits((f32)b));
  put(out, bits((f32)(i64)b));
  put(out, bits((f64)b));
  put(out, bits((f64)(i64)b));
  put(out, bits((f32)(u8)a));
  put(out, bits((f32)(u8)(a >> 8)));
  put(out, bits((f32)(u8)(a >> 16)));
  put(out, bits((f32)(u8)(a >> 24)));
  put(out, bits((f32)(i16)a));
  put(out, bits((f16)(f32)(i16)(a & 0xfff)));
}

PER_THREAD(convert_floats) {
  const f32 a = within(as<f32>(in[kFloats + tid]) * 1000.0f, -2e9f, 2e9f);
  const f32 e = as<f32>(in[kEdges + tid]);
  const f64 w = wide(in, tid);
  out += kPerThread * tid;
  put(out, (u32)(i32)a);
  put(out, (u32)within(a, 0, 4e9f));
  put(out, (u32)(i32)within(e, -2e9f, 2e9f));
  put(out, (u64)(i64)(a * 65536.0f * 1024.0f));
  put(out, (u64)within(a * 1e6f, 0, 1e18f));
  put(out, (u32)(i32)(f64)a);
  put(out, (u64)(i64)(w < 9e18 && w > -9e18 ? w : 0.0));
  put(out, bits((f64)e));
  put(out, bits((f32)w));
  put(out, bits((f32)(w * 1e-38)));
  put(out, bits((f16)e));
  put(out, bits((f16)a));
  put(out, bits((f16)(a * 1e-7f)));
  put(out, (u32)(u16)(i16)within(a, -32768, 32767));
  put(out, (u32)(u8)within(a, 0, 255));
}
