// d4r_enc0_tail: the tail of rrlite_enc0_4x4_*_folded. 128 features of 16 tokens,
// from LDS, become 64 channels of half resolution.
#include "codes.h"
#include "linear.h"
#include "prepared.h"
#include "stores.h"

namespace {
constexpr tex::Linear kTail{.inputs = 128, .outputs = 64, .weights = 4096, .bias = 12288};
KMX_IMAGE u8 g_image[kTail.bytes()];
}

KMX_PREP_KERNEL(PrepParams<360> par) {
  tex::prepare_linear<kTail>((GlobalBytes)g_image, par.weights, 128 * group_x() + thread_id());
}
KMX_PREP_HOOKS(kTail.slots() / 128)

// lds: the features' address; out: two planes of width/2 x height/2 tokens of 32
// bytes; x, y: the first pixel of the block. Called by a whole wave of 32 lanes.
KMX_CALLED void d4r_enc0_tail(u32 lds, u64 /*weights*/, u64 out, u32 width, u32 height, i32 x, i32 y) {
  const u32 m = wmma::index();
  const i32 w = (i32)(width / 2), h = (i32)(height / 2);
  const rrlite::Place to{x / 2 + (i32)(m % 4), y / 2 + (i32)(m / 4)};
  rrlite::Step features[kTail.steps()];
#pragma unroll
  for (u32 q = 0; q < kTail.steps(); q++)
    features[q] = tex::load_features((LocalBytes)lds, tex::pixel_x(m, q), tex::pixel_y(m, q));
  const ConstBytes image = kept((ConstBytes)g_image);
  u32x2 codes[kTail.tiles()];
#pragma unroll
  for (u32 tile = 0; tile < kTail.tiles(); tile++)
    codes[tile] = tex::to_codes(tex::limited(tex::output<kTail>(image, tile, features)));
  if (!to.inside(w, h)) return;
#pragma unroll
  for (u32 tile = 0; tile < kTail.tiles(); tile++)
    store((GlobalBytes)out, to.at(tile / 2, w, h) + 16 * (tile % 2) + 8 * wmma::half(), codes[tile]);
}
