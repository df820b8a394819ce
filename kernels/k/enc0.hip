// dltss_pwin_enc0_layer: embeds 16 channels in 32, attention by position, merged to 64.
#include "position.h"

constexpr k::Layer kEnc0 = {
    .attention = k::Attention::position, .channels = 32, .heads = 2, .merged = 64, .embed = 16};
static_assert(k::Weights<kEnc0>::core == 1088 && k::Weights<kEnc0>::merge_bias == 1088 + 66048 &&
              k::Weights<kEnc0>::end == 67264);

using Template = k::PositionTemplate<kEnc0>;
K_LAYER(dltss_pwin_enc0_layer, Template, 21)
