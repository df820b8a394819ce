// dltss_pwin_dec1_layer: expands 64 channels to 64, learned attention.
#include "layer.h"

constexpr k::Layer kDec1 = {
    .attention = k::Attention::learned, .channels = 64, .heads = 2, .low = 64};
static_assert(k::Weights<kDec1>::expand_bias == 32768 && k::Weights<kDec1>::core == 33280 &&
              k::Weights<kDec1>::end == 148992);

using Template = k::LayerTemplate<kDec1>;
K_LAYER(dltss_pwin_dec1_layer, Template, 40)
