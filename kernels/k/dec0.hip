// dltss_pwin_dec0_layer: expands 64 channels to 32, attention by position, 40 channels of output.
#include "position.h"

constexpr k::Layer kDec0 = {
    .attention = k::Attention::position, .channels = 32, .heads = 2, .low = 64, .head = 48, .stored = 40};
static_assert(k::Weights<kDec0>::expand_bias == 16384 && k::Weights<kDec0>::core == 16640 &&
              k::Weights<kDec0>::end == 69472);

using Template = k::PositionTemplate<kDec0>;
K_LAYER(dltss_pwin_dec0_layer, Template, 21)
