// Preparing a layer's weights: from the original fragment order into the image
// that the kernel reads. One thread a slot of image A, then one a 16-byte entry
// of image B; the launch has Image<L>::prep_blocks blocks of 128 threads.
#pragma once

#include "hook.h"
#include "shape.h"
#include "wave.h"
#include "wmma.h"

namespace k {

// Column n of a fragment: 16 values in K order.
KMX_DEVICE f16x16 fragment_column(ConstBytes tile, u32 n) {
  u32x8 pairs;
#pragma unroll
  for (u32 j = 0; j < 4; j++) {
    const u32x2 two = load<u32x2>(tile, fragment(2 * j, n));  // K 2j, 2j+1 and 2j+8, 2j+9
    pairs[j] = two[0];
    pairs[j + 4] = two[1];
  }
  return bits<f16x16>(pairs);
}

// Byte of the fragment that becomes a tile of image A.
template <Layer L>
KMX_DEVICE u32 fragment_of(u32 tile) {
  using S = Shape<L>;
  using W = Weights<L>;
  using I = Image<L>;
  if (tile < I::wo) {
    const u32 nt = tile & 1, kt = tile / 2 % S::tiles, j = tile / (2 * S::tiles) % 3;
    const u32 head = tile / (6 * S::tiles);
    return W::qkv + W::qkv_head * head + 2048 * (3 * (kt >> 1) + j) + kFragment * (kt & 1) + 1024 * nt;
  }
  if (tile < I::w1) {
    const u32 i = tile - I::wo, nt = i / I::part_k % S::tiles;
    const u32 k = i % I::part_k + I::part_k * (i / (I::part_k * S::tiles));
    return W::wo + W::wo_head * (k >> 1) + kFragment * (k & 1) + 1024 * nt;
  }
  if (tile < I::w2) {
    const u32 i = tile - I::w1, nt = i & 1, kt = i / 2 % S::tiles, chunk = i / (2 * S::tiles);
    return W::w1 + W::chunk * chunk + kFragment * (kt + S::tiles * nt);
  }
  if (tile < I::merge) {
    const u32 i = tile - I::w2, nt = i / I::part_k % S::tiles;
    const u32 k = i % I::part_k + I::part_k * (i / (I::part_k * S::tiles));
    return W::w2 + W::chunk * (k >> 1) + kFragment * (k & 1) + 1024 * nt;
  }
  // These are in the weights' own order.
  if constexpr (L.low > 0) {
    if (L.head == 0 || tile < I::head) return W::expand + kFragment * (tile - I::expand);
    return W::head + kFragment * (tile - I::head);
  } else if constexpr (L.merged > 0) {
    if (L.embed > 0 && tile >= I::embed) return W::embed + kFragment * (tile - I::embed);
    return W::merge + kFragment * (tile - I::merge);
  }
  return 0;  // no such tile
}

// Writes slot or entry `item` of the image.
template <Layer L>
KMX_DEVICE void prepare(ConstBytes weights, GlobalBytes image, u32 item) {
  using I = Image<L>;
  if (item < kTile * I::end) {
    const u32 tile = item / kTile, slot = item % kTile;
    wmma::store_slot(image, tile, slot, fragment_column(weights + fragment_of<L>(tile), slot));
    return;
  }
  item -= kTile * I::end;
  if constexpr (L.attention == Attention::learned) {
    // Accumulator starts: keys in rows, queries in lanes.
    if (item >= 512 * L.heads) return;
    const u32 lane = item & 31, kt = item / 32 % 4, qt = item / 128 % 4, head = item / 512;
    wmma::Rows rows;
#pragma unroll
    for (u32 i = 0; i < 8; i++)
      rows[i] = load<f16>(weights, Weights<L>::bias + kTableBytes * head +
                                       table(16 * qt + (lane & 15), 16 * kt + wmma::row(i, lane >> 4)));
    wmma::store_start(image, I::table_tile(head, qt, kt), lane, rows);
  } else {
    // Operands: queries in slots, keys in K order.
    if (item >= 256 * L.heads) return;
    const u32 slot = item & 15, kt = item / 16 % 4, qt = item / 64 % 4, head = item / 256;
    f16x16 keys;
#pragma unroll
    for (u32 i = 0; i < 16; i++)
      keys[i] = load<f16>(weights, Weights<L>::bias + kTableBytes * head +
                                       table(16 * qt + slot, 16 * kt + i));
    wmma::store_slot(image, I::table_tile(head, qt, kt), slot, keys);
  }
}

}  // namespace k
