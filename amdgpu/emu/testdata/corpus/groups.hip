// Work-groups: LDS, barriers, and atomics in LDS and memory. The host sides are
// plain loops over what a work-group computes.
#include "corpus.h"

#ifdef __AMDGCN__
DEVICE_KERNEL(reduce_b256) {
  SHARED u32 s[256];
  const u32 t = thread_x(), g = group_x();
  s[t] = in[g * 256 + t];
  barrier();
  for (u32 step = 128; step > 0; step /= 2) {
    if (t < step) s[t] = s[t] * 3 + s[t + step];
    barrier();
  }
  out[g * 256 + t] = s[0] + t;
}
#else
HOST_RESULT(reduce_b256) {
  for (u32 g = 0; g < kGroups; g++) {
    u32 s[256];
    for (u32 t = 0; t < 256; t++) s[t] = in[g * 256 + t];
    for (u32 step = 128; step > 0; step /= 2)
      for (u32 t = 0; t < step; t++) s[t] = s[t] * 3 + s[t + step];
    for (u32 t = 0; t < 256; t++) out[g * 256 + t] = s[0] + t;
  }
}
#endif

// An inclusive scan with two buffers, and a transpose of 16x16 with bytes.
#ifdef __AMDGCN__
DEVICE_KERNEL(scan_b256) {
  SHARED u32 s[2][256];
  SHARED u8 tile[16][17];
  const u32 t = thread_x(), g = group_x();
  s[0][t] = in[g * 256 + t];
  barrier();
  u32 from = 0;
  for (u32 step = 1; step < 256; step *= 2, from ^= 1) {
    s[from ^ 1][t] = s[from][t] + (t >= step ? s[from][t - step] : 0);
    barrier();
  }
  out[g * 256 + t] = s[from][t];
  tile[t / 16][t % 16] = (u8)in[g * 256 + t];
  barrier();
  out[512 + g * 256 + t] = tile[t % 16][t / 16];
}
#else
HOST_RESULT(scan_b256) {
  for (u32 g = 0; g < kGroups; g++) {
    u32 sum = 0;
    for (u32 t = 0; t < 256; t++) out[g * 256 + t] = sum += in[g * 256 + t];
    for (u32 t = 0; t < 256; t++) out[512 + g * 256 + t] = (u8)in[g * 256 + t % 16 * 16 + t / 16];
  }
}
#endif

