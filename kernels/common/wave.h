// Who am I, and talking to others: lane, wave and work-group ids, exchange
// between lanes of a wave, barriers between waves of a work-group.
//
// Waves have 32 lanes; blocks are 32 x 1 x waves (prep kernels: 128 x 1 x 1).
// Group sizes are never asked for: those builtins add hidden kernel arguments
// that the bridge does not fill. Every exchange needs all lanes active: call
// them outside lane-dependent branches.
#pragma once

#include "types.h"

// Lane 0..31 in a block of 32 x 1 x waves; with KMX_ANY_BLOCK in a wave of 32 lanes
// of any block, which takes an instruction.
#ifdef KMX_ANY_BLOCK
KMX_DEVICE u32 lane_id() { return __builtin_amdgcn_mbcnt_lo(~0u, 0); }
#else
KMX_DEVICE u32 lane_id() { return __builtin_amdgcn_workitem_id_x(); }
#endif

// Wave of a block of 32 x 1 x waves, as a uniform value.
KMX_DEVICE u32 wave_id() {
  return (u32)__builtin_amdgcn_readfirstlane((int)__builtin_amdgcn_workitem_id_z());
}

// Thread of a block of n x 1 x 1.
KMX_DEVICE u32 thread_id() { return __builtin_amdgcn_workitem_id_x(); }

KMX_DEVICE u32 group_x() { return __builtin_amdgcn_workgroup_id_x(); }
KMX_DEVICE u32 group_y() { return __builtin_amdgcn_workgroup_id_y(); }

// The value of lane l ^ 16. bound_ctrl: an inactive lane would receive zero; no
// lane may be inactive, but then the compiler need not preserve the target.
KMX_DEVICE u32 swap_halves(u32 v) {
  return __builtin_amdgcn_permlanex16(v, v, 0x76543210u, 0xfedcba98u, false, true);
}
KMX_DEVICE f32 swap_halves(f32 v) { return bits<f32>(swap_halves(bits<u32>(v))); }

// Work-group barrier that orders LDS only: global loads stay in flight.
KMX_DEVICE void barrier_lds() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

// Nothing is scheduled across: what is loaded after it does not take registers
// before it.
KMX_DEVICE void phase() { __builtin_amdgcn_sched_barrier(0); }
