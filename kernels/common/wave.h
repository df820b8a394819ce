// Who am I, and talking to others: lane, wave and work-group ids, exchange
// between lanes of a wave, barriers between waves of a work-group.
//
// Waves have 32 lanes; blocks are 32 x 1 x waves (prep kernels: 128 x 1 x 1).
// Group sizes are never asked for: those builtins add hidden kernel arguments
// that the bridge does not fill. Every exchange needs all lanes active: call
// them outside lane-dependent branches.
#pragma once

#include "types.h"

// Lane 0..31 in a block of 32 x 1 x waves.
KMX_DEVICE u32 lane_id() { return __builtin_amdgcn_workitem_id_x(); }

// Wave of a block of 32 x 1 x waves, as a uniform value.
KMX_DEVICE u32 wave_id() {
  return (u32)__builtin_amdgcn_readfirstlane((int)__builtin_amdgcn_workitem_id_z());
}

// Thread of a block of n x 1 x 1.
KMX_DEVICE u32 thread_id() { return __builtin_amdgcn_workitem_id_x(); }

KMX_DEVICE u32 group_x() { return __builtin_amdgcn_workgroup_id_x(); }
KMX_DEVICE u32 group_y() { return __builtin_amdgcn_workgroup_id_y(); }

// The value of lane l ^ 16. What an inactive lane would receive is left open: it
// would cost a copy, and no lane may be inactive.
KMX_DEVICE u32 swap_halves(u32 v) {
  return __builtin_amdgcn_permlanex16(__builtin_nondeterministic_value(v), v, 0x76543210u,
                                      0xfedcba98u, false, false);
}
KMX_DEVICE f32 swap_halves(f32 v) { return bits<f32>(swap_halves(bits<u32>(v))); }

// The value of lane l ^ MASK, MASK 1..15.
template <u32 MASK>
KMX_DEVICE u32 xor_lanes(u32 v) {
  static_assert(MASK >= 1 && MASK <= 15, "row exchange; lane ^ 16 is swap_halves");
  return (u32)__builtin_amdgcn_update_dpp(0, (int)v, 0x160 + (int)MASK, 0xf, 0xf, true);
}

// Work-group barrier that orders LDS only: global loads stay in flight.
KMX_DEVICE void barrier_lds() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

// Work-group barrier that orders all memory.
KMX_DEVICE void barrier_all() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Nothing is scheduled across: what is loaded after it does not take registers
// before it.
KMX_DEVICE void phase() { __builtin_amdgcn_sched_barrier(0); }

// Orders a wave's own LDS writes before its later LDS reads by other lanes of
// the same wave (the hardware keeps the order; this keeps the compiler to it).
KMX_DEVICE void wave_lds() { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront", "local"); }
