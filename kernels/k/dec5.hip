// dltss_pwin_dec5_layer: 160 channels, learned attention, at one resolution.
#include "wide.h"

constexpr k::Layer kDec5 = {
    .attention = k::Attention::learned, .channels = 160, .heads = 8, .groups = 4};
static_assert(k::Weights<kDec5>::b1 == 599296 && k::Weights<kDec5>::w2 == 600576 &&
              k::Weights<kDec5>::end == 805376);

using Template = k::WideTemplate<kDec5>;
K_LAYER(dltss_pwin_dec5_layer, Template, 212)
