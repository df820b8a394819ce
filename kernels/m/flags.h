// Flags between blocks of launches that overlap, and the fences they need.
#pragma once

#include "types.h"
#include "wave.h"

namespace rrlite {

// Whether a flag, one byte, has been raised. Orders nothing.
KMX_DEVICE bool raised(GlobalBytes flag) {
  return __hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != 0;
}
KMX_DEVICE void raise(GlobalBytes flag) {
  __hip_atomic_store(flag, (u8)1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

// Blocks in a row of this launch, of 32 x 1 x n threads each: from the dispatch
// packet, as the other builtins would add hidden arguments.
KMX_DEVICE u32 groups_x() { return __builtin_amdgcn_grid_size_x() / 32; }

// A moment's rest between two looks.
KMX_DEVICE void pause() { __builtin_amdgcn_s_sleep(1); }

// Barrier of the work-group after which everybody sees what was written before
// the flags that any of them saw raised.
KMX_DEVICE void barrier_acquire() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
}

// Barrier of the work-group before which everybody's writes are there for all.
KMX_DEVICE void barrier_release() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  __builtin_amdgcn_s_barrier();
}

}  // namespace rrlite
