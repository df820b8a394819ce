// The layer in the middle. Its launches may overlap: a block waits until the
// blocks of the launch before it, whose tokens it reads, have raised their flags,
// and raises its own.
#pragma once

#include "block.h"
#include "flags.h"

namespace rrlite {

constexpr u32 kFlagStride = 32;
constexpr u32 kPatience = 1u << 22;  // rounds of polling, after which a block goes on regardless

// Waits for the 2x2 blocks that this one reads from, those inside the bounds.
KMX_DEVICE void wait_for_neighbours(const TubeParams& par) {
  if (par.in_flags == nullptr) return;
  const u32 lane = lane_id();
  const i32 x = (i32)(group_x() + lane % 2) + par.neighbour_x, y = (i32)(group_y() + lane / 2) + par.neighbour_y;
  if (wave_id() == 0 && lane < 4 && x >= 0 && x < par.bound_x && y >= 0 && y < par.bound_y) {
    const GlobalBytes flag = par.in_flags + kFlagStride * (u32)(y * par.bound_x + x);
#pragma unroll 1
    for (u32 n = 0; n < kPatience && !raised(flag); n++) pause();
  }
  barrier_acquire();
}

// Tells that what this block has written can be read.
KMX_DEVICE void report(const TubeParams& par) {
  if (par.out_flags == nullptr) return;
  barrier_release();
  if (wave_id() == 0 && lane_id() == 0) raise(par.out_flags + kFlagStride * (group_y() * groups_x() + group_x()));
}

template <Layer L>
struct TubeLds {
  static constexpr u32 kBytes = Board<L>::kUsed ? Board<L>::kBytes : 1;
};

template <Layer L>
KMX_DEVICE void tube(const TubeParams& par, ConstBytes image, LocalBytes lds) {
  const Board<L> board{lds, seat<L>()};
  const ConstBytes head = first_head<L>(image, board.seat);
  Tape<L> tape(head);
  wait_for_neighbours(par);
  const Place place = token_place(corner(par.shift_x, par.shift_y), board.seat.window, token());
  const Share<L> x = load_token<L>(par.in, place, par.width, par.height, board.seat.member);
  const Share<L> y = swin_block<L>(x, tape, image, board, head);
  store_share<L>(par, y, place, board.seat.member);
  report(par);
}

}  // namespace rrlite
