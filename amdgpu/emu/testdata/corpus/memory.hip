// Memory: stack arrays, structures, constants, widths and alignments.
#include "corpus.h"

CONSTANT static const u32 kTable[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
CONSTANT static const u8 kText[] = "two households both alike in dignity";
GLOBAL u32 gCells[256];

struct Mixed {
  u8 a;
  u16 b;
  u32 c;
  u64 d;
  f32 e[3];
};

PER_THREAD(stack_arrays) {
  u32 a[24];
  for (u32 i = 0; i < 24; i++) a[i] = in[(tid * 24 + i) % 1024];
  for (u32 i = 1; i < 24; i++)  // insertion sort
    for (u32 j = i; j > 0 && a[j - 1] > a[j]; j--) {
      const u32 t = a[j];
      a[j] = a[j - 1], a[j - 1] = t;
    }
  for (u32 i = 0; i < 24; i++) out[kPerThread * tid + i] = a[i];
  u8 counts[64] = {};
  for (u32 i = 0; i < 24; i++) counts[a[i] % 64]++;
  u32 r = 0;
  for (u32 i = 0; i < 64; i++) r = r * 31 + counts[i];
  out[kPerThread * tid + 24] = r;
}

PER_THREAD(structures) {
  Mixed m[3];
  for (u32 i = 0; i < 3; i++) {
    const u32 w = in[kIntegers + (tid + i) % 1024];
    m[i] = {(u8)w, (u16)(w >> 8), w * 3, (u64)w << 20, {(f32)(w & 255), 1.5f, (f32)i}};
  }
  Mixed copy = m[in[kIntegers + tid] % 3];
  m[tid % 3].c += 5;
  out += kPerThread * tid;
  put(out, copy.a + copy.b);
  put(out, copy.c);
  put(out, copy.d);
  put(out, bits(copy.e[tid % 3]));
  put(out, m[0].c + m[1].c + m[2].c);
}

PER_THREAD(constants) {
  const u32 w = in[kIntegers + tid];
  u32 r = 0;
  for (u32 i = 0; i < 8; i++) r = r * 10 + kTable[w >> (4 * i) & 15];
  out[kPerThread * tid] = r;
  u32 h = 2166136261u;
  for (u32 i = 0; i < w % sizeof kText; i++) h = (h ^ kText[i]) * 16777619u;
  out[kPerThread * tid + 1] = h;
}

PER_THREAD(global_cells) {
  gCells[tid] = in[kIntegers + tid] + tid;
  gCells[tid + 128] = gCells[tid] * 5;
  out[kPerThread * tid] = gCells[tid + 128] - gCells[tid];
}

PER_THREAD(widths) {
  const u8 *bytes = (const u8 *)(in + kIntegers);
  u8 *to = (u8 *)(out + kPerThread * tid);
  const u32 at = in[kSmall + tid] % 1000;
  to[0] = bytes[at];
  to[1] = (u8)((i8)bytes[at + 1] >> 1);
  *(u16 *)(to + 2) = *(const u16 *)(bytes + 2 * at);
  *(i32 *)(to + 4) = *(const i16 *)(bytes + 2 * at + 2);
  *(u64 *)(to + 8) = *(const u64 *)(bytes + 8 * (at % 100));
  typedef u32 u32x4 __attribute__((ext_vector_type(4)));
  *(u32x4 *)(to + 16) = *(const u32x4 *)(bytes + 16 * (at % 100)) + 1u;
  const u32x4 v = *(const u32x4 *)(bytes + 16 * (at % 51));
  to[32] = (u8)v.y, to[35] = (u8)v.w;
  for (u32 i = 0; i < 7; i++) to[40 + i] = bytes[3 * at + i];
  u32 unaligned;
  __builtin_memcpy(&unaligned, bytes + at, 4);
  __builtin_memcpy(to + 48, &unaligned, 4);
  u64 longer;
  __builtin_memcpy(&longer, bytes + at + 1, 8);
  __builtin_memcpy(to + 56, &longer, 8);
}
