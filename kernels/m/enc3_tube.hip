// rrlite_enc3_tube_4x4: the middle of the M network, 128 channels, run six times.
#include "tube.h"
#include "hook.h"
#include "prep.h"

using namespace rrlite;

namespace {
constexpr Layer kLayer = kTube;
KMX_IMAGE u8 g_image[image_of(kLayer).bytes];
}

KMX_KERNEL(KMX_PREP_THREADS) rrlite_enc3_tube_4x4_prep(TubeParams par) {
  prepare<kLayer>((GlobalBytes)g_image, par.weights);
}

KMX_KERNEL(32 * kLayer.waves()) rrlite_enc3_tube_4x4(TubeParams par) {
  KMX_LDS u8 lds[TubeLds<kLayer>::kBytes];
  tube<kLayer>(par, kept((ConstBytes)g_image), (LocalBytes)lds);
}

KMX_HOOK(prep_blocks, prep_blocks(kLayer))
KMX_HOOK(prep_key_at, kPrepAlways)
KMX_HOOK(prep_key_slots, 0)
KMX_HOOK(prep_identity_at, 0)
KMX_HOOK(block_z, kLayer.waves())
KMX_HOOK(grid_x, 0)
