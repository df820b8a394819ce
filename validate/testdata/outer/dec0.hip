// Calls d4r_dec0_head as translated PTX does: one wave a block, features in LDS.
#include "hook.h"
#include "wave.h"

extern "C" __attribute__((device)) void d4r_dec0_head(u32 lds, u64 weights, u64 in, u32 width, u32 height, i32 x, i32 y);

struct Params {
  u64 weights;
  GlobalBytes features;
  u64 in;
  u32 width, height;
  i32 x, y;
};

KMX_KERNEL(32) caller(Params p) {
  KMX_LDS u8 lds[2048];
  d4r_dec0_head((u32)(LocalBytes)lds, p.weights, p.in, p.width, p.height, p.x, p.y);
  barrier_lds();
  for (u32 at = 16 * thread_id(); at < sizeof lds; at += 512) store(p.features, at, load<u32x4>((LocalBytes)lds, at));
}
