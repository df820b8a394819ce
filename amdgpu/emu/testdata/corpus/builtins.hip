// Instructions that only builtins reach, and the transcendental ones. These are
// correctly rounded in the emulator, so the host's f64 functions, rounded, are
// the expected results.
#include "corpus.h"

typedef f16 h2 __attribute__((ext_vector_type(2)));

FN f32 real(const u32 *in, u32 at) { return as<f32>(in[at]); }
FN f16 half(const u32 *in, u32 at) { return (f16)as<f32>(in[at]); }

#ifdef __AMDGCN__
#define BOTH(device, host) (device)
#else
#define BOTH(device, host) (host)
#endif

PER_THREAD(transcendental_f32) {
  const f32 a = real(in, kFloats + tid), p = __builtin_fabsf(a);
  out += kPerThread * tid;
  put(out, bits(BOTH(__builtin_amdgcn_rcpf(a), (f32)(1.0 / a))));
  put(out, bits(BOTH(__builtin_amdgcn_rsqf(p), (f32)(1.0 / sqrt(p)))));
  put(out, bits(BOTH(__builtin_amdgcn_sqrtf(p), (f32)sqrt(p))));
  put(out, bits(BOTH(__builtin_amdgcn_exp2f(a), (f32)exp2(a))));
  put(out, bits(BOTH(__builtin_amdgcn_logf(p), (f32)log2(p))));
  put(out, bits(BOTH(__builtin_amdgcn_fractf(a), (f32)(a - floor(a)))));
  put(out, bits(BOTH(__builtin_amdgcn_sinf(0.25f), 1.0f)));
  put(out, bits(BOTH(__builtin_amdgcn_cosf(0.5f), -1.0f)));
  put(out, bits(BOTH(__builtin_amdgcn_rsqf(as<f32>(0x7f800000u)), 0.0f)));
  put(out, bits(BOTH(__builtin_amdgcn_logf(0.0f), as<f32>(0xff800000u))));
}

PER_THREAD(transcendental_f16) {
  const f16 a = half(in, kFloats + tid);
  const f16 p = a < 0 ? (f16)-a : a;
  out += kPerThread * tid;
  put(out, bits(BOTH((f16)__builtin_amdgcn_rcph(a), to_f16(1.0 / (f64)(f32)a))));
  put(out, bits(BOTH((f16)__builtin_amdgcn_rsqh(p), to_f16(1.0 / sqrt((f32)p)))));
  put(out, bits(BOTH((f16)__builtin_amdgcn_sqrth(p), to_f16(sqrt((f32)p)))));
  put(out, bits(BOTH((f16)__builtin_amdgcn_exp2f((f32)a), to_f16((f32)exp2((f32)a)))));
  put(out, bits(BOTH((f16)__builtin_amdgcn_rsqf((f32)p), to_f16((f32)(1.0 / sqrt((f32)p))))));
  put(out, bits(BOTH((f16)__builtin_amdgcn_fracth(a), to_f16((f32)a - floor((f32)a)))));
}

PER_THREAD(parts) {
  const f32 a = real(in, kFloats + tid);
  const f64 w = wide(in, tid);
  const i32 n = (i32)(in[kIntegers + tid] % 300) - 150;
  int e, ew;
  const f32 m = BOTH(__builtin_amdgcn_frexp_mantf(a), __builtin_frexpf(a, &e));
  const f64 mw = BOTH(__builtin_amdgcn_frexp_mant(w), __builtin_frexp(w, &ew));
#ifdef __AMDGCN__
  e = __builtin_amdgcn_frexp_expf(a), ew = __builtin_amdgcn_frexp_exp(w);
#endif
  out += kPerThread * tid;
  put(out, bits(m));
  put(out, (u32)e);
  put(out, bits(mw));
  put(out, (u32)ew);
  put(out, bits(BOTH(__builtin_amdgcn_ldexpf(a, n), (f32)ldexp(a, n))));
  put(out, bits(BOTH(__builtin_amdgcn_ldexp(w, n), ldexp(w, n))));
}

