// A decoder layer: expansion, skip, the block.
#pragma once

#include "block.h"
#include "expand.h"

namespace rrlite {

// LDS: the quads' rows, later the board.
template <Layer L>
struct DecoderLds {
  static constexpr u32 kBytes = Board<L>::kBytes > QuadRows<L>::kBytes ? Board<L>::kBytes : QuadRows<L>::kBytes;
  // The first round, part of the norm, is written while others may still read rows.
  static_assert(!Board<L>::kUsed || QuadRows<L>::kBytes <= Board<L>::kOddAt);
};

template <Layer L>
KMX_DEVICE void decoder(const Params& par, ConstBytes image, LocalBytes lds) {
  const Board<L> board{lds, seat<L>()};
  const ConstBytes head = first_head<L>(image, board.seat);
  Tape<L> tape(expand_section<L>(image));
  expand<L>(par, lds, tape, image, head);

  const Place place = token_place(corner(par.shift_x, par.shift_y), board.seat.window, token());
  const Share<L> skip = load_token<L>((ConstBytes)par.skip, place, par.width, par.height, board.seat.member);
  barrier_lds();
  const Share<L> x = expanded_token<L>(lds, skip, board.seat);
  const Share<L> y = swin_block<L>(x, tape, image, board, head);
  store_share<L>(par, y, place, board.seat.member);
}

}  // namespace rrlite
