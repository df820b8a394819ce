// Filling the image from NVIDIA's buffer, by NAME_prep.
#pragma once

#include "image.h"
#include "weights.h"
#include "window.h"

namespace rrlite {

// Where the original keeps a tile of the image: the block of 32 inputs by its
// plane's first 16 outputs, the distance to the block of the other 16, and
// which tile of the plane it is.
struct Source {
  u32 base, next, tile;
};

// The n-th tile of a wave's share of outputs: inputs 32*input .. +31 to tile
// `tile` of a plane. `member` is the wave's place in its team.
struct Nth {
  u32 input, plane, tile;
};

template <Layer L>
KMX_DEVICE Nth nth_of_share(u32 n, u32 planes, u32 member) {
  constexpr u32 tiles = L.tiles();
  return {n / tiles / planes, n / tiles % planes, tiles == 2 ? n % 2 : member};
}

template <Layer L>
KMX_DEVICE Source source_of(u32 pair, u32 which) {
  constexpr Weights w = weights_of(L);
  constexpr Image m = image_of(L);
  constexpr u32 p = L.planes(), team = L.team();
  if (pair < m.chunk0) {
    const u32 head = pair / m.head_pairs, r = pair % m.head_pairs;
    const u32 first = w.head0 + head * w.head_step;
    if (r < 2 * p) return {first + r / p * w.matrix + r % p * 1024, 512, which};
    const Nth o = nth_of_share<L>(2 * (r - 2 * p) + which, p, head % team);
    const u32 of = w.head0 + (head / team * team + o.input) * w.head_step;
    return {of + 2 * w.matrix + kPositionBytes + o.plane * 1024, 512, o.tile};
  }
  if (pair < m.merge0) {
    const u32 chunk = (pair - m.chunk0) / m.chunk_pairs, r = (pair - m.chunk0) % m.chunk_pairs;
    if (r < p) return {chunk_at(w, chunk) + r * 512, p * 512, which};
    const Nth o = nth_of_share<L>(2 * (r - p) + which, p, chunk % team);
    return {chunk_at(w, chunk / team * team + o.input) + w.matrix + kChunkBiasBytes + o.plane * 1024, 512, o.tile};
  }
  if constexpr (L.merged != 0) {
    const u32 section = (pair - m.merge0) / m.merge_pairs, r = (pair - m.merge0) % m.merge_pairs;
    const Nth o = nth_of_share<L>(2 * r + which, 1, section % team);
    return {w.merge + section / team * (4 * p * 1024) + o.input * 512, 4 * p * 512, o.tile};
  } else if constexpr (L.low != 0) {
    const u32 section = (pair - m.expand0) / m.expand_pairs, r = (pair - m.expand0) % m.expand_pairs;
    const Nth o = nth_of_share<L>(2 * r + which, p, section % team);
    const u32 plane = section / team * p + o.plane;  // of the four sub-tokens' channels, one after the other
    return {w.expand + plane * (L.low * 32) + o.input * 512, L.low * 16, o.tile};
  }
  return {};
}

// Fills slot `item` (64 a pair) of the matrices.
template <Layer L>
KMX_DEVICE void prepare_slot(GlobalBytes image, GlobalBytes weights, u32 item) {
  const u32 pair = item / kPairSlots, step = item / 32 % 2, which = item / 16 % 2, i = item % 16;
  const Source from = source_of<L>(pair, which);
  const u32 n = column(channel(from.tile, i / 8) + i % 8);
  const u32 at = from.base + from.next * (n / 16) + 64 * (n % 8) + 8 * (n / 8 % 2);
  u32x4 k;  // four inputs each
#pragma unroll
  for (u32 j = 0; j < 4; j++) k[j] = load<u32>(weights, at + input_byte(channel(step, j / 2) + 4 * (j % 2)));
#ifdef D4R_FP8_WMMA
  wmma::store_double_slot8(image, 2 * pair + which, step, wmma::lane_of(i), k);
#else
  struct Both { f16x8 low, high; };
  wmma::store_slot(image, 4 * pair + 2 * which + step, wmma::lane_of(i),
                   bits<f16x16>(Both{decode(u32x2{k[0], k[1]}), decode(u32x2{k[2], k[3]})}));
#endif
}

// Where the original keeps the eight halves that go to byte `to`: the vector,
// and the first of its channels (or of its 16 x 16 positions).
struct VectorSource {
  u32 base, first;
};

template <Layer L>
KMX_DEVICE VectorSource vector_source_of(u32 to) {
  constexpr Weights w = weights_of(L);
  constexpr Image m = image_of(L);
  if (to < m.out_bias) return {w.gamma1, (to - m.gamma1) / 2};
  if (to < m.gamma2) return {w.out_bias, (to - m.out_bias) / 2};
  if (to < m.mlp_bias) return {w.gamma2, (to - m.gamma2) / 2};
  if (to < m.chunk_bias) return {w.mlp_bias, (to - m.mlp_bias) / 2};
  if (to < m.merge_bias) {
    const u32 c = (to - m.chunk_bias) / 2;
    return {chunk_at(w, c / 32) + w.matrix, c % 32};
  }
  if (to < m.expand_bias) return {w.merge_bias, (to - m.merge_bias) / 2};
  if (to < m.position) return {w.expand_bias, (to - m.expand_bias) / 2};
  const u32 head = (to - m.position) / kPositionBytes;
  return {w.head0 + head * w.head_step + 2 * w.matrix, (to - m.position) / 2 % 256};
}

// Fills eight halves of the vectors; `item` counts from the first vector.
template <Layer L>
KMX_DEVICE void prepare_vector(GlobalBytes image, GlobalBytes weights, u32 item) {
  constexpr Image m = image_of(L);
  const u32 to = m.gamma1 + 16 * item;
  const VectorSource from = vector_source_of<L>(to);
  u32x4 v;
#pragma unroll
  for (u32 j = 0; j < 4; j++) {
    const u32 c = from.first + 2 * j;  // its odd neighbour stands next to it in either order
    const u32 half = to < m.position ? column(c) : position_half(token_of(c / 16), token_of(c % 16));
    v[j] = load<u32>(weights, from.base + 2 * half);
  }
  store(image, to, v);
}

// The whole preparation, by prep_blocks(L) blocks of 128 threads.
template <Layer L>
KMX_DEVICE void prepare(GlobalBytes image, GlobalBytes weights) {
  constexpr Image m = image_of(L);
  const u32 item = group_x() * 128 + thread_id();
  static_assert(m.pairs * kPairSlots % 128 == 0 && (m.bytes - m.gamma1) / 16 <= m.pairs * kPairSlots);
  prepare_slot<L>(image, weights, item);
  if (item < (m.bytes - m.gamma1) / 16) prepare_vector<L>(image, weights, item);
}

}  // namespace rrlite
