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

#include "board.h"
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

// The sum over 16 keys: key with key + 8, then with + 2, + 4, + 1.
KMX_DEVICE f16 sum_keys(Eight e) {
#ifdef SWIN_KEYS_IN_ORDER
  const f16x2 u0 = e.lo.lo + swap_halves(e.lo.lo), u1 = e.lo.hi + swap_halves(e.lo.hi);
  const f16x2 u2 = e.hi.lo + swap_halves(e.hi.lo), u3 = e.hi.hi + swap_halves(e.hi.hi);
  const f16x2 pair = (u0 + u1) + (u2 + u3);
#else
  const f16x2 u = (e.lo.lo + e.lo.hi) + (e.hi.lo + e.hi.hi);
  const f16x2 pair = u + swap_halves(u);
#endif
  return (f16)(pair[0] + pair[1]);
}

// Probabilities of this lane's keys.
KMX_DEVICE Eight softmax(Eight scores) {
  const Eight e = exponential(scores);
  return e * rcp16(sum_keys(e));
}

// The output of one head, from the first pairs of its section. `bias` is this
// lane's part of the position bias.
template <Layer L>
KMX_DEVICE void attend(Eight (&out)[2], const typename Board<L>::Channels& h, Tape<L>& tape, Eight bias) {
  constexpr u32 planes = L.planes(), tiles = 2 * image_of(L).head_pairs;

  Chain q[1][2] = {};
  multiply<planes>(q, tape, {0, tiles}, h);
  const Step qs = {quantised(finish(q[0][0])), quantised(finish(q[0][1]))};
  const wmma::Operand prob = wmma::join(softmax(finish(mma(qs, qs, start(bias)))));

  Chain v[1][2] = {};
  multiply<planes, kOutputsInLanes>(v, tape, {2 * planes, tiles}, h);
#pragma unroll
  for (u32 t = 0; t < 2; t++)
    out[t] = wmma::round(wmma::mma_f16(wmma::join(finish(v[0][t])), prob, wmma::Accum{}));
}

template <Layer L>
inline constexpr u32 kHeadRounds = L.heads / L.team();

// All heads: sums += attention(h) times the output projection. The tape stands
// before the first one; `after` is what follows.
template <Layer L>
KMX_DEVICE void attention(Sums<L>& sums, const typename Board<L>::Channels& h, Tape<L>& tape, ConstBytes image,
                          const Board<L>& board, ConstBytes after) {
  constexpr Image m = image_of(L);
  constexpr u32 team = L.team(), rounds = kHeadRounds<L>;
#pragma unroll kHeadsAtOnce<L>
  for (u32 round = 0; round < rounds; round++) {
    const u32 head = round * team + board.seat.member;
    const Eight bias = wmma::load_run(image + m.position + head * kPositionBytes, 32 * wmma::index());
    tape.enter(round == rounds - 1 ? after : pair_at(image, (head + team) * m.head_pairs));
    Eight out[2];
    attend<L>(out, h, tape, bias);
    multiply<team>(sums.part, tape, {4 * L.planes(), 2 * m.head_pairs}, board.exchange(round, out));
  }
}

}  // namespace rrlite
