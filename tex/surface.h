// A surface: the object that a CUsurfObject points to, and writing texels to it.
//
//   dword 0..7   image descriptor of the GPU
//         8, 9   channel type and order, in HSA's numbers (hsa_ext_image.h)
//           20   CUDA's format word (CUarray_format)
//           21   redirect: tag << 16 | bytes of a row / 8
//        22, 23  redirect: address
//
// A redirected surface has its texels in plain memory, rows one after the other.
// The tag says what a texel is there; other values are no redirect. Its size is
// the image's, and no row is longer than the redirect says.
#pragma once

#include "types.h"

namespace tex {

enum Type : u32 {
  kSnorm8, kSnorm16, kUnorm8, kUnorm16,
  kSint8 = 8, kSint16, kSint32, kUint8, kUint16, kUint32, kHalf, kFloat
};
enum Order : u32 { kR = 1, kRG = 3, kRGBA = 8 };

enum Tag : u32 {
  kRgba16f = 0x5232,  // four halves
  // Four bytes, 10:10:10:2. Its number is an assumption.
#ifdef D4R_TEX_PACKED_TAG
  kPacked = D4R_TEX_PACKED_TAG
#else
  kPacked = 0x5233
#endif
};

// Writes a texel, one f32 or integer for each channel. What lies outside of the
// image is dropped. clang 19 has no builtin for it.
extern "C" __attribute__((device)) void kmx_image_store(f32x4 texel, i32 channels, i32 x, i32 y, u32x8 image, i32 fail,
                                                        i32 cache) __asm("llvm.amdgcn.image.store.2d.v4f32.i32");

struct Surface {
  ConstBytes object;

  KMX_DEVICE explicit Surface(u64 handle) : object((ConstBytes)handle) {}

  KMX_DEVICE u32 word(u32 i) const { return load<u32>(object, 4 * i); }
  KMX_DEVICE u32 type() const { return word(8); }
  KMX_DEVICE u32 order() const { return word(9); }
  KMX_DEVICE u32 format() const { return word(20); }

  // The image's size in texels.
  KMX_DEVICE u32 width() const {
#if defined(__GFX12__)
    return (word(1) >> 30 | (word(2) & 0x3fff) << 2) + 1;
#else
    return (word(1) >> 30 | (word(2) & 0x0fff) << 2) + 1;
#endif
  }
  KMX_DEVICE u32 height() const {
#if defined(__GFX12__)
    return (word(2) >> 14 & 0xffff) + 1;
#else
    return (word(2) >> 14 & 0x3fff) + 1;
#endif
  }

  KMX_DEVICE void store(i32 x, i32 y, u32x4 texel) const {
    if (x >= 0) kmx_image_store(bits<f32x4>(texel), 15, x, y, load<u32x8>(object, 0), 0, 0);
  }
};

// Where a redirected surface has its texels.
struct Redirect {
  u32 tag, pitch, height;
  GlobalBytes base;

  KMX_DEVICE explicit Redirect(const Surface& s)
      : tag(s.word(21) >> 16), pitch(8 * (s.word(21) & 0xffff)), height(s.height()),
        base((GlobalBytes)(u64)load<u64>(s.object, 88)) {}

  KMX_DEVICE bool is(Tag t) const { return tag == t; }
  KMX_DEVICE bool any() const { return is(kRgba16f) || is(kPacked); }

  // Writes T at byte x of row y, if all of it is there.
  template <class T>
  KMX_DEVICE void store(i32 x, i32 y, T v) const {
    if (x >= 0 && (u32)x + sizeof(T) <= pitch && (u32)y < height) ::store(base + (u64)pitch * (u32)y + x, 0, v);
  }
  // Writes T as texel x of row y.
  template <class T>
  KMX_DEVICE void store_texel(const Surface& s, i32 x, i32 y, T v) const {
    if ((u32)x < s.width()) store((i32)sizeof(T) * x, y, v);
  }
};

}  // namespace tex
