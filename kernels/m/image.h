// The prepared weights: NVIDIA's buffer rearranged once for our operands.
//
// A tile is 32 inputs by 16 outputs, both steps of its inputs. Tile t of a plane
// of 32 outputs holds outputs channel(t, i/8) + i%8 for slots i = 0..15 in common
// order, and step s the inputs channel(s, i/8) + i%8. So
//   - the accumulators of a plane's two tiles hold, in half h, runs of eight
//     channels that lie in memory one after the other;
//   - those accumulators, rounded, are the two operands of the next product.
//
// Tiles come in pairs, which are what is fetched, and pairs follow one another
// in the order in which a wave uses them. A section is what one wave uses
// between two exchanges with its team:
//   a head    Q by inputs, V by inputs; then its round of O
//   a chunk   W1 by inputs; then its round of W2
//   merging, expanding: the outputs of one wave
// Q, V and W1 have both tiles of one plane as outputs. A round of O or W2 takes
// the inputs of all heads or chunks of the team, one after the other, to those
// tiles of every plane that the wave sums up; so do merging and expanding.
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

inline constexpr u32 kTileBytes = kFp8 ? 512 : 1024;
inline constexpr u32 kPairBytes = 2 * kTileBytes;
inline constexpr u32 kPairSlots = 64;  // of 16 inputs of one output

// First channel in its plane of a lane's run of eight, by tile and half. The
// natural order, for tests, is that of ZLUDA's translation for gfx12: a step
// takes inputs 0..15, then 16..31. It changes results.
#ifdef SWIN_NATURAL_ORDER
inline constexpr bool kNatural = true;
#else
inline constexpr bool kNatural = false;
#endif
constexpr u32 channel(u32 t, u32 half) { return kNatural ? 16 * t + 8 * half : 16 * half + 8 * t; }

// Where things are: pairs by number, vectors by byte offset.
struct Image {
  u32 head_pairs, chunk_pairs, merge_pairs, expand_pairs;  // pairs of a section
  u32 chunk0, merge0, expand0, pairs;                      // first pairs; all
  u32 merges;                                              // sections of merging
  u32 gamma1, out_bias, gamma2, mlp_bias, chunk_bias, merge_bias, expand_bias, position;
  u32 bytes;
};

constexpr Image image_of(Layer l) {
  const u32 p = l.planes(), c = l.channels;
  Image m{};
  m.head_pairs = 3 * p;
  m.chunk_pairs = 2 * p;
  m.merge_pairs = 4 * p * l.tiles() / 2;
  m.expand_pairs = l.low / 32 * p * l.tiles() / 2;
  m.merges = l.merged / (16 * l.tiles());
  m.chunk0 = l.heads * m.head_pairs;
  m.merge0 = m.chunk0 + l.chunks() * m.chunk_pairs;
  m.expand0 = m.merge0 + m.merges * m.merge_pairs;
  m.pairs = m.expand0 + l.waves() * m.expand_pairs;
  m.gamma1 = m.pairs * kPairBytes;
  m.out_bias = m.gamma1 + 2 * c;
  m.gamma2 = m.out_bias + 2 * c;
  m.mlp_bias = m.gamma2 + 2 * c;
  m.chunk_bias = m.mlp_bias + 2 * c;
  m.merge_bias = m.chunk_bias + 2 * 4 * c;
  m.expand_bias = m.merge_bias + 2 * l.merged;
  m.position = m.expand_bias + (l.low ? 2 * 4 * c : 0);
  m.bytes = m.position + l.heads * kPositionBytes;
  return m;
}
static_assert(image_of(kEnc1).pairs * kPairSlots == 4352);
static_assert(image_of(kEnc2).pairs * kPairSlots == 9984);
static_assert(image_of(kTube).pairs * kPairSlots == 11264);
static_assert(image_of(kDec2).pairs * kPairSlots == 9984);
static_assert(image_of(kDec1).pairs * kPairSlots == 4352);

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

// This lane's eight channels of tile t of a plane of a vector.
KMX_DEVICE Eight load_vector(ConstBytes image, u32 vector, u32 plane, u32 t) {
  const u32 lane = 2 * (channel(0, 1) - channel(0, 0)) * wmma::half();
  return bits<Eight>(load<u32x4>(image + vector + 64 * plane + 2 * channel(t, 0), lane));
}

}  // namespace rrlite