#ifdef __AMDGCN__
DEVICE_KERNEL(histogram_b128) {
  SHARED u32 count[32], low[4];
  SHARED u64 sum;
  const u32 t = thread_x(), g = group_x();
  if (t < 32) count[t] = 0;
  if (t < 4) low[t] = t < 2 ? ~0u : 0;
  if (t == 0) sum = 0;
  barrier();
  for (u32 i = t; i < 512; i += 128) {
    const u32 x = in[g * 512 + i];
    __hip_atomic_fetch_add(&count[x & 31], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __hip_atomic_fetch_min(&low[0], x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __hip_atomic_fetch_and(&low[1], x | 0xffff0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __hip_atomic_fetch_max(&low[2], x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __hip_atomic_fetch_xor(&low[3], x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __hip_atomic_fetch_add(&sum, (u64)x << 8, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  }
  barrier();
  if (t < 32) out[g * 64 + t] = count[t];
  if (t < 4) out[g * 64 + 32 + t] = low[t];
  if (t == 0) out[g * 64 + 36] = (u32)sum, out[g * 64 + 37] = (u32)(sum >> 32);
}
#else
HOST_RESULT(histogram_b128) {
  for (u32 g = 0; g < kGroups; g++) {
    u32 count[32] = {}, low[4] = {~0u, ~0u, 0, 0};
    u64 sum = 0;
    for (u32 i = 0; i < 512; i++) {
      const u32 x = in[g * 512 + i];
      count[x & 31]++;
      low[0] = x < low[0] ? x : low[0], low[1] &= x | 0xffff0, low[2] = x > low[2] ? x : low[2], low[3] ^= x;
      sum += (u64)x << 8;
    }
    for (u32 t = 0; t < 32; t++) out[g * 64 + t] = count[t];
    for (u32 t = 0; t < 4; t++) out[g * 64 + 32 + t] = low[t];
    out[g * 64 + 36] = (u32)sum, out[g * 64 + 37] = (u32)(sum >> 32);
  }
}
#endif

// Atomics on memory, from both work-groups; what they return is used only where
// the order does not show.
#ifdef __AMDGCN__
DEVICE_KERNEL(global_atomics) {
  const u32 t = group_x() * 64 + thread_x(), x = in[kIntegers + t];
  const auto scope = __HIP_MEMORY_SCOPE_AGENT;
  __hip_atomic_fetch_add(out, x, __ATOMIC_RELAXED, scope);
  __hip_atomic_fetch_max((i32 *)out + 1, (i32)x, __ATOMIC_RELAXED, scope);
  __hip_atomic_fetch_min(out + 2, x, __ATOMIC_RELAXED, scope);
  __hip_atomic_fetch_or(out + 3, x & 0x00f0f000, __ATOMIC_RELAXED, scope);
  __hip_atomic_fetch_add((u64 *)(out + 4), (u64)x, __ATOMIC_RELAXED, scope);
  __hip_atomic_fetch_xor((u64 *)(out + 6), (u64)x << 13, __ATOMIC_RELAXED, scope);
  const u32 place = __hip_atomic_fetch_add(out + 8, 1, __ATOMIC_RELAXED, scope);  // a permutation
  __hip_atomic_fetch_add(out + 9, place - 0xdeadbeefu, __ATOMIC_RELAXED, scope);
  out[16 + t] = __hip_atomic_exchange(out + 256 + t, x, __ATOMIC_RELAXED, scope);
  u32 old = 0xdeadbeef;
  const bool done = __hip_atomic_compare_exchange_strong(out + 512 + t, &old, x, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope);
  old = x + 1;
  const bool failed = !__hip_atomic_compare_exchange_strong(out + 512 + t, &old, 0u, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope);
  out[768 + t] = done + 2 * failed + 4 * (old == x);
  u64 seen = 0;
  out[1024 + t] = !__hip_atomic_compare_exchange_strong((u64 *)(out + 2048) + t, &seen, (u64)x, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope) + (u32)seen;
}
#else
HOST_RESULT(global_atomics) {
  u64 a = (u64)out[5] << 32 | out[4], b = (u64)out[7] << 32 | out[6];
  for (u32 t = 0; t < kGroups * lanes; t++) {
    const u32 x = in[kIntegers + t];
    out[0] += x;
    if ((i32)x > (i32)out[1]) out[1] = x;
    if (x < out[2]) out[2] = x;
    out[3] |= x & 0x00f0f000;
    a += x, b ^= (u64)x << 13;
    out[8]++;
    out[9] += t;
    out[16 + t] = 0xdeadbeef;
    out[256 + t] = out[512 + t] = x;
    out[768 + t] = 7;
    out[1024 + t] = 1 + 0xdeadbeefu;
  }
  out[4] = (u32)a, out[5] = (u32)(a >> 32), out[6] = (u32)b, out[7] = (u32)(b >> 32);
}
#endif

// A flag between waves of one work-group, by way of memory and a barrier.
#ifdef __AMDGCN__
DEVICE_KERNEL(neighbours_b128) {
  const u32 t = thread_x(), g = group_x();
  out[g * 128 + t] = in[g * 128 + t] * 7;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  out[512 + g * 128 + t] = out[g * 128 + (t + 37) % 128];
}
#else
HOST_RESULT(neighbours_b128) {
  for (u32 g = 0; g < kGroups; g++)
    for (u32 t = 0; t < 128; t++) {
      out[g * 128 + t] = in[g * 128 + t] * 7;
      out[512 + g * 128 + t] = in[g * 128 + (t + 37) % 128] * 7;
    }
}
#endif
