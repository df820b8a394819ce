// What the lanes of a wave exchange. The host sides follow the documented
// meaning of each operation; WAVE is the number of lanes of a wave.
#include "corpus.h"

// One result of each lane: out[128*n + tid]. On the host, `v` holds the values
// of the lanes of one wave.
#ifdef __AMDGCN__
#define ROW(n) out[128 * (n) + group_x() * 64 + thread_x()]
#else
#define WAVES for (u32 w = 0; w < kGroups * lanes; w += WAVE)
#define LANES for (u32 l = 0; l < WAVE; l++)
#define ROW(n) out[128 * (n) + w + l]
#endif

#ifdef __AMDGCN__
DEVICE_KERNEL(votes) {
  const u32 x = in[kIntegers + group_x() * 64 + thread_x()];
#if __AMDGCN_WAVEFRONT_SIZE == 64
  const u64 odd = __builtin_amdgcn_ballot_w64(x & 1);
#else
  const u64 odd = __builtin_amdgcn_ballot_w32(x & 1);
#endif
  ROW(0) = (u32)odd;
  ROW(1) = (u32)(odd >> 32);
  ROW(2) = __builtin_amdgcn_readfirstlane(x);
  ROW(3) = __builtin_amdgcn_readlane(x, 13);
  ROW(4) = lane_id();
  ROW(5) = __builtin_amdgcn_mbcnt_hi((u32)(odd >> 32), __builtin_amdgcn_mbcnt_lo((u32)odd, 100));
  u32 first = 0;
  if (x & 2) first = __builtin_amdgcn_readfirstlane(x);
  ROW(6) = first;
}
#else
HOST_RESULT(votes) {
  WAVES {
    u64 odd = 0;
    LANES odd |= (u64)(in[w + l] & 1) << l;
    u32 second = 0, before = 0;
    for (u32 l = WAVE; l-- > 0;)
      if (in[w + l] & 2) second = in[w + l];
    LANES {
      const u32 x = in[w + l];
      ROW(0) = (u32)odd, ROW(1) = (u32)(odd >> 32), ROW(2) = in[w], ROW(3) = in[w + 13], ROW(4) = l;
      ROW(5) = 100 + before, ROW(6) = x & 2 ? second : 0;
      before += x & 1;
    }
  }
}
#endif

#ifdef __AMDGCN__
#define DPP(old, x, ctrl, rows, banks, zero) (u32) __builtin_amdgcn_update_dpp((int)(old), (int)(x), ctrl, rows, banks, zero)
#endif

#ifdef __AMDGCN__
DEVICE_KERNEL(dpp) {
  const u32 x = in[kIntegers + group_x() * 64 + thread_x()], old = x ^ 0xffff;
  ROW(0) = DPP(old, x, 0x1b, 0xf, 0xf, true);    // quad_perm 3,2,1,0
  ROW(1) = DPP(old, x, 0x39, 0xf, 0xf, false);   // quad_perm 1,2,3,0
  ROW(2) = DPP(old, x, 0x101, 0xf, 0xf, true);   // row_shl 1
  ROW(3) = DPP(old, x, 0x103, 0xf, 0xf, false);  // row_shl 3
  ROW(4) = DPP(old, x, 0x111, 0xf, 0xf, true);   // row_shr 1
  ROW(5) = DPP(old, x, 0x114, 0xf, 0xf, false);  // row_shr 4
  ROW(6) = DPP(old, x, 0x125, 0xf, 0xf, true);   // row_ror 5
  ROW(7) = DPP(old, x, 0x140, 0xf, 0xf, true);   // row_mirror
  ROW(8) = DPP(old, x, 0x141, 0xf, 0xf, true);   // row_half_mirror
  ROW(9) = DPP(old, x, 0x156, 0xf, 0xf, true);   // row_share 6
  ROW(10) = DPP(old, x, 0x163, 0xf, 0xf, true);  // row_xmask 3
  ROW(11) = DPP(old, x, 0x140, 0x5, 0xf, false); // rows 0 and 2 only
  ROW(12) = DPP(old, x, 0x140, 0xf, 0x6, false); // banks 1 and 2 only
  ROW(13) = DPP(0, x, 0x141, 0xf, 0xf, true) + x;
  ROW(14) = (u32)__builtin_amdgcn_mov_dpp8((int)x, 0 | 7 << 3 | 1 << 6 | 6 << 9 | 2 << 12 | 5 << 15 | 3 << 18 | 4 << 21);
  ROW(15) = DPP(old, x, 0x16f, 0xf, 0xf, false);
}
#else
HOST_RESULT(dpp) {
  static const u32 dpp8[8] = {0, 7, 1, 6, 2, 5, 3, 4};
  WAVES {
    const u32 *v = in + w;
    LANES {
      const u32 old = v[l] ^ 0xffff, row = l & ~15u, r = l & 15, quad = l & ~3u;
      ROW(0) = v[quad + 3 - (l & 3)];
      ROW(1) = v[quad + ((l + 1) & 3)];
      ROW(2) = r + 1 < 16 ? v[l + 1] : 0;
      ROW(3) = r + 3 < 16 ? v[l + 3] : old;
      ROW(4) = r >= 1 ? v[l - 1] : 0;
      ROW(5) = r >= 4 ? v[l - 4] : old;
      ROW(6) = v[row + ((r + 16 - 5) & 15)];
      ROW(7) = v[row + 15 - r];
      ROW(8) = v[(l & ~7u) + 7 - (l & 7)];
      ROW(9) = v[row + 6];
      ROW(10) = v[l ^ 3];
      ROW(11) = l / 16 % 2 == 0 ? v[row + 15 - r] : old;
      ROW(12) = r / 4 == 1 || r / 4 == 2 ? v[row + 15 - r] : old;
      ROW(13) = v[(l & ~7u) + 7 - (l & 7)] + v[l];
      ROW(14) = v[(l & ~7u) + dpp8[l & 7]];
      ROW(15) = v[l ^ 15];
    }
  }
}
#endif

