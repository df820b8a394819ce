// dltss_pwin_enc2_layer: 64 channels, learned attention, merged to 96.
#include "layer.h"

constexpr k::Layer kEnc2 = {
    .attention = k::Attention::learned, .channels = 64, .heads = 2, .merged = 96};
static_assert(k::Weights<kEnc2>::merge == 115712 && k::Weights<kEnc2>::merge_bias == 164864 &&
              k::Weights<kEnc2>::end == 165056);

using Template = k::LayerTemplate<kEnc2>;
K_LAYER(dltss_pwin_enc2_layer, Template, 44)
