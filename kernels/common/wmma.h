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
// Piece is the same column cut for storing: K 8*half .. 8*half+7.
//
// A tile in an image is 16 slots (columns) of 16 K values: 512 bytes for f16,
// 256 for e4m3. Its two halves (K 0..7, K 8..15) are stored one after the
// other, so that a wave reads it in whole cache lines.
#pragma once

#include "math.h"
#include "types.h"
#include "wave.h"

#if defined(__GFX12__)
#define KMX_GFX12 1
#elif defined(__GFX11__)
#define KMX_GFX12 0
#else
#error "wmma.h knows gfx11 and gfx12 only"
#endif

// KMX_LAYOUT12: registers hold what they hold on gfx12. With D4R_WMMA_LAYOUT=12
// a gfx11 build does so too and converts around each product: the bytes it
// computes are those of the other gfx11 build, which proves that no source
// depends on a layout but through this header.
#if defined(D4R_WMMA_LAYOUT) && (D4R_WMMA_LAYOUT != 12 || KMX_GFX12)
#error "D4R_WMMA_LAYOUT is 12, and for gfx11"
#endif
#if KMX_GFX12 || defined(D4R_WMMA_LAYOUT)
#define KMX_LAYOUT12 1
#else
#define KMX_LAYOUT12 0
#endif

namespace wmma {

using Accum = f32x8;
using Rows = f16x8;
using Piece = u32x4;
#if KMX_LAYOUT12
using Operand = f16x8;
#else
using Operand = f16x16;
#endif
#if KMX_GFX12
using Operand8 = u32x2;
#endif

constexpr u32 kTileBytes = 512;
constexpr u32 kTile8Bytes = 256;

// The row of D that register i (0..7) of a lane in this half holds.
KMX_DEVICE constexpr u32 row(u32 i, u32 half) { return KMX_LAYOUT12 ? i + 8 * half : 2 * i + half; }

KMX_DEVICE u32 column() { return lane_id() & 15; }
KMX_DEVICE u32 half() { return lane_id() >> 4; }

// ---- products
#if KMX_LAYOUT12 && !KMX_GFX12
// From the layout of gfx12 to that of gfx11, and back.
KMX_DEVICE f16x16 operand11(Operand v) {
  const u32x4 own = bits<u32x4>(v);
  const bool second = half() != 0;
  u32x8 all;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const u32 other = swap_halves(own[j]);
    all[j] = second ? other : own[j];
    all[j + 4] = second ? own[j] : other;
  }
  return bits<f16x16>(all);
}
KMX_DEVICE Accum rows11(Accum c) {
  const bool odd = half() != 0;
  Accum d;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const f32 keep = odd ? c[2 * i + 1] : c[2 * i];
    const f32 other = swap_halves(odd ? c[2 * i] : c[2 * i + 1]);
    d[i] = odd ? other : keep;
    d[i + 4] = odd ? keep : other;
  }
  return d;
}
KMX_DEVICE Accum rows12(Accum d) {
  const bool second = half() != 0;
  Accum c;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const f32 keep = second ? d[i + 4] : d[i];
    const f32 other = swap_halves(second ? d[i] : d[i + 4]);
    c[2 * i] = second ? other : keep;
    c[2 * i + 1] = second ? keep : other;
  }
  return c;
}
#endif

KMX_DEVICE Accum mma_f16(Operand a, Operand b, Accum c) {
#if KMX_GFX12
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
#elif KMX_LAYOUT12
  return rows12(__builtin_amdgcn_wmma_f32_16x16x16_f16_w32(operand11(a), operand11(b), rows11(c)));
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
KMX_DEVICE Rows round(Accum d) {
  Rows v;
#pragma unroll
  for (int i = 0; i < 8; i++) v[i] = narrow(d[i]);
  return v;
}
KMX_DEVICE Accum widen(Rows v) {
  Accum d;
#pragma unroll
  for (int i = 0; i < 8; i++) d[i] = ::widen(v[i]);
  return d;
}

// ---- between accumulator rows and operands
// An operand whose K are the rows: a lane keeps its column.
KMX_DEVICE Operand to_operand(Rows v) {
#if KMX_LAYOUT12
  return v;
#else
  // Register pair j holds rows 4j + half and 4j + 2 + half, the partner's the
  // other two; the operand wants 4j, 4j+1 and 4j+2, 4j+3.
  const u32x4 own = bits<u32x4>(v);
  const u32 low = half() ? 0x01000504u : 0x05040100u;
  const u32 high = half() ? 0x03020706u : 0x07060302u;
  u32x8 op;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const u32 other = swap_halves(own[j]);
    op[2 * j] = __builtin_amdgcn_perm(other, own[j], low);
    op[2 * j + 1] = __builtin_amdgcn_perm(other, own[j], high);
  }
  return bits<Operand>(op);
#endif
}

