// The prepared weights: NVIDIA's buffer rearranged once for our operands.
//
// A pair is 32 inputs by 32 outputs: two tiles of 16 outputs, each with both
// steps of its 32 inputs. Tile t holds outputs 16*(i/8) + 8*t + i%8 for slots
// i = 0..15 in common order, and step s the inputs in the same order, so that
//   - the accumulators of a pair's two tiles hold, in half h, outputs 16h..16h+7
//     and 16h+8..16h+15: a run of 16 channels, as tokens lie in memory;
//   - those accumulators, rounded, are the two operands of the next product.
// Pairs follow one another in the order in which they are used:
//   heads   Q by inputs, V by inputs, O by outputs
//   chunks  W1 by inputs, W2 by outputs
//   groups of 32 merged outputs, by inputs
// Then come the vectors, f16 in plain channel order, and the position bias as
// rows of 16 keys: what starts an accumulator is one 16-byte load.
//
// The image is a global of the code object, as launches bring no other memory
// for it: it holds one weight buffer at a time. The runtime prepares it again
// whenever the key differs from the last one, which is all that this asks for.
#pragma once

#include "layer.h"
#include "numerics.h"
#include "weights.h"

namespace rrlite {

inline constexpr u32 kPairBytes = kFp8 ? 1024 : 2048;
inline constexpr u32 kPairSlots = 64;  // of 16 inputs of one output

// Where things are: pairs by number, vectors by byte offset.
struct Image {
  u32 head_pairs, chunk_pairs;           // pairs of one head, of one chunk
  u32 chunk0, merge0, pairs;             // first pair of chunks, of groups; all
  u32 gamma1, out_bias, gamma2, mlp_bias, chunk_bias, merge_bias, position;
  u32 bytes;
};

constexpr Image image_of(Layer l) {
  const u32 p = l.planes(), c = l.channels;
  Image m{};
  m.head_pairs = 3 * p;
  m.chunk_pairs = 2 * p;
  m.chunk0 = l.heads * m.head_pairs;
  m.merge0 = m.chunk0 + l.chunks() * m.chunk_pairs;
  m.pairs = m.merge0 + l.merged / 32 * 4 * p;
  m.gamma1 = m.pairs * kPairBytes;
  m.out_bias = m.gamma1 + 2 * c;
  m.gamma2 = m.out_bias + 2 * c;
  m.mlp_bias = m.gamma2 + 2 * c;
  m.chunk_bias = m.mlp_bias + 2 * c;
  m.merge_bias = m.chunk_bias + 2 * 4 * c;
  m.position = m.merge_bias + 2 * l.merged;
  m.bytes = m.position + l.heads * kPositionBytes;
  return m;
}
static_assert(image_of(kEnc1).pairs * kPairSlots == 4352);
static_assert(image_of(kEnc2).pairs * kPairSlots == 9984);
static_assert(image_of(kTube).pairs * kPairSlots == 11264);

// One thread a slot.
constexpr u32 prep_blocks(Layer l) { return image_of(l).pairs * kPairSlots / 128; }

// ---- reading
KMX_DEVICE ConstBytes pair_at(ConstBytes image, u32 pair) { return image + pair * kPairBytes; }

// Tile n from here, two a pair, as both operands of its 32 inputs.
KMX_DEVICE Step load_weights(ConstBytes here, u32 n) {
#ifdef D4R_FP8_WMMA
  const wmma::Operands8 both = wmma::load_double_tile8(here, n);
  return {both.first, both.second};
#else
  return {wmma::load_tile(here, 2 * n), wmma::load_tile(here, 2 * n + 1)};
#endif
}

// This lane's eight channels of tile t of a plane (32 channels) of a vector.
KMX_DEVICE Eight load_vector(ConstBytes image, u32 vector, u32 plane, u32 t) {
  return bits<Eight>(load<u32x4>(image + vector + 64 * plane + 16 * t, 32 * wmma::half()));
}

// ---- preparing
// Where the original keeps a pair: the block of its first 16 outputs, and the
// distance to the next 16.
struct Source {
  u32 base, next;
};

template <Layer L>
KMX_DEVICE Source source_of(u32 pair) {
  constexpr Weights w = weights_of(L);
  constexpr Image m = image_of(L);
  constexpr u32 p = L.planes();
  if (pair < m.chunk0) {
    const u32 part = pair % m.head_pairs / p;  // Q, V, O
    const u32 skipped = part == 2 ? kPositionBytes : 0;
    return {w.head0 + pair / m.head_pairs * w.head_step + part * w.matrix + skipped + pair % p * 1024, 512};
  }
  if (pair < m.merge0) {
    const u32 chunk = (pair - m.chunk0) / m.chunk_pairs, r = (pair - m.chunk0) % m.chunk_pairs;
    const u32 at = chunk_at(w, chunk);
    if (r < p) return {at + r * 512, p * 512};
    return {at + w.matrix + kChunkBiasBytes + (r - p) * 1024, 512};
  }
  const u32 group = (pair - m.merge0) / (4 * p), k = (pair - m.merge0) % (4 * p);
  return {w.merge + group * (4 * p * 1024) + k * 512, 4 * p * 512};
}

// Fills slot `item` (64 a pair) of the matrices.
template <Layer L>
KMX_DEVICE void prepare_slot(GlobalBytes image, GlobalBytes weights, u32 item) {
  const u32 pair = item / kPairSlots, step = item / 32 % 2, t = item / 16 % 2, i = item % 16;
  const Source from = source_of<L>(pair);
  const u32 n = column(16 * (i / 8) + 8 * t + i % 8);
  const u32 at = from.base + from.next * (n / 16) + 64 * (n % 8) + 8 * (n / 8 % 2) + 32 * step;
  // Inputs 8*step + 0..3 and those 16 further, then 8*step + 4..7 and theirs.
  const u32x2 a = load<u32x2>(weights, at), b = load<u32x2>(weights, at + 16);
  const u32x2 low = {a[0], b[0]}, high = {a[1], b[1]};
#ifdef D4R_FP8_WMMA
  wmma::store_double_slot8(image, 2 * pair + t, step, wmma::lane_of(i), u32x4{low[0], low[1], high[0], high[1]});
#else
  struct Both { f16x8 low, high; };
  wmma::store_slot(image, 4 * pair + 2 * t + step, wmma::lane_of(i),
                   bits<f16x16>(Both{decode(low), decode(high)}));
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
  if (to < m.position) return {w.merge_bias, (to - m.merge_bias) / 2};
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
    v[j] = load<u32>(weights, from.base + 2 * (to < m.position ? column(c) : position_half(c / 16, c % 16)));
  }
  store(image, to, v);
}

// The whole preparation, by prep_blocks(L) blocks of 128 threads.
template <Layer L>
KMX_DEVICE void prepare(GlobalBytes image, GlobalBytes weights) {
  constexpr Image m = image_of(L);
  const u32 item = group_x() * 128 + thread_id();
  static_assert(m.pairs * kPairSlots % 128 == 0);
  prepare_slot<L>(image, weights, item);
  if (item < (m.bytes - m.gamma1) / 16) prepare_vector<L>(image, weights, item);
}

}  // namespace rrlite
