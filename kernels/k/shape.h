// The shape of a K layer and what follows from it: where the network's weight
// buffer keeps each matrix, and where the prepared image keeps each tile.
//
// The weight buffer (f16) is in the order of the original kernels' mma
// fragments: a 16x16 tile of a matrix B[k][n] is 512 bytes, element (k, n) at
// fragment(k, n). Offsets are bytes from the start of the buffer. Nothing here
// is typed in: it follows from channels, heads and the neighbours' channels.
#pragma once

#include "types.h"

namespace k {

enum class Attention { learned, position };

// A layer: a window of 8x8 tokens of `channels` channels, heads of width 32,
// a hidden layer of 4 * channels. One of merged (encoders: channels of the
// half-resolution output) and low (decoders: channels of the half-resolution
// input) is set, or neither. embed: input channels of the first encoder; head:
// output columns of the last decoder, of which `stored` are kept. groups: waves
// that share a token tile.
struct Layer {
  Attention attention;
  u32 channels;
  u32 heads;
  u32 merged = 0;
  u32 low = 0;
  u32 embed = 0;
  u32 head = 0;
  u32 stored = 0;
  u32 groups = 1;
};

constexpr u32 kWindow = 8;                    // tokens a side
constexpr u32 kTokens = kWindow * kWindow;    // tokens a window
constexpr u32 kHeadDim = 32;
constexpr u32 kTile = 16;
constexpr u32 kHalf = 2;                      // bytes of an f16
constexpr u32 kFragment = 512;                // bytes of a tile
constexpr u32 larger(u32 a, u32 b) { return a > b ? a : b; }
constexpr u32 kTableBytes = kTokens * kTokens * kHalf;  // bias of one head

// Byte of element (k, n) in a fragment of B[k][n].
constexpr u32 fragment(u32 k, u32 n) {
  return 64 * (n & 7) + 16 * ((k & 7) >> 1) + 8 * (n >> 3) + 4 * (k >> 3) + 2 * (k & 1);
}

// Byte of element (query, key) in one head's table of 64x64.
constexpr u32 table(u32 query, u32 key) {
  const u32 r = query & 15, c = key & 15;
  return kFragment * (4 * (key >> 4) + (query >> 4)) + 64 * (r & 7) + 16 * ((c & 7) >> 1) +
         2 * (c & 1) + 4 * (r >> 3) + 8 * (c >> 3);
}

template <Layer L>
struct Shape {
  static constexpr u32 C = L.channels;
  static constexpr u32 heads = L.heads;
  static constexpr u32 tiles = C / kTile;     // channel tiles of a token
  static constexpr u32 chunks = C / 8;        // hidden chunks of 32
  static constexpr u32 merge_k = 4 * C / kTile;
  static constexpr u32 expand_n = 4 * C / kTile;
  static constexpr u32 low_k = L.low / kTile;
  static constexpr u32 head_n = L.head / kTile;
  // The merged columns are allocated a head at a time, rounded up to tiles.
  static constexpr u32 merge_per_head = L.merged / heads;
  static constexpr u32 merge_tiles_per_head = (merge_per_head + kTile - 1) / kTile;
  static constexpr u32 merge_n = heads * merge_tiles_per_head;
  static_assert(C % 32 == 0 && L.merged % heads == 0 && L.low % kTile == 0);
};

// Byte offsets in the weight buffer.
template <Layer L>
struct Weights {
  using S = Shape<L>;
  static constexpr u32 C = S::C;
  static constexpr u32 kVector = kHalf * C;                     // bytes of a channel vector

  // Before the core: the decoders' expansion, or the first encoder's embedding.
  static constexpr u32 expand = 0;
  static constexpr u32 expand_bias = expand + kHalf * L.low * 4 * C;
  static constexpr u32 embed_bias = 0;
  static constexpr u32 embed = kVector;
  static constexpr u32 core = L.low     ? expand_bias + kHalf * 4 * C
                              : L.embed ? embed + kHalf * L.embed * C
                                        : 0;