// The K of an operand that are this lane's accumulator rows.
KMX_DEVICE Rows to_rows(Operand v) {
#if KMX_LAYOUT12
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

// Rows 8*half .. 8*half+7 of this lane's column, in order: what each lane
// writes when a column is stored, so that no lane is idle and none branches.
KMX_DEVICE Piece to_piece(Rows v) {
#if KMX_LAYOUT12
  return bits<Piece>(v);
#else
  const u32x4 own = bits<u32x4>(v);
  const bool odd = half() != 0;
  const u32 first = odd ? 0x07060504u : 0x03020100u;  // a select that stays one
  const u32 second = odd ? 0x03020100u : 0x07060504u;
  const u32 low = odd ? 0x01000504u : 0x05040100u;
  const u32 high = odd ? 0x03020706u : 0x07060302u;
  u32x4 piece;
#pragma unroll
  for (int j = 0; j < 2; j++) {
    const u32 keep = __builtin_amdgcn_perm(own[j + 2], own[j], first);
    const u32 other = swap_halves(__builtin_amdgcn_perm(own[j + 2], own[j], second));
    piece[2 * j] = __builtin_amdgcn_perm(other, keep, low);
    piece[2 * j + 1] = __builtin_amdgcn_perm(other, keep, high);
  }
  return piece;
#endif
}

// K 8*half .. 8*half+7 of an operand.
KMX_DEVICE Piece piece_of(Operand v) {
#if KMX_LAYOUT12
  return bits<Piece>(v);
#else
  const u32x8 in = bits<u32x8>(v);
  const bool second = half() != 0;
  Piece piece;
#pragma unroll
  for (int j = 0; j < 4; j++) piece[j] = second ? in[j + 4] : in[j];
  return piece;
#endif
}

// Sums of two pieces' values.
KMX_DEVICE Piece add(Piece a, Piece b) { return bits<Piece>(bits<f16x8>(a) + bits<f16x8>(b)); }

// ---- the common order
// gfx11 deals rows out by parity, gfx12 by eights. Where rows and columns may
// stand in any order, give lane r the index index() instead of r, in images and
// tokens alike: then register i of a lane holds index i + 8*half of D on both,
// and eight registers are a contiguous run of memory.
KMX_DEVICE constexpr u32 lane_of(u32 index) { return KMX_LAYOUT12 ? index : 2 * (index & 7) + (index >> 3); }
KMX_DEVICE u32 index() {
  const u32 r = column();
  return KMX_LAYOUT12 ? r : 8 * (r & 1) + (r >> 1);
}

// An operand whose K are the rows in common order.
KMX_DEVICE Operand join(Rows v) {
#if KMX_LAYOUT12
  return v;
#else
  const u32x4 own = bits<u32x4>(v);
  const bool second = half() != 0;
  u32x8 op;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const u32 other = swap_halves(own[j]);
    op[j] = second ? other : own[j];
    op[j + 4] = second ? own[j] : other;
  }
  return bits<Operand>(op);
#endif
}

// 16 halves at base + at in common order: this lane's eight.
template <class Bytes>
KMX_DEVICE Rows load_run(Bytes base, u32 at) { return bits<Rows>(load<u32x4>(base, at + 16 * half())); }
template <class Bytes>
KMX_DEVICE void store_run(Bytes base, u32 at, Rows v) { store(base, at + 16 * half(), bits<u32x4>(v)); }

