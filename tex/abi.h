// How translated PTX calls the functions of this folder.
//
// All are extern "C" and take and give plain integers. The kernels that they are
// linked into have FP modes of their own, so nothing here may depend on them: f32
// denormals may be flushed; rounding is to nearest even.
//
// A function is inlined into its caller whatever the two functions' attributes
// say. Kernels whose FP mode changes on the way are an exception: code with floating
// point must not move into them. D4R_ACCURACY, or D4R_SUST_OUTLINE alone, keeps
// the stores out of line for their sake.
#pragma once

#include "types.h"

#define KMX_CALLED extern "C" __attribute__((device, always_inline))
#if defined(D4R_ACCURACY) || defined(D4R_SUST_OUTLINE)
#define KMX_OUTLINED 1
#define KMX_CALLED_STORE extern "C" __attribute__((device, noinline))
#else
#define KMX_OUTLINED 0
#define KMX_CALLED_STORE KMX_CALLED
#endif

// A parameter of 16 bits. As an unsigned short, LLVM would let the function expect
// that its caller has cleared the upper half of the register; in a struct it is a
// plain i16, as translated PTX passes it.
struct B16 {
  u16 bits;
};

// e4m3 by the hardware's conversions.
#if defined(D4R_TEX_FP8) && !defined(D4R_TEX_SOFT_E4M3)
#define KMX_HARD_E4M3 1
#else
#define KMX_HARD_E4M3 0
#endif
#if defined(D4R_TEX_FP8) && !defined(__GFX12__)
#error "D4R_TEX_FP8 needs gfx12"
#endif
