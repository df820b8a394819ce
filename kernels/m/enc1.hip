// rrlite_enc1_4x4: first encoder of the M network, 64 channels, merging to 96.
#include "encoder.h"
#include "hook.h"

using namespace rrlite;

namespace {
constexpr Layer kLayer = kEnc1;
KMX_IMAGE u8 g_image[image_of(kLayer).bytes];
}

KMX_KERNEL(KMX_PREP_THREADS) rrlite_enc1_4x4_prep(Params par) {
  prepare<kLayer>((GlobalBytes)g_image, par.weights);
}

// Five waves a SIMD: 192 registers on the GPUs that have 1024, no bound on others.
__attribute__((amdgpu_waves_per_eu(5))) KMX_KERNEL(32 * kLayer.waves) rrlite_enc1_4x4(Params par) {
  KMX_LDS u8 rows[MergeRows<kLayer>::kBytes];
  encoder<kLayer>(par, kept((ConstBytes)g_image), (LocalBytes)rows);
}

KMX_HOOK(prep_blocks, prep_blocks(kLayer))
KMX_HOOK(prep_key_at, kPrepKeyAt)
KMX_HOOK(block_z, kLayer.waves)