// ---- sums along K
// The sum of n operands' values, widened to f32, in the order of K (all 16 of
// v[0], then of v[1], ...); the same in both lanes of a column.
template <int N>
KMX_DEVICE f32 sum_k(const Operand (&v)[N]) {
  f32 s = 0;
#if KMX_LAYOUT12
  // The running sum goes from half to half; it is right in half 0 before a
  // step, in half 1 after it.
#pragma unroll
  for (int n = 0; n < N; n++) {
    if (n > 0) s = swap_halves(s);
#pragma unroll
    for (int i = 0; i < 8; i++) s = add_wide(s, v[n][i]);
    s = swap_halves(s);
#pragma unroll
    for (int i = 0; i < 8; i++) s = add_wide(s, v[n][i]);
  }
  const f32 other = swap_halves(s);
  return half() ? s : other;
#else
#pragma unroll
  for (int n = 0; n < N; n++)
#pragma unroll
    for (int i = 0; i < 16; i++) s = add_wide(s, v[n][i]);
  return s;
#endif
}

// The sum of all rows of n tiles, in f32: each half adds its own rows in the
// order of its registers, then the two sums are added. Which rows a half has
// differs between gfx11 and gfx12, and with it the last bit.
template <u32 N>
KMX_DEVICE f32 sum_rows(const Rows (&v)[N]) {
  f32 s = 0;
#pragma unroll
  for (u32 n = 0; n < N; n++) {
#if KMX_LAYOUT12 && !KMX_GFX12
    const Accum rows = rows11(widen(v[n]));  // gfx11 adds in its own order
#pragma unroll
    for (u32 i = 0; i < 8; i++) s += rows[i];
#else
#pragma unroll
    for (u32 i = 0; i < 8; i++) s = add_wide(s, v[n][i]);
#endif
  }
  return s + swap_halves(s);
}

// ---- memory: 16 halves in K order, 32 bytes
// The operand at base + at, where `at` is the byte offset of this lane's row.
template <class Bytes>
KMX_DEVICE Operand load_operand(Bytes base, u32 at) {
#if KMX_LAYOUT12
  return bits<Operand>(load<u32x4>(base, at + 16 * half()));
#else
  struct Pair { u32x4 lo, hi; };
  return bits<Operand>(Pair{load<u32x4>(base, at), load<u32x4>(base, at + 16)});
#endif
}

// 16 halves at base + at in accumulator row order: a bias as the start of a
// chain when `at` is the same in all lanes.
template <class Bytes>
KMX_DEVICE Rows load_rows(Bytes base, u32 at) { return to_rows(load_operand(base, at)); }

// Writes this lane's column as 32 bytes at base + at; store_first_piece writes
// K 0..7 only, 16 bytes.
template <class Bytes>
KMX_DEVICE void store_piece(Bytes base, u32 at, Piece v) { store(base, at + 16 * half(), v); }
template <class Bytes>
KMX_DEVICE void store_first_piece(Bytes base, u32 at, Piece v) {
  if (half() == 0) store(base, at, v);
}
template <class Bytes>
KMX_DEVICE Piece load_piece(Bytes base, u32 at) { return load<Piece>(base, at + 16 * half()); }

// ---- memory: tiles of an image
// Byte of K 0..7 (piece 0) or 8..15 (piece 1) of a slot.
KMX_DEVICE constexpr u32 tile_piece(u32 tile, u32 slot, u32 piece) {
  return kTileBytes * tile + 256 * piece + 16 * slot;
}

// The memory of one tile and those behind it.
template <class Bytes>
KMX_DEVICE Bytes tile_at(Bytes image, u32 tile) { return image + kTileBytes * tile; }

