// Calls the stores and conversions of tex/stores.hip as translated PTX does.
#include "hook.h"
#include "wave.h"

struct B16 {
  u16 bits;
};
extern "C" {
__attribute__((device)) void d4r_sust_b32(u64 surface, i32 x, i32 y, u32 v);
__attribute__((device)) void d4r_sust_v2b16(u64 surface, i32 x, i32 y, B16 a, B16 b);
__attribute__((device)) void d4r_sust_v4b16(u64 surface, i32 x, i32 y, B16 a, B16 b, B16 c, B16 d);
__attribute__((device)) void d4r_sust_p_v4b32(u64 surface, i32 x, i32 y, u32 a, u32 b, u32 c, u32 d);
__attribute__((device)) u32 d4r_dec_e4m3x2(B16 codes);
__attribute__((device)) B16 d4r_enc_e4m3x2(u32 v);
}

enum Kind : u32 { kB32, kV2b16, kV4b16, kP };

// One store, as a lane does it.
struct Store {
  u64 surface;
  u32 kind;
  i32 x, y;
  u32 v[4];
  u32 unused;
};

static KMX_DEVICE void perform(u64 surface, const Store& s) {
  const auto half = [&](u32 i) { return B16{(u16)(s.v[i / 2] >> 16 * (i % 2))}; };
  if (s.kind == kB32) d4r_sust_b32(surface, s.x, s.y, s.v[0]);
  if (s.kind == kV2b16) d4r_sust_v2b16(surface, s.x, s.y, half(0), half(1));
  if (s.kind == kV4b16) d4r_sust_v4b16(surface, s.x, s.y, half(0), half(1), half(2), half(3));
  if (s.kind == kP) d4r_sust_p_v4b32(surface, s.x, s.y, s.v[0], s.v[1], s.v[2], s.v[3]);
}

struct Params {
  GlobalBytes stores;
  u32 count, unused;
  u64 surface;
};

static KMX_DEVICE Store mine(const Params& p) {
  Store s;
  const u32 at = sizeof(Store) * (64 * group_x() + thread_id());
  const u32x4 a = load<u32x4>(p.stores, at), b = load<u32x4>(p.stores, at + 16);
  s.surface = a[0] | (u64)a[1] << 32, s.kind = a[2], s.x = (i32)a[3], s.y = (i32)b[0];
  s.v[0] = b[1], s.v[1] = b[2], s.v[2] = b[3], s.v[3] = load<u32>(p.stores, at + 32);
  return s;
}

// Every lane stores to a surface of its own choice.
KMX_KERNEL(64) mixed(Params p) {
  if (64 * group_x() + thread_id() >= p.count) return;
  const Store s = mine(p);
  perform(s.surface, s);
}

// All lanes store to one surface.
KMX_KERNEL(64) one(Params p) {
  if (64 * group_x() + thread_id() >= p.count) return;
  perform(p.surface, mine(p));
}

struct CodeParams {
  GlobalBytes decoded, encoded;
};

// Every pair of codes; every half, with another one above it.
KMX_KERNEL(64) codes(CodeParams p) {
  const u32 i = 64 * group_x() + thread_id();
  store(p.decoded, 4 * i, d4r_dec_e4m3x2({(u16)i}));
  store(p.encoded, 2 * i, d4r_enc_e4m3x2(i | (i * 40503 & 0xffff) << 16).bits);
}
