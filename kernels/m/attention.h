// Attention inside a window of 16 tokens, for one head of 32 channels.
//
// Which side of a product an operand stands on decides what a lane gets:
//   Q   weights times tokens:  lane = token, registers = head channels
//   V   tokens times weights:  lane = head channel, registers = tokens
//   S   Q times Q:             lane = query, registers = keys
//   O   V times P:             lane = token, registers = head channels
// so every result is, as it stands, an operand of the next product, and the
// softmax of a query lies in one lane and its partner in the other half.
#pragma once

#include "image.h"
#include "norm.h"
#include "window.h"

namespace rrlite {

// Not normalised: e(s) for the eight keys of this lane. A polynomial shaped so
// that shifting its bits yields the exponential; the arithmetic is on words of
// two halves, and the lower one carries into the upper one.
KMX_DEVICE Eight exponential(Eight s) {
  const Eight t = clamp_abs(s * half_bits(0x2466), half_bits(0x3873));
  const Eight slope = fma16(t, -t, Eight(half_bits(0x3b6b)));
  const Eight poly = fma16(t, slope, Eight((f16)1.375));
  return bits<Eight>((bits<u32x4>(poly) << 5) + 0x7ff88000u);
}

// Probabilities of this lane's keys. The sum over 16 keys pairs key with key
// + 8, then with + 2, + 4, + 1.
KMX_DEVICE Eight softmax(Eight scores) {
  const Eight e = exponential(scores);
  const Eight u = e + swap_halves(e);
  const f16x2 pair = (u.lo.lo + u.lo.hi) + (u.hi.lo + u.hi.hi);
  return e * rcp16((f16)(pair[0] + pair[1]));
}

// The head's output, ready to be multiplied by its 32 rows of the output
// projection.
template <Layer L>
KMX_DEVICE Step attend(const Channels<L>& h, ConstBytes image, u32 head) {
  constexpr Image m = image_of(L);
  constexpr u32 planes = L.planes();
  const u32 pairs = head * m.head_pairs;

  Step q;
#pragma unroll
  for (u32 t = 0; t < 2; t++) {
    wmma::Accum acc = {};
#pragma unroll
    for (u32 p = 0; p < planes; p++) acc = mma(load_weights(image, pairs + p, t), h.plane[p], acc);
    q.part[t] = quantised(wmma::round(acc));
  }

  const Eight bias = wmma::load_run(image + m.position + head * kPositionBytes, 32 * wmma::index());
  const Eight prob = softmax(wmma::round(mma(q, q, wmma::widen(bias))));
  const wmma::Operand keys = wmma::join(prob);

  Step out;
#pragma unroll
  for (u32 t = 0; t < 2; t++) {
    wmma::Accum v = {};
#pragma unroll
    for (u32 p = 0; p < planes; p++) v = mma(h.plane[p], load_weights(image, pairs + planes + p, t), v);
    const wmma::Accum o = wmma::mma_f16(wmma::join(wmma::round(v)), keys, wmma::Accum{});
    out.part[t] = quantised(wmma::round(o));
  }
  return out;
}

// sums += the head's output times its part of the output projection.
template <Layer L>
KMX_DEVICE void project(Sums<L>& sums, const Step& out, ConstBytes image, u32 head) {
  constexpr Image m = image_of(L);
  const u32 pairs = head * m.head_pairs + 2 * L.planes();
#pragma unroll
  for (u32 p = 0; p < L.planes(); p++)
#pragma unroll
    for (u32 t = 0; t < 2; t++)
      sums.part[p][t] = mma(load_weights(image, pairs + p, t), out, sums.part[p][t]);
}

}  // namespace rrlite
