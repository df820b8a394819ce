// d4r_dec0l_block: the network part of the unfolded rrlite_dec0_4x4. 64 channels of 16
// tokens of half resolution are expanded to 32 channels of 8x8 pixels; with the skip
// added, they go through a Swin block.
#include "codes.h"
#include "prepared.h"
#include "stores.h"
#include "swin32.h"

namespace {

using namespace tex;

constexpr Linear kExpand{.inputs = 64, .outputs = 128, .weights = 0, .bias = 8192};
constexpr u32 kBlockAt = 8448;
static_assert(weights_of({.channels = 32, .heads = 2, .members = 1, .merged = 0, .low = 64}).gamma1 == kBlockAt);

// The image: the block, then the expansion.
constexpr u32 kExpandImage = (image_of(kOuter).bytes + 511) / 512 * 512;
KMX_IMAGE u8 g_image[kExpandImage + kExpand.bytes()];
constexpr u32 kSlots = kOuterSlots + kExpand.slots();
static_assert(kSlots % 128 == 0);

// LDS: 1024 bytes a window. First they begin with the expanded codes, 32 bytes a
// token in raster order; the window's results, which take all of them, come when
// those have been read.
constexpr u32 kWindowBytes = 1024;
KMX_LDS u8 g_lds[kWindows * kWindowBytes];

}  // namespace

KMX_PREP_KERNEL(PrepParams<168> par) {
  const GlobalBytes image = (GlobalBytes)g_image;
  const u32 item = 128 * group_x() + thread_id();
  if (item < kOuterSlots) prepare_outer(image, par.weights + kBlockAt, item);
  else prepare_linear<kExpand>(image + kExpandImage, par.weights, item - kOuterSlots);
}
KMX_PREP_HOOKS(kSlots / 128)

// The expanded codes of 16 tokens.
static KMX_DEVICE void expand_codes(ConstBytes image, ConstBytes in, Place corner, i32 width, i32 height) {
  const u32 m = wmma::index();
  const Place from = mirror(Place{corner.x / 2 + (i32)(m % 4), corner.y / 2 + (i32)(m / 4)}, width, height);
  Step low[kExpand.steps()];
#pragma unroll
  for (u32 plane = 0; plane < kExpand.steps(); plane++) {
    const Codes c = load_codes(in, from.at(plane, width, height));
    low[plane] = {operand_of(c.tile[0]), operand_of(c.tile[1])};
  }
#pragma unroll
  for (u32 tile = 0; tile < kExpand.tiles(); tile++) {
    if (tile % 4 == 0) phase();
    const u32 x = pixel_x(m, tile / 2), y = pixel_y(m, tile / 2);
    const u32 window = x / 4 + 2 * (y / 4), t = x % 4 + 4 * (y % 4);
    store((LocalBytes)g_lds, kWindowBytes * window + 32 * t + 16 * (tile % 2) + 8 * wmma::half(),
          to_codes(output<kExpand>(image, tile, low)));
  }
}

// Leaves y where the accumulators of the original's last products would: for row
// r and columns 8j + 2c, +1 (in pair order) the pair is register 2j + r/8 of lane
// 4*(r % 8) + c, a register being 128 bytes. This lane's eight channels of a tile
// t are two pairs each of j = t and j = t + 2.
static KMX_DEVICE void store_accumulators(u32 window, const Share<kOuter>& y) {
  const u32 row = token(), half = wmma::half();
#pragma unroll
  for (u32 t = 0; t < 2; t++) {
    const u32x4 pair = bits<u32x4>(y.part[0][t]);
    const u32 at = kWindowBytes * window + 256 * t + 128 * (row / 8) + 16 * (row % 8) + 8 * half;
    store((LocalBytes)g_lds, at, u32x2{pair[0], pair[2]});
    store((LocalBytes)g_lds, at + 512, u32x2{pair[1], pair[3]});
  }
}

// in: two planes of half of width x height; skip: one plane of width x height; block_x,
// block_y: this block. Gives the address of the results in LDS: register 8*window +
// 2j + h of the original's lane l at 128*register + 4*l. Called by a whole wave of
// 32 lanes.
KMX_CALLED u32 d4r_dec0l_block(u64 /*weights*/, u64 in, u64 skip, i32 shift_x, i32 shift_y, i32 width, i32 height, i32 block_x,
                               i32 block_y) {
  const ConstBytes image = kept((ConstBytes)g_image);
  const Place corner{8 * block_x - shift_x, 8 * block_y - shift_y};
  expand_codes(image + kExpandImage, (ConstBytes)in, corner, width / 2, height / 2);
  swin_windows(
      image,
      [&](u32 window) {
        Share<kOuter> x = load_token<kOuter>((ConstBytes)skip, token_place(corner, window, token()), width, height, 0);
#pragma unroll
        for (u32 t = 0; t < 2; t++) {
          const u32 at = kWindowBytes * window + 32 * token() + 16 * t + 8 * wmma::half();
          x.part[0][t] = to_values(load<u32x2>((LocalBytes)g_lds, at)) + x.part[0][t];
        }
        return x;
      },
      [&](u32 window, const Share<kOuter>& y) { store_accumulators(window, y); });
  return (u32)(LocalBytes)g_lds;
}
