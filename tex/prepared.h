// The kernel NAME_prep and the hook values of a kernel with prepared weights.
// D4R_KERNEL_NAME is the kernel's name.
#pragma once

#include "hook.h"
#include "types.h"

#ifndef D4R_KERNEL_NAME
#error "D4R_KERNEL_NAME names the kernel, for its prep kernel"
#endif
#define KMX_PASTE(a, b) a##b
#define KMX_PASTED(a, b) KMX_PASTE(a, b)
#define KMX_PREP_KERNEL KMX_KERNEL(KMX_PREP_THREADS) KMX_PASTED(D4R_KERNEL_NAME, _prep)

// The parameter block of the kernel, of which only the weights matter here.
template <u32 Bytes>
struct PrepParams {
  GlobalBytes weights;
  u8 rest[Bytes - 8];
};

// Weights are prepared again when their address, the first parameter, changes.
#define KMX_PREP_HOOKS(blocks)   \
  KMX_HOOK(prep_blocks, blocks)  \
  KMX_HOOK(prep_key_at, 1)
