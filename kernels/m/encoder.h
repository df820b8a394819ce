// An encoder layer: the block, both outputs.
#pragma once

#include "block.h"
#include "merge.h"

namespace rrlite {

// LDS: the board, later the quads' rows.
template <Layer L>
struct EncoderLds {
  static constexpr u32 kBytes = Board<L>::kBytes > QuadRows<L>::kBytes ? Board<L>::kBytes : QuadRows<L>::kBytes;
  // When a wave writes its rows, others may still read the last round's inputs.
  static_assert(!Board<L>::kUsed || (L.chunks() / L.team() % 2 == 0 && QuadRows<L>::kBytes <= Board<L>::kOddAt));
};

template <Layer L>
KMX_DEVICE void encoder(const Params& par, ConstBytes image, LocalBytes lds) {
  static_assert(L.merged % 32 == 0 && image_of(L).merges <= L.waves(), "a wave merges once");
  const Board<L> board{lds, seat<L>()};
  const Place place = token_place(corner(par.shift_x, par.shift_y), board.seat.window, token());
  const Share<L> x = load_token<L>((ConstBytes)par.in, place, par.width, par.height, board.seat.member);
  Tape<L> tape(first_head<L>(image, board.seat));
  const Share<L> y = swin_block<L>(x, tape, image, board, merge_section<L>(image));

  put_share<L>(lds, y, board.seat);
  store_share<L>(par, y, place, board.seat.member);
  barrier_lds();
  tape.enter(image);
  if (merges<L>()) merge<L>(par, lds, tape, image);
}

}  // namespace rrlite
