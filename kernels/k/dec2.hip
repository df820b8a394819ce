// dltss_pwin_dec2_layer: expands 96 channels to 64, learned attention.
#include "layer.h"

constexpr k::Layer kDec2 = {
    .attention = k::Attention::learned, .channels = 64, .heads = 2, .low = 96};
static_assert(k::Weights<kDec2>::expand_bias == 49152 && k::Weights<kDec2>::core == 49664 &&
              k::Weights<kDec2>::end == 165376);

using Template = k::LayerTemplate<kDec2>;
K_LAYER(dltss_pwin_dec2_layer, Template, 44)
