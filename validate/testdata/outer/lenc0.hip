// Calls d4r_enc0l_tail as translated PTX does: one wave a block, features in LDS.
#include "hook.h"
#include "wave.h"

extern "C" __attribute__((device)) void d4r_enc0l_tail(u32 lds, u64 weights, u64 out, u64 merged, i32 shift_x, i32 shift_y,
                                                       i32 width, i32 height, i32 block_x, i32 block_y);

struct Params {
  u64 weights;
  GlobalBytes features;  // of all blocks, row after row
  u64 out, merged;
  i32 shift_x, shift_y, width, height;
  u32 blocks_x;
};

KMX_KERNEL(32) caller(Params p) {
  KMX_LDS u8 lds[2048];
  const GlobalBytes mine = p.features + sizeof lds * (group_y() * p.blocks_x + group_x());
  for (u32 at = 16 * thread_id(); at < sizeof lds; at += 512) store((LocalBytes)lds, at, load<u32x4>(mine, at));
  barrier_lds();
  d4r_enc0l_tail((u32)(LocalBytes)lds, p.weights, p.out, p.merged, p.shift_x, p.shift_y, p.width, p.height, (i32)group_x(),
                 (i32)group_y());
}
