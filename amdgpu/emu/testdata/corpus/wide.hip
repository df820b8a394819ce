// 64-bit integers.
#include "corpus.h"

FN u64 load64(const u32 *in, u32 at) { return (u64)in[at] | (u64)in[at + 256] << 32; }

PER_THREAD(long_arithmetic) {
  const u64 a = load64(in, kIntegers + tid), b = load64(in, kIntegers + 512 + tid);
  out += kPerThread * tid;
  put(out, a + b);
  put(out, a - b);
  put(out, a * b);
  put(out, (u64)((unsigned __int128)a * b >> 64));
  put(out, a & b);
  put(out, a ^ ~b);
  put(out, (u64)(u32)a * (u32)b + b);
  put(out, (u64)((i64)(i32)a * (i32)b + (i64)b));
  put(out, (u64)(a < b) | (u64)((i64)a < (i64)b) << 1 | (u64)(a == b) << 2);
  put(out, (i64)a < (i64)b ? a : b);
  put(out, a > b ? a : b);
  put(out, -a);
}

PER_THREAD(long_shifts) {
  const u64 a = load64(in, kIntegers + tid);
  const u32 n = in[kIntegers + 700 + tid] & 63;
  out += kPerThread * tid;
  put(out, a << n);
  put(out, a >> n);
  put(out, (u64)((i64)a >> n));
  put(out, a << n | (n ? a >> (64 - n) : 0));
  put(out, (u32)__builtin_popcountll(a));
  put(out, (u32)(a ? __builtin_clzll(a) : 99));
  put(out, (u32)(a >> 32 ? __builtin_ctzll(a & ~0ull << 32) : 99));
  put(out, (u64)__builtin_bitreverse64(a));
  put(out, (u64)__builtin_bswap64(a));
  put(out, a >> 13 & 0xfffff);
  put(out, (u32)(a >> (n & 31)));
}

PER_THREAD(long_division) {
  const u64 a = load64(in, kIntegers + tid), b = (u64)in[kEdges + tid] << (tid & 31) | 1;
  const i64 s = (i64)(i32)in[kSmall + tid] | 1;
  out += kPerThread * tid;
  put(out, a / b);
  put(out, a % b);
  put(out, a / (in[kSmall + tid] | 1) % 97 + in[kSmall] / 3);
  put(out, (u64)((i64)(a >> 1) / s));
  put(out, (u64)((i64)(a >> 1) % s));
  put(out, a / 1000000007);
  put(out, a % 10);
  put(out, (u64)((i64)a / 4096));
}
