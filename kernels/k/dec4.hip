// dltss_pwin_dec4_layer: expands 160 channels to 128, learned attention.
#include "wide.h"

constexpr k::Layer kDec4 = {
    .attention = k::Attention::learned, .channels = 128, .heads = 4, .low = 160, .groups = 4};
static_assert(k::Weights<kDec4>::expand_bias == 163840 && k::Weights<kDec4>::core == 164864 &&
              k::Weights<kDec4>::end == 592896);

using Template = k::WideTemplate<kDec4>;
K_LAYER(dltss_pwin_dec4_layer, Template, 152)
