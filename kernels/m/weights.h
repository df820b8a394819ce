// NVIDIA's weight buffer of an M layer: what lies where.
//
// Matrices are e4m3, vectors f16. A matrix W[k][n] (k input, n output) is made
// of blocks of 32 inputs by 16 outputs; the byte of an element is
//   base + ks*(k/32) + ns*(n/16)
//        + 64*(n%8) + 16*(k%16/4) + 8*(n/8%2) + 4*(k%32/16) + k%4.
// Outputs, and all vectors, are stored in pair order: channel c stands at
// column(c). Inputs are in plain channel order. There is no key projection:
// scores are Q times Q.
#pragma once

#include "layer.h"

namespace rrlite {

constexpr u32 column(u32 c) { return 32 * (c / 32) + 2 * (c % 32 / 4) + c % 2 + 16 * (c % 4 / 2); }

// The byte of four inputs from k on (a multiple of four below 32), in a column.
constexpr u32 input_byte(u32 k) { return 16 * (k % 16 / 4) + 4 * (k / 16); }

// Byte offsets of the parts.
struct Weights {
  u32 expand, expand_bias;     // decoders: low x 4C
  u32 gamma1;                  // C
  u32 head0, head_step;        // heads: Q (C x 32), V (C x 32), position bias (16 x 16 f16), O (32 x C)
  u32 out_bias;                // C
  u32 gamma2;                  // C
  u32 chunk0, mlp_bias;        // hidden chunk 0; C
  u32 chunk1, chunk_step;      // chunks: W1 (C x 32), its bias (32), W2 (32 x C)
  u32 merge, merge_bias;       // encoders: 4C x merged, in groups of 32 outputs
  u32 bytes;
  u32 matrix;                  // bytes of each of Q, V, O, W1, W2
};

constexpr u32 kPositionBytes = 512;
constexpr u32 kChunkBiasBytes = 64;

constexpr Weights weights_of(Layer l) {
  const u32 c = l.channels, vector = 2 * c;
  Weights w{};
  w.matrix = 32 * c;
  w.expand = 0;
  w.expand_bias = w.expand + 4 * c * l.low;
  w.gamma1 = l.low ? w.expand_bias + 8 * c : 0;
  w.head0 = w.gamma1 + vector;
  w.head_step = 3 * w.matrix + kPositionBytes;
  w.out_bias = w.head0 + l.heads * w.head_step;
  w.gamma2 = w.out_bias + vector;
  w.chunk0 = w.gamma2 + vector;
  w.chunk_step = 2 * w.matrix + kChunkBiasBytes;
  w.mlp_bias = w.chunk0 + w.chunk_step;
  w.chunk1 = w.mlp_bias + vector;
  w.merge = w.chunk1 + (l.chunks() - 1) * w.chunk_step;
  w.merge_bias = w.merge + 4 * c * l.merged;
  w.bytes = w.merge_bias + 2 * l.merged;
  return w;
}

// The second vector of the MLP lies between the first chunk and the others.
constexpr u32 chunk_at(const Weights& w, u32 chunk) {
  return chunk == 0 ? w.chunk0 : w.chunk1 + (chunk - 1) * w.chunk_step;
}

// The numbers as found in the original, against the rules above.
constexpr bool laid_out(Layer l, u32 gamma1, u32 head0, u32 head_step, u32 out_bias, u32 gamma2, u32 chunk0,
                        u32 mlp_bias, u32 chunk1, u32 chunk_step, u32 bytes) {
  const Weights w = weights_of(l);
  return w.gamma1 == gamma1 && w.head0 == head0 && w.head_step == head_step && w.out_bias == out_bias &&
         w.gamma2 == gamma2 && w.chunk0 == chunk0 && w.mlp_bias == mlp_bias && w.chunk1 == chunk1 &&
         w.chunk_step == chunk_step && w.bytes == bytes;
}
static_assert(laid_out(kEnc1, 0, 128, 6656, 13440, 13568, 13696, 17856, 17984, 4160, 71872));
static_assert(laid_out(kEnc2, 0, 192, 9728, 39104, 39296, 39488, 45696, 45888, 6208, 163584));
static_assert(laid_out(kTube, 0, 256, 12800, 51456, 51712, 51968, 60224, 60480, 8256, 184320));
static_assert(laid_out(kDec2, 49920, 50112, 9728, 89024, 89216, 89408, 95616, 95808, 6208, 164096));
static_assert(laid_out(kDec1, 25088, 25216, 6656, 38528, 38656, 38784, 42944, 43072, 4160, 72192));
static_assert(weights_of(kEnc1).merge == 47104 && weights_of(kEnc1).merge_bias == 71680);
static_assert(weights_of(kEnc2).merge == 114176 && weights_of(kEnc2).merge_bias == 163328);
static_assert(weights_of(kDec2).expand_bias == 49152 && weights_of(kDec1).expand_bias == 24576);

// Halfword of the position bias for a query and an even key; key + 1 follows.
constexpr u32 position_half(u32 query, u32 key) {
  return 8 * (4 * (query % 8) + key % 8 / 2) + 2 * (query / 8 + 2 * (key / 8));
}

}  // namespace rrlite
