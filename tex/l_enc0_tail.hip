// d4r_enc0l_tail: the tail of the unfolded rrlite_enc0_4x4_*. 32 features of 8x8
// pixels, from LDS, are embedded in 32 channels and go through a Swin block; four
// pixels are merged into a token of 64 channels.
#include "codes.h"
#include "prepared.h"
#include "stores.h"
#include "swin32.h"

namespace {

using namespace tex;

// The embedding has the layout of a chunk of an MLP.
constexpr Linear kEmbed1{.inputs = 32, .outputs = 32, .weights = 4096, .bias = 5120};
constexpr Linear kEmbed2{.inputs = 32, .outputs = 32, .weights = 5184, .bias = 6208};
constexpr u32 kBlockAt = 6272;
constexpr Weights kParts = weights_of({.channels = 32, .heads = 2, .members = 1, .merged = 64, .low = 0});
constexpr Linear kMerge{.inputs = 128, .outputs = 64, .weights = kBlockAt + kParts.merge, .bias = kBlockAt + kParts.merge_bias};
static_assert(kMerge.weights == 22144 && kMerge.bias == 30336);

// The image: the block, then these.
constexpr u32 aligned(u32 at) { return (at + 511) / 512 * 512; }
constexpr u32 kEmbed1Image = aligned(image_of(kOuter).bytes);
constexpr u32 kEmbed2Image = kEmbed1Image + aligned(kEmbed1.bytes());
constexpr u32 kMergeImage = kEmbed2Image + aligned(kEmbed2.bytes());
KMX_IMAGE u8 g_image[kMergeImage + kMerge.bytes()];

constexpr u32 kEmbed1Slots = kOuterSlots, kEmbed2Slots = kEmbed1Slots + kEmbed1.slots();
constexpr u32 kMergeSlots = kEmbed2Slots + kEmbed2.slots(), kSlots = kMergeSlots + kMerge.slots();
static_assert(kSlots % 128 == 0);

}  // namespace

KMX_PREP_KERNEL(PrepParams<360> par) {
  const GlobalBytes image = (GlobalBytes)g_image;
  const u32 item = 128 * group_x() + thread_id();
  if (item < kEmbed1Slots) prepare_outer(image, par.weights + kBlockAt, item);
  else if (item < kEmbed2Slots) prepare_linear<kEmbed1>(image + kEmbed1Image, par.weights, item - kEmbed1Slots);
  else if (item < kMergeSlots) prepare_linear<kEmbed2>(image + kEmbed2Image, par.weights, item - kEmbed2Slots);
  else prepare_linear<kMerge>(image + kMergeImage, par.weights, item - kMergeSlots);
}
KMX_PREP_HOOKS(kSlots / 128)

// The channels of a pixel, from its features.
static KMX_DEVICE Share<kOuter> embedded(ConstBytes image, const Step (&features)[1]) {
  const Step hidden[1] = {{quantised(positive16(output<kEmbed1>(image + kEmbed1Image, 0, features))),
                           quantised(positive16(output<kEmbed1>(image + kEmbed1Image, 1, features)))}};
  return {{{output<kEmbed2>(image + kEmbed2Image, 0, hidden), output<kEmbed2>(image + kEmbed2Image, 1, hidden)}}};
}

// lds: the features' address; out: one plane of width x height pixels of 32 bytes;
// merged: two planes of half that size; block_x, block_y: this block. Called by a
// whole wave of 32 lanes.
KMX_CALLED void d4r_enc0l_tail(u32 lds, u64 /*weights*/, u64 out, u64 merged, i32 shift_x, i32 shift_y, i32 width, i32 height,
                               i32 block_x, i32 block_y) {
  const ConstBytes image = kept((ConstBytes)g_image);
  const LocalBytes features = (LocalBytes)lds;
  const Place corner{8 * block_x - shift_x, 8 * block_y - shift_y};
  const auto pixel = [](u32 window) { return token_place({0, 0}, window, token()); };

  swin_windows(
      image,
      [&](u32 window) {
        const Place p = pixel(window);
        const Step x[1] = {load_features(features, p.x, p.y)};
        return embedded(image, x);
      },
      [&](u32 window, const Share<kOuter>& y) {
        // The codes take the place of the features.
        const Place p = pixel(window), to = token_place(corner, window, token());
        const u32x2 codes[2] = {to_codes(y.part[0][0]), to_codes(y.part[0][1])};
        store(features, feature_at(p.x, p.y, 0), codes[0]);
        store(features, feature_at(p.x, p.y, 1), codes[1]);
        if (to.inside(width, height)) store_codes((GlobalBytes)out, to.at(0, width, height), codes, 0);
      });

  const u32 m = wmma::index();
  Step pixels[kMerge.steps()];
#pragma unroll
  for (u32 q = 0; q < kMerge.steps(); q++) pixels[q] = load_features(features, pixel_x(m, q), pixel_y(m, q));
  u32x2 codes[kMerge.tiles()];
#pragma unroll
  for (u32 tile = 0; tile < kMerge.tiles(); tile++)
    codes[tile] = to_codes(limited(output<kMerge>(image + kMergeImage, tile, pixels)));
  const Place to{corner.x / 2 + (i32)(m % 4), corner.y / 2 + (i32)(m / 4)};
  if (!to.inside(width / 2, height / 2)) return;
#pragma unroll
  for (u32 tile = 0; tile < kMerge.tiles(); tile++)
    store((GlobalBytes)merged, to.at(tile / 2, width / 2, height / 2) + 16 * (tile % 2) + 8 * wmma::half(), codes[tile]);
}
