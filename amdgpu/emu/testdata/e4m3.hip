// The encoders and decoders of kernels/common/e4m3.h, eight values a lane.
#include "e4m3.h"

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 256))) void
struct Buffers {
  const f16x8 *halves;
  const u32x2 *codes;
  f16x8 *half_results;
  u32x2 *code_results;
};
#define AT (__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x())

KERNEL encode(Buffers b) { b.code_results[AT] = e4m3::encode(b.halves[AT]); }
KERNEL round_trip(Buffers b) { b.half_results[AT] = e4m3::q8(b.halves[AT]); }
KERNEL encode_rounded(Buffers b) { b.code_results[AT] = e4m3::encode(e4m3::q8(b.halves[AT])); }
KERNEL decode(Buffers b) { b.half_results[AT] = e4m3::decode(b.codes[AT]); }
KERNEL recode(Buffers b) { b.code_results[AT] = e4m3::encode(e4m3::decode(b.codes[AT])); }
#ifdef __GFX12__
KERNEL encode_native(Buffers b) { b.code_results[AT] = e4m3::encode_native(b.halves[AT]); }
KERNEL decode_native(Buffers b) { b.half_results[AT] = e4m3::decode_native(b.codes[AT]); }
#endif
