// dltss_pwin_enc1_layer: 64 channels, attention by position, merged to 64.
#include "layer.h"

constexpr k::Layer kEnc1 = {
    .attention = k::Attention::position, .channels = 64, .heads = 2, .merged = 64};
static_assert(k::Weights<kEnc1>::merge == 115712 && k::Weights<kEnc1>::merge_bias == 148480 &&
              k::Weights<kEnc1>::end == 148608);

using Template = k::LayerTemplate<kEnc1>;
K_LAYER(dltss_pwin_enc1_layer, Template, 40)
