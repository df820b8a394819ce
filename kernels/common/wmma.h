// Matrix multiply of one wave: D = A*B + C on 16x16x16 tiles.
//
// This header owns every fact about which lane and register holds which
// element, for gfx11 and gfx12; nothing outside it may know. With r = lane & 15
// and half = lane >> 4:
//
//   A operand   lane holds row r of A, B operand: column r of B
//     gfx11     all 16 K in order, the same in both halves    8 registers
//     gfx12     K 8*half .. 8*half+7 in order                 4 registers
//   C, D        lane holds column r; register i holds a row
//     gfx11     row 2*i + half                                8 registers
//     gfx12     row i + 8*half                                8 registers
//   e4m3 operand (gfx12 only): as f16, one byte an element    2 registers
//
// A and B have the same form, so one stored row serves on either side.
//
// Rows is an accumulator column rounded to f16: 8 values in the row order of
// the accumulator. Turning it into an Operand makes the rows of D the K of a
// following product: free on gfx12, one exchange between the halves on gfx11.
//
// A tile in an image is 16 slots (columns) of 16 K values: 512 bytes for f16,
// 256 for e4m3. Its two halves (K 0..7, K 8..15) are stored one after the
// other, so that a wave reads it in whole cache lines.
#pragma once

#include "types.h"
#include "wave.h"

#if defined(__GFX12__)
#define KMX_GFX12 1
#elif defined(__GFX11__)
#define KMX_GFX12 0
#else
#error "wmma.h knows gfx11 and gfx12 only"
#endif

namespace wmma {

using Accum = f32x8;
using Rows = f16x8;
#if KMX_GFX12
using Operand = f16x8;
using Operand8 = u32x2;
#else
using Operand = f16x16;
#endif

constexpr u32 kTileBytes = 512;
constexpr u32 kTile8Bytes = 256;

// The row of D that register i (0..7) of a lane in this half holds.
KMX_DEVICE constexpr u32 row(u32 i, u32 half) { return KMX_GFX12 ? i + 8 * half : 2 * i + half; }

KMX_DEVICE u32 column() { return lane_id() & 15; }
KMX_DEVICE u32 half() { return lane_id() >> 4; }

// ---- products
KMX_DEVICE Accum mma_f16(Operand a, Operand b, Accum c) {
#if KMX_GFX12
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
#else
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
#endif
}
#if KMX_GFX12
KMX_DEVICE Accum mma_fp8(Operand8 a, Operand8 b, Accum c) {
  using Raw = int __attribute__((ext_vector_type(2)));
  return __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(bits<Raw>(a), bits<Raw>(b), c);
}
#endif

// ---- rounding and widening
KMX_DEVICE Rows round(Accum d) { return __builtin_convertvector(d, Rows); }
KMX_DEVICE Accum widen(Rows v) { return __builtin_convertvector(v, Accum); }

// ---- between accumulator rows and operands
// An operand whose K are the rows: lane r keeps its column.
KMX_DEVICE Operand to_operand(Rows v) {
#if KMX_GFX12
  return v;
#else
  // Own rows have this half's parity, the partner's the other one; dword p of
  // the operand is rows 2p (even) and 2p+1 (odd).
  const u32x4 own = bits<u32x4>(v);
  const bool odd = half() != 0;
  u32x8 op;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const u32 other = swap_halves(own[j]);
    const u32 even_rows = odd ? other : own[j];
    const u32 odd_rows = odd ? own[j] : other;
    op[2 * j] = __builtin_amdgcn_perm(odd_rows, even_rows, 0x05040100u);
    op[2 * j + 1] = __builtin_amdgcn_perm(odd_rows, even_rows, 0x07060302u);
  }
  return bits<Operand>(op);
#endif
}

// The rows of an operand's K that this lane holds as an accumulator.
KMX_DEVICE Rows to_rows(Operand v) {
#if KMX_GFX12
  return v;
#else
  const u32x8 in = bits<u32x8>(v);
  const u32 pick = half() ? 0x07060302u : 0x05040100u;
  u32x4 out;
#pragma unroll
  for (int j = 0; j < 4; j++) out[j] = __builtin_amdgcn_perm(in[2 * j + 1], in[2 * j], pick);
  return bits<Rows>(out);
#endif
}

