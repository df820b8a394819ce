; Textures. A handle is the address of a descriptor block; a handle of 0 gives
; zeros.

;@
define internal <8 x i32> @ptx.tex.image(i64 %handle) {
  %block = inttoptr i64 %handle to ptr addrspace(4)
  %r = load <8 x i32>, ptr addrspace(4) %block, align 4, !invariant.load !1
  ret <8 x i32> %r
}

;@
define internal <4 x i32> @ptx.tex.sampler(i64 %handle) {
  %block = inttoptr i64 %handle to ptr addrspace(4)
  %at = getelementptr i8, ptr addrspace(4) %block, i64 48
  %r = load <4 x i32>, ptr addrspace(4) %at, align 4, !invariant.load !1
  ret <4 x i32> %r
}

;@
define internal <4 x float> @ptx.tex.base.2d.s32(i64 %handle, i32 %x, i32 %y) {
start:
  %there = icmp ne i64 %handle, 0
  br i1 %there, label %fetch, label %done
fetch:
  %image = call <8 x i32> @ptx.tex.image(i64 %handle)
  %texel = call <4 x float> @llvm.amdgcn.image.load.2d.v4f32.i32(i32 15, i32 %x, i32 %y, <8 x i32> %image, i32 0, i32 0)
  br label %done
done:
  %r = phi <4 x float> [ zeroinitializer, %start ], [ %texel, %fetch ]
  ret <4 x float> %r
}

;@
define internal <4 x float> @ptx.tex.base.2d.f32(i64 %handle, float %x, float %y) {
start:
  %there = icmp ne i64 %handle, 0
  br i1 %there, label %fetch, label %done
fetch:
  %image = call <8 x i32> @ptx.tex.image(i64 %handle)
  %sampler = call <4 x i32> @ptx.tex.sampler(i64 %handle)
  %texel = call <4 x float> @llvm.amdgcn.image.sample.lz.2d.v4f32.f32(i32 15, float %x, float %y, <8 x i32> %image, <4 x i32> %sampler, i1 false, i32 0, i32 0)
  br label %done
done:
  %r = phi <4 x float> [ zeroinitializer, %start ], [ %texel, %fetch ]
  ret <4 x float> %r
}

;@
define internal <4 x float> @ptx.tex.level.2d.f32(i64 %handle, float %x, float %y, float %level) {
start:
  %there = icmp ne i64 %handle, 0
  br i1 %there, label %fetch, label %done
fetch:
  %image = call <8 x i32> @ptx.tex.image(i64 %handle)
  %sampler = call <4 x i32> @ptx.tex.sampler(i64 %handle)
  %texel = call <4 x float> @llvm.amdgcn.image.sample.l.2d.v4f32.f32(i32 15, float %x, float %y, float %level, <8 x i32> %image, <4 x i32> %sampler, i1 false, i32 0, i32 0)
  br label %done
done:
  %r = phi <4 x float> [ zeroinitializer, %start ], [ %texel, %fetch ]
  ret <4 x float> %r
}

;@
define internal <4 x float> @ptx.tld4.r.2d(i64 %handle, float %x, float %y) {
start:
  %there = icmp ne i64 %handle, 0
  br i1 %there, label %fetch, label %done
fetch:
  %image = call <8 x i32> @ptx.tex.image(i64 %handle)
  %sampler = call <4 x i32> @ptx.tex.sampler(i64 %handle)
  %texel = call <4 x float> @llvm.amdgcn.image.gather4.lz.2d.v4f32.f32(i32 1, float %x, float %y, <8 x i32> %image, <4 x i32> %sampler, i1 false, i32 0, i32 0)
  br label %done
done:
  %r = phi <4 x float> [ zeroinitializer, %start ], [ %texel, %fetch ]
  ret <4 x float> %r
}

;@
define internal <4 x float> @ptx.tld4.g.2d(i64 %handle, float %x, float %y) {
start:
  %there = icmp ne i64 %handle, 0
  br i1 %there, label %fetch, label %done
fetch:
  %image = call <8 x i32> @ptx.tex.image(i64 %handle)
  %sampler = call <4 x i32> @ptx.tex.sampler(i64 %handle)
  %texel = call <4 x float> @llvm.amdgcn.image.gather4.lz.2d.v4f32.f32(i32 2, float %x, float %y, <8 x i32> %image, <4 x i32> %sampler, i1 false, i32 0, i32 0)
  br label %done
done:
  %r = phi <4 x float> [ zeroinitializer, %start ], [ %texel, %fetch ]
  ret <4 x float> %r
}

;@
define internal <4 x float> @ptx.tld4.b.2d(i64 %handle, float %x, float %y) {
start:
  %there = icmp ne i64 %handle, 0
  br i1 %there, label %fetch, label %done
fetch:
  %image = call <8 x i32> @ptx.tex.image(i64 %handle)
  %sampler = call <4 x i32> @ptx.tex.sampler(i64 %handle)
  %texel = call <4 x float> @llvm.amdgcn.image.gather4.lz.2d.v4f32.f32(i32 4, float %x, float %y, <8 x i32> %image, <4 x i32> %sampler, i1 false, i32 0, i32 0)
  br label %done
done:
  %r = phi <4 x float> [ zeroinitializer, %start ], [ %texel, %fetch ]
  ret <4 x float> %r
}

;@
define internal <4 x float> @ptx.tld4.a.2d(i64 %handle, float %x, float %y) {
start:
  %there = icmp ne i64 %handle, 0
  br i1 %there, label %fetch, label %done
fetch:
  %image = call <8 x i32> @ptx.tex.image(i64 %handle)
  %sampler = call <4 x i32> @ptx.tex.sampler(i64 %handle)
  %texel = call <4 x float> @llvm.amdgcn.image.gather4.lz.2d.v4f32.f32(i32 8, float %x, float %y, <8 x i32> %image, <4 x i32> %sampler, i1 false, i32 0, i32 0)
  br label %done
done:
  %r = phi <4 x float> [ zeroinitializer, %start ], [ %texel, %fetch ]
  ret <4 x float> %r
}
