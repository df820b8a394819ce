// Scalar and vector types, attributes and raw memory access for device code.
//
// Freestanding: no host header, no HIP header, no device library. Memory is
// addressed as a byte base plus a byte offset, in a named address space, so
// that a uniform base stays in scalar registers and a lane's offset in one
// vector register. What a register of a matrix operand holds is not said here
// but in wmma.h.
#pragma once

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using f16 = _Float16;
using f32 = float;

using u32x2 = u32 __attribute__((ext_vector_type(2)));
using u32x4 = u32 __attribute__((ext_vector_type(4)));
using u32x8 = u32 __attribute__((ext_vector_type(8)));
using f16x2 = f16 __attribute__((ext_vector_type(2)));
using f16x4 = f16 __attribute__((ext_vector_type(4)));
using f16x8 = f16 __attribute__((ext_vector_type(8)));
using f16x16 = f16 __attribute__((ext_vector_type(16)));
using f32x2 = f32 __attribute__((ext_vector_type(2)));
using f32x4 = f32 __attribute__((ext_vector_type(4)));
using f32x8 = f32 __attribute__((ext_vector_type(8)));

#define KMX_DEVICE __attribute__((device, always_inline)) inline
#define KMX_LDS static __attribute__((shared, aligned(16)))
#define KMX_IMAGE static __attribute__((device, aligned(512)))

using GlobalBytes = __attribute__((address_space(1))) u8*;
using LocalBytes = __attribute__((address_space(3))) u8*;
// Memory that nobody writes while the kernel runs: its loads may move across
// stores and barriers, and go to scalar registers when their address is uniform.
using ConstBytes = const __attribute__((address_space(4))) u8*;

// Same bits, another type. Taking the value by copy matters: clang 19 reads
// element 0 when __builtin_bit_cast is given an element of a vector.
template <class To, class From>
KMX_DEVICE To bits(From v) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, v);
}

// The value of type T at base + at; aligned to sizeof(T), 16 bytes at most.
template <class T>
KMX_DEVICE T load(const __attribute__((address_space(1))) u8* base, u32 at) {
  using Any = T __attribute__((may_alias, aligned(sizeof(T) < 16 ? sizeof(T) : 16)));
  return *(const __attribute__((address_space(1))) Any*)(base + at);
}
template <class T>
KMX_DEVICE T load(const __attribute__((address_space(3))) u8* base, u32 at) {
  using Any = T __attribute__((may_alias, aligned(sizeof(T) < 16 ? sizeof(T) : 16)));
  return *(const __attribute__((address_space(3))) Any*)(base + at);
}
template <class T>
KMX_DEVICE T load(ConstBytes base, u32 at) {
  using Any = T __attribute__((may_alias, aligned(sizeof(T) < 16 ? sizeof(T) : 16)));
  return *(const __attribute__((address_space(4))) Any*)(base + at);
}

// Writes v at base + at; aligned as for load.
template <class T>
KMX_DEVICE void store(GlobalBytes base, u32 at, T v) {
  using Any = T __attribute__((may_alias, aligned(sizeof(T) < 16 ? sizeof(T) : 16)));
  *(__attribute__((address_space(1))) Any*)(base + at) = v;
}
template <class T>
KMX_DEVICE void store(LocalBytes base, u32 at, T v) {
  using Any = T __attribute__((may_alias, aligned(sizeof(T) < 16 ? sizeof(T) : 16)));
  *(__attribute__((address_space(3))) Any*)(base + at) = v;
}
