// dltss_pwin_enc4_layer: 128 channels, learned attention, merged to 160.
#include "wide.h"

constexpr k::Layer kEnc4 = {
    .attention = k::Attention::learned, .channels = 128, .heads = 4, .merged = 160, .groups = 4};
static_assert(k::Weights<kEnc4>::merge == 428032 && k::Weights<kEnc4>::merge_bias == 624640 &&
              k::Weights<kEnc4>::end == 625024);

using Template = k::WideTemplate<kEnc4>;
K_LAYER(dltss_pwin_enc4_layer, Template, 160)
