// Calls d4r_enc0_tail as translated PTX does: features in LDS. Two waves compute the
// same, to show that a wave's lanes are not those of its block.
#include "hook.h"
#include "wave.h"

extern "C" __attribute__((device)) void d4r_enc0_tail(u32 lds, u64 weights, u64 out, u32 width, u32 height, i32 x, i32 y);

struct Params {
  u64 weights;
  GlobalBytes features;
  u64 out;
  u32 width, height;
  i32 x, y;
};

KMX_KERNEL(64) caller(Params p) {
  KMX_LDS u8 lds[2048];
  for (u32 at = 16 * thread_id(); at < sizeof lds; at += 1024) store((LocalBytes)lds, at, load<u32x4>(p.features, at));
  barrier_lds();
  d4r_enc0_tail((u32)(LocalBytes)lds, p.weights, p.out, p.width, p.height, p.x, p.y);
}
