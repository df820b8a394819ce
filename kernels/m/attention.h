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
#include "tape.h"
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

// One head: sums += attention(h) times the head's rows of the output
// projection. `bias` is this lane's part of the position bias.
template <Layer L>
KMX_DEVICE void attend(Sums<L>& sums, const Channels<L>& h, Tape& tape, Eight bias) {
  constexpr u32 planes = L.planes(), pairs = 3 * planes;

  wmma::Accum q[2] = {};
#pragma unroll
  for (u32 p = 0; p < planes; p++) {
    const Pair w = tape.take(p, pairs);
#pragma unroll
    for (u32 t = 0; t < 2; t++) q[t] = mma(w.tile[t], h.plane[p], q[t]);
  }
  const Step qs = {quantised(wmma::round(q[0])), quantised(wmma::round(q[1]))};
  const Eight prob = softmax(wmma::round(mma(qs, qs, wmma::widen(bias))));

  wmma::Accum v[2] = {};
#pragma unroll
  for (u32 p = 0; p < planes; p++) {
    const Pair w = tape.take(planes + p, pairs);
#pragma unroll
    for (u32 t = 0; t < 2; t++) v[t] = mma(h.plane[p], w.tile[t], v[t]);
  }
  const wmma::Operand keys = wmma::join(prob);
  Step out;
#pragma unroll
  for (u32 t = 0; t < 2; t++) {
    const wmma::Accum o = wmma::mma_f16(wmma::join(wmma::round(v[t])), keys, wmma::Accum{});
    out.part[t] = quantised(wmma::round(o));
  }

#pragma unroll
  for (u32 p = 0; p < planes; p++) {
    const Pair w = tape.take(2 * planes + p, pairs);
#pragma unroll
    for (u32 t = 0; t < 2; t++) sums.part[p][t] = mma(w.tile[t], out, sums.part[p][t]);
  }
}

}  // namespace rrlite
