// d4r_dec0_head: the head of rrlite_dec0_4x4_folded. 64 channels of 16 tokens of half
// resolution become 32 features of 64 pixels, in LDS.
#include "codes.h"
#include "linear.h"
#include "prepared.h"
#include "stores.h"

namespace {
constexpr tex::Linear kHead{.inputs = 64, .outputs = 128, .weights = 0, .bias = 8192};
KMX_IMAGE u8 g_image[kHead.bytes()];
}

KMX_PREP_KERNEL(PrepParams<168> par) {
  tex::prepare_linear<kHead>((GlobalBytes)g_image, par.weights, 128 * group_x() + thread_id());
}
KMX_PREP_HOOKS(kHead.slots() / 128)

// lds: where the features go; in: two planes of width/2 x height/2 tokens of 32
// bytes; x, y: the first pixel of the block. Called by a whole wave of 32 lanes.
KMX_CALLED void d4r_dec0_head(u32 lds, u64 /*weights*/, u64 in, u32 width, u32 height, i32 x, i32 y) {
  const u32 m = wmma::index();
  const i32 w = (i32)(width / 2), h = (i32)(height / 2);
  const rrlite::Place from = rrlite::mirror({x / 2 + (i32)(m % 4), y / 2 + (i32)(m / 4)}, w, h);
  rrlite::Step tokens[kHead.steps()];
#pragma unroll
  for (u32 plane = 0; plane < kHead.steps(); plane++) {
    const rrlite::Codes c = rrlite::load_codes((ConstBytes)in, from.at(plane, w, h));
    tokens[plane] = {tex::operand_of(c.tile[0]), tex::operand_of(c.tile[1])};
  }
  const ConstBytes image = kept((ConstBytes)g_image);
#pragma unroll
  for (u32 tile = 0; tile < kHead.tiles(); tile++) {
    if (tile % 4 == 0) phase();
    const u32 q = tile / 2;
    store((LocalBytes)lds, tex::feature_at(tex::pixel_x(m, q), tex::pixel_y(m, q), tile % 2),
          tex::to_codes(tex::output<kHead>(image, tile, tokens)));
  }
}