  static constexpr u32 gamma1 = core;
  static constexpr u32 qkv = gamma1 + kVector;
  static constexpr u32 qkv_head = 3 * kHalf * C * kHeadDim;     // stride of a head
  static constexpr u32 bias = qkv + qkv_head * S::heads;
  static constexpr u32 bo = bias + kTableBytes * S::heads;
  static constexpr u32 wo = bo + kVector;
  static constexpr u32 wo_head = kHalf * kHeadDim * C;
  static constexpr u32 gamma2 = wo + wo_head * S::heads;
  static constexpr u32 beta2 = gamma2 + kVector;
  static constexpr u32 w1 = beta2 + kVector;
  static constexpr u32 chunk = kHalf * C * 32;                  // stride of a hidden chunk
  static constexpr u32 b1 = w1 + chunk * S::chunks;
  static constexpr u32 b1_chunk = kHalf * 32;
  static constexpr u32 w2 = b1 + b1_chunk * S::chunks;
  // After the core: the encoders' merge, or the last decoder's head.
  static constexpr u32 merge = w2 + chunk * S::chunks;
  static constexpr u32 merge_bias = merge + kFragment * S::merge_k * S::merge_n;
  static constexpr u32 head_bias = merge;
  static constexpr u32 head = head_bias + kHalf * L.head;
  static constexpr u32 end = L.merged ? merge_bias + kHalf * kTile * S::merge_n
                             : L.head ? head + kHalf * C * L.head
                                      : merge;
};

// Tiles of the prepared image, in order of use: what a wave reads in a row
// stands in a row. Image A: 16 slots a tile, slot n holding column n of the
// matrix. Wo and W2 have the parts (heads, hidden chunks) that the groups take at
// one time together. Image B, behind it: the attention table.
template <Layer L>
struct Image {
  using S = Shape<L>;
  static constexpr u32 part_k = 2 * L.groups;                         // k16 steps of Wo, W2 together
  static constexpr u32 qkv = 0;                                       // [head][Q,K,V][kt][nt 2]
  static constexpr u32 wo = qkv + S::heads * 3 * S::tiles * 2;        // [head / groups][nt][part_k]
  static constexpr u32 w1 = wo + 2 * S::heads * S::tiles;             // [chunk][kt][nt 2]
  static constexpr u32 w2 = w1 + S::chunks * S::tiles * 2;            // [chunk / groups][nt][part_k]
  static constexpr u32 merge = w2 + S::chunks * 2 * S::tiles;         // [vt][ks]
  static constexpr u32 expand = merge;                                // [q][nt][ks]
  static constexpr u32 head = expand + S::low_k * S::expand_n;        // [nt 3][kt]
  static constexpr u32 embed = merge + S::merge_k * S::merge_n;       // [nt]
  static constexpr u32 end = L.embed ? embed + L.embed / kTile * S::tiles
                             : L.low ? head + S::tiles * S::head_n
                                     : embed;
  static constexpr u32 table = end;                                   // [head][qt][kt]
  static constexpr u32 bytes = kFragment * (table + 16 * S::heads);
  // One thread a slot of image A and a 16-byte entry of image B.
  static constexpr u32 prep_items = kTile * end + 512 * S::heads;
  static constexpr u32 prep_blocks = (prep_items + 127) / 128;

  static constexpr u32 qkv_tile(u32 head, u32 j, u32 kt, u32 nt) {
    return qkv + ((head * 3 + j) * S::tiles + kt) * 2 + nt;
  }
  // Of `groups` heads or chunks together; k: which, and its step.
  static constexpr u32 wo_tile(u32 part, u32 nt, u32 k) { return wo + (part * S::tiles + nt) * part_k + k; }
  static constexpr u32 w2_tile(u32 part, u32 nt, u32 k) { return w2 + (part * S::tiles + nt) * part_k + k; }
  static constexpr u32 w1_tile(u32 chunk, u32 kt, u32 nt) { return w1 + (chunk * S::tiles + kt) * 2 + nt; }
  static constexpr u32 merge_tile(u32 vt, u32 ks) { return merge + vt * S::merge_k + ks; }
  static constexpr u32 expand_tile(u32 q, u32 nt, u32 ks) { return expand + (q * S::tiles + nt) * S::low_k + ks; }
  static constexpr u32 head_tile(u32 nt, u32 kt) { return head + nt * S::tiles + kt; }
  static constexpr u32 table_tile(u32 head, u32 qt, u32 kt) { return table + (head * 4 + qt) * 4 + kt; }
};

}  // namespace k
