// What a kernel file exports: kernel, prep kernel and hook values.
#pragma once

#include "hook.h"
#include "prep.h"
#include "window.h"

// Defines kernel NAME, its prep kernel and hook values for a layer in its
// template. The image is one per object: the bridge prepares again when the
// weights' address changes.
#define K_LAYER(NAME, TEMPLATE, BLOCKS)                                                     \
  static_assert(k::Image<TEMPLATE::layer>::prep_blocks == BLOCKS);                          \
  KMX_HOOK(prep_blocks, BLOCKS)                                                             \
  KMX_HOOK(prep_key_offset, __builtin_offsetof(k::Params, weights))                         \
  KMX_HOOK(block_z, TEMPLATE::waves)                                                        \
  KMX_IMAGE u8 image[k::Image<TEMPLATE::layer>::bytes];                                     \
  KMX_KERNEL(KMX_PREP_THREADS) NAME##_prep(k::Params p) {                                   \
    k::prepare<TEMPLATE::layer>((ConstBytes)p.weights, (GlobalBytes)image,                  \
                      KMX_PREP_THREADS * group_x() + thread_id());                          \
  }                                                                                         \
  KMX_KERNEL(32 * TEMPLATE::waves) NAME(k::Params p) {                                      \
    KMX_LDS u8 lds[TEMPLATE::lds_bytes];                                                    \
    TEMPLATE::run(p, kept((ConstBytes)(GlobalBytes)image), (LocalBytes)lds);                \
  }
