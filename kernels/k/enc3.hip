// dltss_pwin_enc3_layer: 96 channels, learned attention, merged to 128.
#include "wide.h"

constexpr k::Layer kEnc3 = {
    .attention = k::Attention::learned, .channels = 96, .heads = 4, .merged = 128, .groups = 2};
static_assert(k::Weights<kEnc3>::merge == 280064 && k::Weights<kEnc3>::merge_bias == 378368 &&
              k::Weights<kEnc3>::end == 378624);

using Template = k::WideTemplate<kEnc3>;
K_LAYER(dltss_pwin_enc3_layer, Template, 100)