#ifdef __AMDGCN__
DEVICE_KERNEL(shuffles) {
  const u32 x = in[kIntegers + group_x() * 64 + thread_x()], l = lane_id();
  ROW(0) = (u32)__builtin_amdgcn_ds_bpermute((int)(4 * ((l * 5 + 3) % WAVE)), (int)x);
  ROW(1) = (u32)__builtin_amdgcn_ds_permute((int)(4 * ((l + 9) % WAVE)), (int)x);
  ROW(2) = (u32)__builtin_amdgcn_ds_swizzle((int)x, 0x1f | 0x10 << 10);  // xor 16
  ROW(3) = (u32)__builtin_amdgcn_ds_swizzle((int)x, 0x18 | 0x02 << 5 | 0x05 << 10);
  ROW(4) = (u32)__builtin_amdgcn_ds_swizzle((int)x, 0x8000 | 0x4e);  // quad 2,3,0,1
  ROW(5) = __builtin_amdgcn_permlanex16(x, x, 0x76543210u, 0xfedcba98u, false, false);
  ROW(6) = __builtin_amdgcn_permlane16(x, x, 0x01234567u, 0x89abcdefu, false, false);
  ROW(7) = __builtin_amdgcn_permlanex16(x, x, 0xfedcba98u, 0x00112233u, false, false);
  ROW(8) = __builtin_amdgcn_perm(x, ~x, 0x07020c01u);
  ROW(9) = __builtin_amdgcn_alignbyte(x, ~x, 3);
  ROW(10) = __builtin_amdgcn_alignbit(x, ~x, 11);
  ROW(11) = (u32)__builtin_amdgcn_ds_bpermute((int)(4 * l + 4 * WAVE + 2), (int)x);  // wraps, whole lanes
}
#else
HOST_RESULT(shuffles) {
  static const u32 keys[8] = {0x0, 0x0, 0x1, 0x1, 0x2, 0x2, 0x3, 0x3};
  WAVES {
    const u32 *v = in + w;
    // in wave64 these stay in half a wave (RDNA3 manual, DS_BPERMUTE_B32)
    LANES ROW(0) = v[(l & 32) | (l * 5 + 3) % 32];
    LANES out[128 * 1 + w + ((l & 32) | (l + 9) % 32)] = v[l];
    LANES {
      const u32 r = l & 15, other = (l & ~31u) + ((l & 16) ^ 16);
      ROW(2) = v[l ^ 16];
      ROW(3) = v[(l & ~31u) | ((((l & 31) & 0x18) | 0x02) ^ 0x05)];
      ROW(4) = v[l ^ 2];
      ROW(5) = v[other + r];
      ROW(6) = v[(l & ~15u) + (r < 8 ? 7 - r : 15 - (r - 8))];
      ROW(7) = v[other + (r < 8 ? 8 + r : 3 - keys[r - 8])];
      const u64 two = (u64)v[l] << 32 | (u32)~v[l];
      ROW(8) = (u32)(two >> 56 & 0xff) << 24 | (u32)(two >> 16 & 0xff) << 16 | (u32)(two >> 8 & 0xff);
      ROW(9) = (u32)(two >> 24), ROW(10) = (u32)(two >> 11), ROW(11) = v[l];
    }
  }
}
#endif

// Reductions over a wave, the way code does them.
#ifdef __AMDGCN__
DEVICE_KERNEL(wave_sums) {
  u32 x = in[kSmall + group_x() * 64 + thread_x()];
  for (int mask = 1; mask < 32; mask *= 2) x += (u32)__builtin_amdgcn_ds_bpermute((int)(4 * (lane_id() ^ mask)), (int)x);
  ROW(0) = x;
  f32 f = as<f32>(in[kFloats + group_x() * 64 + thread_x()]);
  f += as<f32>(DPP(0, as<u32>(f), 0xb1, 0xf, 0xf, true));
  f += as<f32>(DPP(0, as<u32>(f), 0x4e, 0xf, 0xf, true));
  f += as<f32>(DPP(0, as<u32>(f), 0x141, 0xf, 0xf, true));
  ROW(1) = bits(f);
}
#else
HOST_RESULT(wave_sums) {
  WAVES {
    for (u32 half = 0; half < WAVE; half += 32) {
      u32 sum = 0;
      for (u32 i = 0; i < 32; i++) sum += in[kSmall + w + half + i];
      for (u32 i = 0; i < 32; i++) out[w + half + i] = sum;
    }
    LANES {
      const u32 at = kFloats + w + (l & ~7u);
      f32 pair[4], quad[2];
      for (u32 i = 0; i < 4; i++) pair[i] = as<f32>(in[at + 2 * i]) + as<f32>(in[at + 2 * i + 1]);
      for (u32 i = 0; i < 2; i++) quad[i] = pair[2 * i] + pair[2 * i + 1];
      ROW(1) = bits(quad[0] + quad[1]);
    }
  }
}
#endif
