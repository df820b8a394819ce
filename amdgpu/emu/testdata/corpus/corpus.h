// What the files of the corpus share.
//
// Each file is compiled twice: as device code, run by the emulator, and as plain
// C++ for the host, whose results are the expected ones. A kernel gets `in`, 4096
// words of seeded numbers (see kIntegers and its like), and `out`, 4096 words
// that hold 0xdeadbeef before; both sides must leave the same words in it. It is
// launched as two work-groups of 64 lanes; a name that ends in _bN has N lanes.
//
// PER_THREAD(name) { ... } is a function of one lane, the same text on both
// sides: `tid` counts lanes over both work-groups, lane tid owns out[32*tid ..].
// Where lanes work together, DEVICE_KERNEL(name) { ... } and, for the host,
// HOST_RESULT(name) { ... } give the sides apart.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;

template <class To, class From>
#ifdef __AMDGCN__
__attribute__((device))
#endif
inline To as(From x) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  return __builtin_bit_cast(To, x);
}

constexpr u32 kWords = 4096, kGroups = 2, kPerThread = 32;
// Where kinds of input begin; 1024 words each.
constexpr u32 kIntegers = 0;   // any 32 bits
constexpr u32 kSmall = 1024;   // integers of few bits, some negative
constexpr u32 kFloats = 2048;  // f32 of moderate size, never NaN or infinite
constexpr u32 kEdges = 3072;   // extreme integers; as f32: zeros, denormals, infinities, NaN

#ifdef __AMDGCN__

#define FN static inline __attribute__((device))
#define NOINLINE __attribute__((device, noinline))
#define SHARED static __attribute__((device, shared))
#define GLOBAL __attribute__((device))
#define CONSTANT __attribute__((device, constant))
#define DEVICE_KERNEL(name) extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 256))) void name(const u32 *in, u32 *out)
#define PER_THREAD(name)                                                                                            \
  static inline __attribute__((device)) void name##_lane(u32 tid, const u32 *in, u32 *out);                        \
  DEVICE_KERNEL(name) {                                                                                             \
    name##_lane(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(), in, out);              \
  }                                                                                                                 \
  static inline __attribute__((device)) void name##_lane(u32 tid, const u32 *in, u32 *out)

#define WAVE __builtin_amdgcn_wavefrontsize()
FN u32 lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
FN u32 thread_x() { return __builtin_amdgcn_workitem_id_x(); }
FN u32 group_x() { return __builtin_amdgcn_workgroup_id_x(); }
FN void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#else

extern "C" int printf(const char *, ...);
extern "C" int strcmp(const char *, const char *);
extern "C" long read(int, void *, unsigned long);
extern "C" long write(int, const void *, unsigned long);
extern "C" double sqrt(double), exp2(double), log2(double), sin(double), cos(double), floor(double), fma(double, double, double), rint(double), ldexp(double, int);
extern "C" float fmaf(float, float, float), sqrtf(float), floorf(float), rintf(float);

struct Case {
  const char *name;
  void (*run)(const u32 *, u32 *, u32);
  Case *next;
  static Case *first;
  Case(const char *n, void (*r)(const u32 *, u32 *, u32)) : name(n), run(r), next(first) { first = this; }
};
Case *Case::first = nullptr;

#define FN static inline
#define NOINLINE __attribute__((noinline))
#define GLOBAL
#define CONSTANT
#define HOST_RESULT(name)                                          \
  static void name##_run(const u32 *in, u32 *out, u32 lanes);      \
  static Case name##_case(#name, name##_run);                      \
  static void name##_run(const u32 *in, u32 *out, u32 lanes)
#define PER_THREAD(name)                                                              \
  static void name##_lane(u32 tid, const u32 *in, u32 *out);                          \
  HOST_RESULT(name) { for (u32 t = 0; t < kGroups * lanes; t++) name##_lane(t, in, out); } \
  static void name##_lane(u32 tid, const u32 *in, u32 *out)
#ifndef WAVE
#define WAVE 32
#endif

// The nearest f16 and bf16 of an exact value, rounded once: the steps on the way
// are rounded to odd.
typedef __float128 f128;
static f32 odd_f32(f128 x) {
  f32 f = (f32)x;
  if ((f128)f == x || f - f != 0) return f;
  u32 b = as<u32>(f);
  if ((f128)f > x ? x > 0 : x < 0) b--;
  return as<f32>(b | 1);
}
static f16 to_f16(f128 x) { return (f16)odd_f32(x); }
static u16 to_bf16(f128 x) {
  const u32 b = as<u32>(odd_f32(x));
  return (u16)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

// The lanes of a work-group, from the name.
static u32 lanes_of(const char *name) {
  u32 at = 0, n = 0;
  for (u32 i = 0; name[i]; i++)
    if (name[i] == '_' && name[i + 1] == 'b') at = i + 2;
  for (; at && name[at] >= '0' && name[at] <= '9'; at++) n = 10 * n + (name[at] - '0');
  return n ? n : 64;
}

// Without an argument: the names of all kernels. With one: input words on
// standard input, output words on standard output.
int main(int argc, char **argv) {
  static u32 in[kWords], out[kWords];
  for (Case *c = Case::first; c; c = c->next) {
    if (argc < 2) printf("%s\n", c->name);
    else if (!strcmp(argv[1], c->name)) {
      for (unsigned long at = 0; at < sizeof in;) {
        long n = read(0, (char *)in + at, sizeof in - at);
        if (n <= 0) return 2;
        at += n;
      }
      for (u32 &w : out) w = 0xdeadbeef;
      c->run(in, out, lanes_of(c->name));
      return write(1, out, sizeof out) == sizeof out ? 0 : 2;
    }
  }
  return argc < 2 ? 0 : 3;
}

#endif

// Numbers as they are stored: all NaN look alike.
FN u32 bits(f32 x) { return x != x ? 0x7fc00000u : as<u32>(x); }
FN u64 bits(f64 x) { return x != x ? 0x7ff8000000000000ull : as<u64>(x); }
FN u32 bits(f16 x) { return x != x ? 0x7e00u : as<u16>(x); }
FN void put(u32 *&out, u32 x) { *out++ = x; }
FN void put(u32 *&out, i32 x) { *out++ = (u32)x; }
FN void put(u32 *&out, u64 x) { *out++ = (u32)x; *out++ = (u32)(x >> 32); }

// The f32 words as f64: two of them as the bits, with a moderate exponent.
FN f64 wide(const u32 *in, u32 at) {
  const u64 b = (u64)in[at & 1023] << 32 | in[(at + 1) & 1023];
  return as<f64>((b & 0x800fffffffffffffull) | ((u64)(1023 - 40 + (b >> 52) % 80) << 52));
}
