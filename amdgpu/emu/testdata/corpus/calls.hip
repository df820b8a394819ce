// Calls of functions that are not inlined: arguments and results in registers
// and on the stack, calls within divergent flow, calls through pointers.
#include "corpus.h"

struct Pair { u64 quotient; u32 rest; };

NOINLINE u32 mix(u32 a, u32 b) { return (a ^ b * 0x9e3779b9u) + (a << 6) + (a >> 2); }
NOINLINE u64 widen(u32 a, i32 b) { return (u64)a * 3 + (u64)(i64)b; }
NOINLINE Pair divide(u64 a, u32 b) { return {a / b, (u32)(a % b)}; }
NOINLINE f32 blend(f32 a, f32 b, f32 t) { return a * (1.0f - t) + b * t; }
NOINLINE u32 many(u32 a0, u32 a1, u32 a2, u32 a3, u32 a4, u32 a5, u32 a6, u32 a7, u32 a8, u32 a9, u32 b0, u32 b1, u32 b2, u32 b3, u32 b4, u32 b5, u32 b6, u32 b7, u32 b8, u32 b9, u32 c0, u32 c1, u32 c2, u32 c3, u32 c4, u32 c5, u32 c6, u32 c7, u32 c8, u32 c9, u64 d0, u64 d1, f32 e0) {
  return a0 + 2 * a1 + 3 * a2 + 4 * a3 + 5 * a4 + 6 * a5 + 7 * a6 + 8 * a7 + 9 * a8 + 10 * a9 + (b0 ^ b1 ^ b2 ^ b3 ^ b4 ^ b5 ^ b6 ^ b7 ^ b8 ^ b9) + c0 - c1 + c2 - c3 + c4 - c5 + c6 - c7 + c8 - c9 + (u32)(d0 - d1) + (u32)e0;
}
NOINLINE void fill(u32 *a, u32 n, u32 seed) {
  for (u32 i = 0; i < n; i++) a[i] = mix(seed, i);
}
NOINLINE u32 nested(u32 a, u32 depth) {
  u32 local[4];
  fill(local, 4, a);
  return depth & 1 ? mix(local[0], local[3]) : local[1] + mix(local[2], a);
}

PER_THREAD(direct_calls) {
  const u32 a = in[kIntegers + tid], b = in[kIntegers + 100 + tid];
  u32 *o = out + kPerThread * tid;
  put(o, mix(a, b));
  put(o, widen(a, (i32)b));
  const Pair p = divide((u64)a << 20, b | 1);
  put(o, p.quotient);
  put(o, p.rest);
  put(o, bits(blend(as<f32>(in[kFloats + tid]), 2.0f, 0.25f)));
  put(o, many(a, b, 3, 4, 5, 6, 7, 8, 9, 10, a, b, 13, 14, 15, 16, 17, 18, 19, 20, b, a, 23, 24, 25, 26, 27, 28, 29, 30, (u64)a << 8, b, 3.5f));
  put(o, nested(a, tid));
}

PER_THREAD(divergent_calls) {
  const u32 a = in[kIntegers + tid];
  u32 r = a;
  if (a & 1) r = nested(a, 3);
  for (u32 i = 0; i < a % 5; i++) r = mix(r, i);
  if (r & 2) r += (u32)divide(r, 7).quotient;
  else r ^= nested(r, 2);
  out[kPerThread * tid] = r;
}

typedef u32 (*Op)(u32, u32);
NOINLINE u32 op_add(u32 a, u32 b) { return a + b; }
NOINLINE u32 op_mul(u32 a, u32 b) { return a * b; }
NOINLINE u32 op_xor(u32 a, u32 b) { return a ^ b; }

PER_THREAD(pointer_calls) {
  u32 r = in[kIntegers + tid];
  for (u32 i = 0; i < 6; i++) {
    const u32 pick = in[kSmall + tid + i] % 3;
    const Op op = pick == 0 ? op_add : pick == 1 ? op_mul : op_xor;
    r = op(r, i * 77 + 1);
  }
  out[kPerThread * tid] = r;
}