// ---- memory: rows of 16 halves in K order
// The operand at base + at, where `at` is the byte offset of this lane's row.
template <class Bytes>
KMX_DEVICE Operand load_operand(Bytes base, u32 at) {
#if KMX_GFX12
  return bits<Operand>(load<u32x4>(base, at + 16 * half()));
#else
  struct Pair { u32x4 lo, hi; };
  return bits<Operand>(Pair{load<u32x4>(base, at), load<u32x4>(base, at + 16)});
#endif
}

// Whether this lane takes part in writing operands: gfx11 holds each twice.
KMX_DEVICE bool stores_operand() { return KMX_GFX12 || half() == 0; }

// Writes the operand as a row of 32 bytes at base + at (this lane's row).
template <class Bytes>
KMX_DEVICE void store_operand(Bytes base, u32 at, Operand v) {
#if KMX_GFX12
  store(base, at + 16 * half(), bits<u32x4>(v));
#else
  struct Pair { u32x4 lo, hi; };
  const Pair p = bits<Pair>(v);
  if (half() == 0) {
    store(base, at, p.lo);
    store(base, at + 16, p.hi);
  }
#endif
}

// Writes K 0..7 of the operand as 16 bytes at base + at.
template <class Bytes>
KMX_DEVICE void store_operand_low(Bytes base, u32 at, Operand v) {
#if KMX_GFX12
  if (half() == 0) store(base, at, bits<u32x4>(v));
#else
  struct Pair { u32x4 lo, hi; };
  if (half() == 0) store(base, at, bits<Pair>(v).lo);
#endif
}

// 16 halves at base + at (the same address in all lanes, or a lane's own) in
// accumulator row order: a bias as the start of a chain.
template <class Bytes>
KMX_DEVICE Rows load_rows(Bytes base, u32 at) { return to_rows(load_operand(base, at)); }

// ---- memory: tiles of an image
// Byte of K 0..7 (piece 0) or 8..15 (piece 1) of a slot.
KMX_DEVICE constexpr u32 tile_piece(u32 tile, u32 slot, u32 piece) {
  return kTileBytes * tile + 256 * piece + 16 * slot;
}
KMX_DEVICE constexpr u32 tile8_piece(u32 tile, u32 slot, u32 piece) {
  return kTile8Bytes * tile + 128 * piece + 8 * slot;
}

// The operand of one tile, lane r taking slot r. `tile` is uniform.
template <class Bytes>
KMX_DEVICE Operand load_tile(Bytes image, u32 tile) {
#if KMX_GFX12
  return bits<Operand>(load<u32x4>(image + kTileBytes * tile, 16 * lane_id()));
#else
  struct Pair { u32x4 lo, hi; };
  const Bytes at = image + kTileBytes * tile;
  return bits<Operand>(Pair{load<u32x4>(at, 16 * column()), load<u32x4>(at + 256, 16 * column())});
#endif
}
#if KMX_GFX12
template <class Bytes>
KMX_DEVICE Operand8 load_tile8(Bytes image, u32 tile) {
  return load<u32x2>(image + kTile8Bytes * tile, 8 * lane_id());
}
#endif

// Writes one slot of a tile: 16 values in K order. One thread a slot.
template <class Bytes>
KMX_DEVICE void store_slot(Bytes image, u32 tile, u32 slot, f16x16 k) {
  struct Pair { u32x4 lo, hi; };
  const Pair p = bits<Pair>(k);
  store(image, tile_piece(tile, slot, 0), p.lo);
  store(image, tile_piece(tile, slot, 1), p.hi);
}
template <class Bytes>
KMX_DEVICE void store_slot8(Bytes image, u32 tile, u32 slot, u32x4 k) {
  store(image, tile8_piece(tile, slot, 0), u32x2{k[0], k[1]});
  store(image, tile8_piece(tile, slot, 1), u32x2{k[2], k[3]});
}

}  // namespace wmma
