// Control flow in which lanes go different ways.
#include "corpus.h"

PER_THREAD(branches) {
  const u32 a = in[kIntegers + tid], b = in[kSmall + tid];
  u32 r = a;
  if (a & 1) {
    r += b;
    if (a & 2) r ^= 0x55;
    else if (a & 4) r *= 3;
    else r -= 7;
  } else if (b > 10 && (a & 8)) {
    r = r << 1 | r >> 31;
  } else if (b == 3 || (a & 0x70) == 0x30) {
    r = ~r;
  }
  if (tid < 40 && (i32)a < 0) r += 1000;
  out[kPerThread * tid] = r;
  if (tid % 3 == 0) out[kPerThread * tid + 1] = r ^ tid;
}

PER_THREAD(loops) {
  const u32 a = in[kIntegers + tid];
  u32 n = a % 1000 + 1, steps = 0;
  while (n != 1 && steps < 300) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    steps++;
  }
  out[kPerThread * tid] = steps;
  u32 sum = 0;
  for (u32 i = 0; i < tid % 37; i++) {
    if (in[(tid + i) % 1024] & 3) continue;
    for (u32 j = i; j < 20; j++) {
      if ((sum & 31) == 17) break;
      sum += in[kSmall + (i * j) % 1024] & 15;
    }
    if (sum > 500) break;
  }
  out[kPerThread * tid + 1] = sum;
  u32 g = a | 1, h = in[kIntegers + 9 + tid] | 1;
  do {
    const u32 t = g % h;
    g = h, h = t;
  } while (h);
  out[kPerThread * tid + 2] = g;
}

PER_THREAD(switches) {
  u32 r = 0, x = in[kIntegers + tid];
  for (u32 i = 0; i < 8; i++, x >>= 4) {
    switch (x & 15) {
      case 0: r += 1; break;
      case 1: r ^= x;
      case 2: r += 5; break;
      case 3: r = r << 3; break;
      case 4: r = r * 7 + i; break;
      case 5: r = -r; continue;
      case 6: case 7: case 8: r += x * 3; break;
      case 12: if (i > 4) goto done; r |= 0x100; break;
      default: r = r >> 1 ^ 0xabcd;
    }
    r += 2;
  }
done:
  out[kPerThread * tid] = r;
}

// Lanes that leave early, and a uniform branch among divergent ones.
PER_THREAD(early_exit) {
  u32 a = in[kIntegers + tid];
  if ((a & 7) == 5) return;
  for (u32 i = 0; i < 32; i++) {
    if (in[0] & 1u << i) a += in[kSmall + i];
    if (a % 61 == 7) {
      out[kPerThread * tid] = i;
      return;
    }
    a = a * 1664525 + 1013904223;
  }
  out[kPerThread * tid + 1] = a;
}

PER_THREAD(bit_by_bit) {
  u32 x = in[kIntegers + tid], crc = ~0u;
  for (u32 word = 0; word < 4; word++) {
    crc ^= x + word;
    for (u32 bit = 0; bit < 32; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  out[kPerThread * tid] = crc;
}
