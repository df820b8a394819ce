; Approximations. The ftz forms are the instructions, which flush denormals on
; both sides; the others scale their argument around them.

;@
define internal float @ptx.rcp.approx.ftz.f32(float %x) {
  %r = call float @llvm.amdgcn.rcp.f32(float %x)
  ret float %r
}

;@
define internal float @ptx.rcp.approx.f32(float %x) {
  %mantissa = call float @llvm.amdgcn.frexp.mant.f32(float %x)
  %exponent = call i32 @llvm.amdgcn.frexp.exp.i32.f32(float %x)
  %inverse = call float @llvm.amdgcn.rcp.f32(float %mantissa)
  %back = sub i32 0, %exponent
  %r = call float @llvm.ldexp.f32.i32(float %inverse, i32 %back)
  ret float %r
}

;@
define internal float @ptx.sqrt.approx.ftz.f32(float %x) {
  %r = call float @llvm.amdgcn.sqrt.f32(float %x)
  ret float %r
}

;@
define internal float @ptx.sqrt.approx.f32(float %x) {
  %small = fcmp olt float %x, 0x3810000000000000
  %up = select i1 %small, i32 32, i32 0
  %down = select i1 %small, i32 -16, i32 0
  %scaled = call float @llvm.ldexp.f32.i32(float %x, i32 %up)
  %root = call float @llvm.amdgcn.sqrt.f32(float %scaled)
  %r = call float @llvm.ldexp.f32.i32(float %root, i32 %down)
  ret float %r
}

;@
define internal float @ptx.rsqrt.approx.ftz.f32(float %x) {
  %r = call float @llvm.amdgcn.rsq.f32(float %x)
  ret float %r
}

;@
define internal float @ptx.rsqrt.approx.f32(float %x) {
  %small = fcmp olt float %x, 0x3810000000000000
  %up = select i1 %small, i32 24, i32 0
  %back = select i1 %small, i32 12, i32 0
  %scaled = call float @llvm.ldexp.f32.i32(float %x, i32 %up)
  %root = call float @llvm.amdgcn.rsq.f32(float %scaled)
  %r = call float @llvm.ldexp.f32.i32(float %root, i32 %back)
  ret float %r
}

;@
define internal float @ptx.lg2.approx.ftz.f32(float %x) {
  %r = call float @llvm.amdgcn.log.f32(float %x)
  ret float %r
}

;@
define internal float @ptx.lg2.approx.f32(float %x) {
  %small = fcmp olt float %x, 0x3810000000000000
  %up = select i1 %small, i32 32, i32 0
  %off = select i1 %small, float 32.0, float 0.0
  %scaled = call float @llvm.ldexp.f32.i32(float %x, i32 %up)
  %log = call float @llvm.amdgcn.log.f32(float %scaled)
  %r = fsub float %log, %off
  ret float %r
}

;@
define internal float @ptx.ex2.approx.ftz.f32(float %x) {
  %r = call float @llvm.amdgcn.exp2.f32(float %x)
  ret float %r
}

;@
define internal float @ptx.ex2.approx.f32(float %x) {
  %small = fcmp olt float %x, -126.0
  %add = select i1 %small, float 64.0, float 0.0
  %factor = select i1 %small, float 0x3BF0000000000000, float 1.0
  %moved = fadd float %x, %add
  %power = call float @llvm.amdgcn.exp2.f32(float %moved)
  %r = fmul float %power, %factor
  ret float %r
}

;@
define internal half @ptx.ex2.approx.f16(half %x) {
  %wide = fpext half %x to float
  %power = call float @llvm.amdgcn.exp2.f32(float %wide)
  %r = fptrunc float %power to half
  ret half %r
}

;@
; 1 - 2 / (e^2x + 1); near zero, where that cancels, x - x^3/3. Both are closer
; than 2^-18 of the value.
define internal float @ptx.tanh.approx.f32(float %x) {
  %a = call float @llvm.fabs.f32(float %x)
  %twice = fmul float %a, 0x4007154760000000
  %power = call float @llvm.amdgcn.exp2.f32(float %twice)
  %sum = fadd float %power, 1.0
  %inverse = call float @llvm.amdgcn.rcp.f32(float %sum)
  %large = call float @llvm.fma.f32(float %inverse, float -2.0, float 1.0)
  %square = fmul float %a, %a
  %factor = call float @llvm.fma.f32(float %square, float 0xBFD5555560000000, float 1.0)
  %series = fmul float %a, %factor
  %near = fcmp olt float %a, 0.0625
  %t = select i1 %near, float %series, float %large
  %r = call float @llvm.copysign.f32(float %t, float %x)
  ret float %r
}

;@
define internal half @ptx.tanh.approx.f16(half %x) {
  %wide = fpext half %x to float
  %t = call float @ptx.tanh.approx.f32(float %wide)
  %r = fptrunc float %t to half
  ret half %r
}

;@
define internal <2 x half> @ptx.ex2.approx.v2f16(<2 x half> %x) {
  %a = extractelement <2 x half> %x, i32 0
  %b = extractelement <2 x half> %x, i32 1
  %p = call half @ptx.ex2.approx.f16(half %a)
  %q = call half @ptx.ex2.approx.f16(half %b)
  %v = insertelement <2 x half> poison, half %p, i32 0
  %r = insertelement <2 x half> %v, half %q, i32 1
  ret <2 x half> %r
}

;@
define internal <2 x half> @ptx.tanh.approx.v2f16(<2 x half> %x) {
  %a = extractelement <2 x half> %x, i32 0
  %b = extractelement <2 x half> %x, i32 1
  %p = call half @ptx.tanh.approx.f16(half %a)
  %q = call half @ptx.tanh.approx.f16(half %b)
  %v = insertelement <2 x half> poison, half %p, i32 0
  %r = insertelement <2 x half> %v, half %q, i32 1
  ret <2 x half> %r
}
