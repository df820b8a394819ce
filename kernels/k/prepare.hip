// k_prepare: the weights of enc2, prepared into the memory at out. It joins no
// release: it is the part of a K object that runs in waves of any size.
#include "prep.h"
#include "window.h"

constexpr k::Layer kEnc2 = {
    .attention = k::Attention::learned, .channels = 64, .heads = 2, .merged = 96};

KMX_KERNEL(KMX_PREP_THREADS) k_prepare(k::Params p) {
  k::prepare<kEnc2>((ConstBytes)p.weights, (GlobalBytes)p.out, KMX_PREP_THREADS * group_x() + thread_id());
}