// The operand in a slot of a tile, both of this lane's own choice.
template <class Bytes>
KMX_DEVICE Operand load_slot(Bytes image, u32 tile, u32 slot) {
#if KMX_LAYOUT12
  return bits<Operand>(load<u32x4>(image, kTileBytes * tile + 16 * slot + 256 * half()));
#else
  struct Pair { u32x4 lo, hi; };
  const u32 at = kTileBytes * tile + 16 * slot;
  return bits<Operand>(Pair{load<u32x4>(image, at), load<u32x4>(image, at + 256)});
#endif
}
// The operand of one tile, lane r taking slot r. `image` and `tile` are uniform.
// For constant tiles, runs of eight share one scalar base.
template <class Bytes>
KMX_DEVICE Operand load_tile(Bytes image, u32 tile) { return load_slot(image, tile, column()); }
KMX_DEVICE Operand load_tile(ConstBytes image, u32 tile) {
  return load_slot(kept(image + kTileBytes * (tile & ~7u)), tile & 7, column());
}
// The tiles of an image from one on, as this wave reads them: a scalar base and
// the lane's offset, made anew where the tiles are read, for only then does the
// compiler give its loads the one and the other.
struct Tiles {
  ConstBytes base;
  u32 lane;
};
KMX_DEVICE Tiles tiles_at(ConstBytes image, u32 tile) {
  Tiles t = {kept(image + kTileBytes * tile), 16 * (KMX_LAYOUT12 ? lane_id() : column())};
  asm("" : "+v"(t.lane) : "s"(t.base));
  return t;
}
// The same for tiles of accumulator starts.
KMX_DEVICE Tiles starts_at(ConstBytes image, u32 tile) {
  Tiles t = {kept(image + kTileBytes * tile), 16 * lane_id()};
  asm("" : "+v"(t.lane) : "s"(t.base));
  return t;
}
// The operand of one tile, `tile` being a constant.
KMX_DEVICE Operand load_tile(Tiles t, u32 tile) {
#if KMX_LAYOUT12
  return bits<Operand>(load<u32x4>(t.base + kTileBytes * tile, t.lane));
#else
  struct Pair { u32x4 lo, hi; };
  const ConstBytes run = kept(t.base + kTileBytes * (tile & ~7u));  // offsets end at 4095
  const ConstBytes at = run + kTileBytes * (tile & 7);
  return bits<Operand>(Pair{load<u32x4>(at, t.lane), load<u32x4>(at + 256, t.lane)});
#endif
}
// Writes this lane's column as slot r of a tile.
template <class Bytes>
KMX_DEVICE void store_tile(Bytes image, u32 tile, Piece v) {
  store(image, kTileBytes * tile + 16 * lane_id(), v);
}
// Writes this lane's column as a slot of its own choice.
template <class Bytes>
KMX_DEVICE void store_slot_piece(Bytes image, u32 tile, u32 slot, Piece v) {
  store(image, kTileBytes * tile + 16 * slot + 256 * half(), v);
}
#if KMX_GFX12
// Both operands of 32 K at once, from a double tile: in common order, the first
// eights of both steps stand together, then the second ones.
struct Operands8 { Operand8 first, second; };
template <class Bytes>
KMX_DEVICE Operands8 load_double_tile8(Bytes image, u32 tile) {
  return bits<Operands8>(load<u32x4>(image + 2 * kTile8Bytes * tile, 16 * lane_id()));
}
// Writes the 16 K of one step (0 or 1) of a slot.
template <class Bytes>
KMX_DEVICE void store_double_slot8(Bytes image, u32 tile, u32 step, u32 slot, u32x4 k) {
  const u32 at = 2 * kTile8Bytes * tile + 16 * slot + 8 * step;
  store(image, at, u32x2{k[0], k[1]});
  store(image, at + 256, u32x2{k[2], k[3]});
}
#endif

// A tile of accumulator starts: 16 bytes a lane, its 8 rows. Written with the
// lane as an argument, because prep kernels are not laid out in waves of tiles.
KMX_DEVICE Rows load_start(Tiles t, u32 tile) { return load<Rows>(t.base + kTileBytes * tile, t.lane); }
template <class Bytes>
KMX_DEVICE Rows load_start(Bytes image, u32 tile) {
  return load<Rows>(image, kTileBytes * tile + 16 * lane_id());
}
template <class Bytes>
KMX_DEVICE void store_start(Bytes image, u32 tile, u32 lane, Rows v) {
  store(image, kTileBytes * tile + 16 * lane, v);
}

// Writes one slot of a tile: 16 values in K order. One thread a slot.
template <class Bytes>
KMX_DEVICE void store_slot(Bytes image, u32 tile, u32 slot, f16x16 k) {
  struct Pair { u32x4 lo, hi; };
  const Pair p = bits<Pair>(k);
  store(image, tile_piece(tile, slot, 0), p.lo);
  store(image, tile_piece(tile, slot, 1), p.hi);
}

}  // namespace wmma