FN f32 middle(f32 a, f32 b, f32 c) {
  const f32 lo = a < b ? a : b, hi = a < b ? b : a;
  return c < lo ? lo : c > hi ? hi : c;
}

PER_THREAD(medians) {
  const f32 a = real(in, kFloats + tid), b = real(in, kFloats + 200 + tid), c = real(in, kFloats + 400 + tid);
  out += kPerThread * tid;
  put(out, bits(BOTH(__builtin_amdgcn_fmed3f(a, b, c), middle(a, b, c))));
  put(out, bits(BOTH((f16)__builtin_amdgcn_fmed3h((f16)a, (f16)b, (f16)c), (f16)middle((f16)a, (f16)b, (f16)c))));
  put(out, (u32)BOTH(__builtin_amdgcn_classf(a, 0x108), 1));  // normal, either sign
  put(out, (u32)BOTH(__builtin_amdgcn_classf(as<f32>(in[kEdges + tid]), 0x003), __builtin_isnan(as<f32>(in[kEdges + tid]))));
}

FN u32 truncated(f32 x) {  // to f16, towards zero
  const f16 h = (f16)x;
  u16 b = as<u16>(h);
  if (__builtin_fabsf((f32)h) > __builtin_fabsf(x)) b--;
  return b;
}

PER_THREAD(packing) {
  const f32 a = real(in, kFloats + tid), b = real(in, kFloats + 100 + tid);
  out += kPerThread * tid;
  put(out, BOTH(as<u32>(__builtin_amdgcn_cvt_pkrtz(a, b)), truncated(a) | truncated(b) << 16));
  const u32 x = in[kIntegers + tid], y = in[kIntegers + 100 + tid], z = in[kSmall + tid];
  u32 sad = z, dot = z, lerp = 0;
  i32 mixed = (i32)z;
  for (u32 i = 0; i < 32; i += 8) {
    const i32 p = x >> i & 255, q = y >> i & 255;
    sad += (u32)(p > q ? p - q : q - p);
    dot += (u32)(p * q);
    mixed += (i8)p * q;
    lerp |= ((u32)(p + q + (z >> i & 1)) >> 1) << i;
  }
  put(out, BOTH(__builtin_amdgcn_sad_u8(x, y, z), sad));
  put(out, BOTH(__builtin_amdgcn_udot4(x, y, z, false), dot));
  put(out, (u32)BOTH(__builtin_amdgcn_sudot4(true, (i32)x, false, (i32)y, (i32)z, false), mixed));
  put(out, BOTH(__builtin_amdgcn_lerp(x, y, z), lerp));
  put(out, BOTH(__builtin_amdgcn_ubfe(x, 5, 11), x >> 5 & 0x7ff));
  put(out, (u32)BOTH(__builtin_amdgcn_sbfe((i32)x, 9, 13), (i32)(x << 10) >> 19));
  // Small integers, whose products and sums are exact.
  const h2 u = {(f16)(i32)(x & 31), (f16)((i32)(x >> 8 & 31) - 16)}, v = {(f16)(i32)(y & 31), (f16)(i32)(y >> 8 & 31)};
  const f32 s = (f32)(z & 0xff);
  put(out, bits(BOTH(__builtin_amdgcn_fdot2(u, v, s, false), (f32)u.x * (f32)v.x + (f32)u.y * (f32)v.y + s)));
}

// Two words of the implicit arguments: the size of the work-group.
#ifdef __AMDGCN__
DEVICE_KERNEL(group_size_b32) {
  const u32 t = group_x() * 32 + thread_x();
  out[4 * t] = __builtin_amdgcn_workgroup_size_x();
  out[4 * t + 1] = __builtin_amdgcn_workgroup_size_y() + 2 * __builtin_amdgcn_workgroup_size_z();
  out[4 * t + 2] = __builtin_amdgcn_workgroup_id_y() + __builtin_amdgcn_workgroup_id_z() + __builtin_amdgcn_workitem_id_y();
}
#else
HOST_RESULT(group_size_b32) {
  for (u32 t = 0; t < kGroups * lanes; t++) out[4 * t] = lanes, out[4 * t + 1] = 3, out[4 * t + 2] = 0;
}
#endif
