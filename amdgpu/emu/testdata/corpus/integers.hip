// 32-bit and narrower integers.
#include "corpus.h"

PER_THREAD(int_arithmetic) {
  const u32 a = in[kIntegers + tid], b = in[kIntegers + 512 + tid], c = in[kSmall + tid];
  out += kPerThread * tid;
  put(out, a + b);
  put(out, a - b);
  put(out, a * b);
  put(out, a * b + c);
  put(out, (u32)((u64)a * b >> 32));
  put(out, (u32)((i64)(i32)a * (i32)b >> 32));
  put(out, (a & b) | (~a & c));
  put(out, (a ^ b) ^ c);
  put(out, (a << 5) + b);
  put(out, (a + b) << 3);
  put(out, (a << 7) | b);
  put(out, a + b + c);
  put(out, (a & 0xffffff) * (b & 0xffffff));
  put(out, (u32)((i32)(a << 8 >> 8) * 7));
  put(out, (i32)a < (i32)b ? a : b);
  put(out, a > b ? a : b);
  put(out, (i32)a < 0 ? 0u - a : a);
  put(out, ~(a | b));
  put(out, ~(a ^ b));
  put(out, -a);
}

PER_THREAD(int_shifts) {
  const u32 a = in[kIntegers + tid], n = in[kIntegers + 300 + tid] & 31;
  out += kPerThread * tid;
  put(out, a << n);
  put(out, a >> n);
  put(out, (u32)((i32)a >> n));
  put(out, a << n | (n ? a >> (32 - n) : 0));
  put(out, (a >> n) & 0x1f);
  put(out, (u32)((i32)(a << (31 - n)) >> 27));
  put(out, __builtin_popcount(a));
  put(out, a ? __builtin_clz(a) : 99);
  put(out, a ? __builtin_ctz(a) : 99);
  put(out, __builtin_bitreverse32(a));
  put(out, __builtin_bswap32(a));
  put(out, __builtin_popcount(a) + n);
  put(out, ((1u << n) - 1) & a);
  put(out, (a >> 8 & 0xff) + (a >> 24));
  put(out, (u32)(i32)(i8)(a >> 8));
  put(out, (u32)(i32)(i16)(a >> 16));
}

PER_THREAD(int_division) {
  const u32 a = in[kIntegers + tid], b = in[kEdges + tid] | 1, s = in[kSmall + tid];
  out += kPerThread * tid;
  put(out, a / b);
  put(out, a % b);
  put(out, a / (s | 1));
  put(out, a % (s | 1));
  put(out, (i32)a == (i32)0x80000000 ? 0u : (u32)((i32)a / (i32)b));
  put(out, (i32)a == (i32)0x80000000 ? 0u : (u32)((i32)a % (i32)(s | 1)));
  put(out, a / 7);
  put(out, a % 1000);
  put(out, (u32)((i32)a / 10));
  put(out, (u32)((i32)a % 16));
  put(out, (u32)(u16)a / ((u16)b | 1));
  put(out, (u32)(i32)((i8)a / (i8)(s | 1)));
}

PER_THREAD(int_narrow) {
  const u16 a = (u16)in[kIntegers + tid], b = (u16)in[kIntegers + 99 + tid];
  const u8 c = (u8)in[kIntegers + 200 + tid], d = (u8)in[kSmall + tid];
  out += kPerThread * tid;
  put(out, (u32)(u16)(a + b));
  put(out, (u32)(u16)(a - b));
  put(out, (u32)(u16)(a * b));
  put(out, (u32)(u16)(a * b + c));
  put(out, (u32)(u16)(a << (b & 15)));
  put(out, (u32)(u16)((i16)a >> (b & 15)));
  put(out, (u32)(u16)(a >> (b & 15)));
  put(out, (u32)((i16)a < (i16)b ? a : b));
  put(out, (u32)(a > b ? a : b));
  put(out, (u32)(u8)(c + d));
  put(out, (u32)(u8)(c * d));
  put(out, (u32)(i32)(i8)(c - d));
  put(out, (u32)__builtin_bswap16(a));
  put(out, (u32)__builtin_popcount((u32)a));
  put(out, (u32)(i32)((i16)a * (i16)b));
}

PER_THREAD(int_saturating) {
  const u32 a = in[kEdges + tid], b = in[kIntegers + tid];
  out += kPerThread * tid;
  put(out, __builtin_elementwise_add_sat(a, b));
  put(out, __builtin_elementwise_sub_sat(a, b));
  put(out, (u32)__builtin_elementwise_add_sat((i32)a, (i32)b));
  put(out, (u32)__builtin_elementwise_sub_sat((i32)a, (i32)b));
  put(out, (u32)__builtin_elementwise_add_sat((u16)a, (u16)b));
  put(out, (u32)(u16)__builtin_elementwise_sub_sat((i16)a, (i16)b));
  u32 r;
  put(out, (u32)__builtin_add_overflow(a, b, &r));
  put(out, r);
  i32 s;
  put(out, (u32)__builtin_sub_overflow((i32)a, (i32)b, &s));
  put(out, (u32)s);
  put(out, (u32)__builtin_mul_overflow(a, b, &r));
  const i32 lo = (i32)a < (i32)b ? (i32)a : (i32)b, hi = (i32)a < (i32)b ? (i32)b : (i32)a, x = (i32)in[kSmall + tid];
  put(out, (u32)(x < lo ? lo : x > hi ? hi : x));
}
