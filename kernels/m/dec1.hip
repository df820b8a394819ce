// rrlite_dec1_4x4: first decoder of the M network, expanding 96 channels to 64.
#include "decoder.h"
#include "hook.h"
#include "prep.h"

using namespace rrlite;

namespace {
constexpr Layer kLayer = kDec1;
KMX_IMAGE u8 g_image[image_of(kLayer).bytes];
}

KMX_KERNEL(KMX_PREP_THREADS) rrlite_dec1_4x4_prep(Params par) {
  prepare<kLayer>((GlobalBytes)g_image, par.weights);
}

KMX_KERNEL(32 * kLayer.waves()) rrlite_dec1_4x4(Params par) {
  KMX_LDS u8 lds[DecoderLds<kLayer>::kBytes];
  decoder<kLayer>(par, kept((ConstBytes)g_image), (LocalBytes)lds);
}

KMX_HOOK(prep_blocks, prep_blocks(kLayer))
KMX_HOOK(prep_key_at, kPrepKeyAt)
KMX_HOOK(prep_key_slots, 0)
KMX_HOOK(prep_identity_at, 0)
KMX_HOOK(block_z, kLayer.waves())
KMX_HOOK(grid_x, 0)
