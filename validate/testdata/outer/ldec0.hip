// Calls d4r_dec0l_block as translated PTX does, and reads its results back: one wave a
// block.
#include "hook.h"
#include "wave.h"

extern "C" __attribute__((device)) u32 d4r_dec0l_block(u64 weights, u64 in, u64 skip, i32 shift_x, i32 shift_y, i32 width,
                                                       i32 height, i32 block_x, i32 block_y);

struct Params {
  u64 weights;
  GlobalBytes results;  // of all blocks, row after row
  u64 in, skip;
  i32 shift_x, shift_y, width, height;
  u32 blocks_x;
};

KMX_KERNEL(32) caller(Params p) {
  const LocalBytes from = (LocalBytes)d4r_dec0l_block(p.weights, p.in, p.skip, p.shift_x, p.shift_y, p.width, p.height,
                                                      (i32)group_x(), (i32)group_y());
  barrier_lds();
  const GlobalBytes to = p.results + 4096 * (group_y() * p.blocks_x + group_x());
  for (u32 r = 0; r < 32; r++) store(to, 128 * r + 4 * thread_id(), load<u32>(from, 128 * r + 4 * thread_id()));
}
