// What the bridge sees of a code object: kernel symbols and hook values.
//
// A hook value is a 4-byte exported constant d4r_NAME, read once when the
// function is looked up. The declaration must stand in this one-line form:
// inside an extern "C" block, or as a plain const, it has internal linkage and
// silently disappears.
#pragma once

#include "types.h"

#define KMX_HOOK(name, value) extern "C" __attribute__((device)) const unsigned d4r_##name = (value);

// A kernel launched with exactly `threads` threads a block.
#define KMX_KERNEL(threads) \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(threads, threads))) void

// Prep kernels run with 128 x 1 x 1 blocks.
#define KMX_PREP_THREADS 128
