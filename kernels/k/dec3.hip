// dltss_pwin_dec3_layer: expands 128 channels to 96, learned attention.
#include "wide.h"

constexpr k::Layer kDec3 = {
    .attention = k::Attention::learned, .channels = 96, .heads = 4, .low = 128, .groups = 2};
static_assert(k::Weights<kDec3>::expand_bias == 98304 && k::Weights<kDec3>::core == 99072 &&
              k::Weights<kDec3>::end == 379136);

using Template = k::WideTemplate<kDec3>;
K_LAYER(dltss_pwin_dec3_layer, Template, 100)
