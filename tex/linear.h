// A matrix product with bias, its weights in the format of the M network.
//
// The prepared image has, for each 16 outputs, the tiles of 32 inputs one after the
// other, and behind all of them the bias in plain channel order. A lane is a token;
// of the outputs 16*tile .. +15 it has the eight from 8*half on.
#pragma once

#include "tokens.h"

namespace tex {

struct Linear {
  u32 inputs, outputs;
  u32 weights, bias;  // bytes from the start of the weight buffer

  constexpr u32 steps() const { return inputs / 32; }
  constexpr u32 tiles() const { return outputs / 16; }
  constexpr u32 slots() const { return 32 * steps() * tiles(); }  // of 16 inputs of one output
  constexpr u32 bias_at() const { return steps() * tiles() * kTileBytes; }
  constexpr u32 bytes() const { return bias_at() + 2 * outputs; }
};

// Fills slot `item` of the image; the first ones also eight numbers of the bias
// each.
template <Linear M>
KMX_DEVICE void prepare_linear(GlobalBytes image, GlobalBytes weights, u32 item) {
  static_assert(M.outputs / 8 <= M.slots());
  const u32 number = item / 32, step = item / 16 % 2, i = item % 16;
  const u32 tile = number / M.steps(), ks = number % M.steps();
  const u32 n = column(16 * tile + i);
  const u32 at = M.weights + 512 * (ks + M.steps() * (n / 16)) + 64 * (n % 8) + 8 * (n / 8 % 2);
  u32x4 k;  // four inputs each
#pragma unroll
  for (u32 j = 0; j < 4; j++) k[j] = load<u32>(weights, at + input_byte(16 * step + 4 * j));
#ifdef D4R_TEX_FP8
  wmma::store_double_slot8(image, number, step, wmma::lane_of(i), k);
#else
  struct Both { f16x8 low, high; };
  wmma::store_slot(image, 2 * number + step, wmma::lane_of(i),
                   bits<f16x16>(Both{to_values(u32x2{k[0], k[1]}), to_values(u32x2{k[2], k[3]})}));
#endif
  if (item < M.outputs / 8) {
    u32x4 v;  // pairs of channels, which stand together in either order
#pragma unroll
    for (u32 j = 0; j < 4; j++) v[j] = load<u32>(weights, M.bias + 2 * column(8 * item + 2 * j));
    store(image, M.bias_at() + 16 * item, v);
  }
}

// Outputs 16*tile .. +15 of x, this lane's eight of them.
template <Linear M>
KMX_DEVICE Eight output(ConstBytes image, u32 tile, const Step (&x)[M.steps()]) {
  Chain sum = start(bits<Eight>(load<u32x4>(image + M.bias_at() + 32 * tile, 16 * wmma::half())));
#pragma unroll
  for (u32 ks = 0; ks < M.steps(); ks++) sum = mma(load_weights(image, tile * M.steps() + ks), x[ks], sum);
  return finish(sum);
}

}  // namespace tex
