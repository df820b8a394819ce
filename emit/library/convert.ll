; Conversions. Those to integers saturate, and NaN becomes 0, or 2^63 where the
; result has 64 bits.

;@ N=8,16,32
define internal i$N @ptx.cvt.u$N.f32(float %x) {
  %r = call i$N @llvm.fptoui.sat.i$N.f32(float %x)
  ret i$N %r
}

;@ N=8,16,32
define internal i$N @ptx.cvt.s$N.f32(float %x) {
  %r = call i$N @llvm.fptosi.sat.i$N.f32(float %x)
  ret i$N %r
}

;@
define internal i64 @ptx.cvt.u64.f32(float %x) {
  %n = call i64 @llvm.fptoui.sat.i64.f32(float %x)
  %nan = fcmp uno float %x, 0.0
  %r = select i1 %nan, i64 -9223372036854775808, i64 %n
  ret i64 %r
}

;@
define internal i64 @ptx.cvt.s64.f32(float %x) {
  %n = call i64 @llvm.fptosi.sat.i64.f32(float %x)
  %nan = fcmp uno float %x, 0.0
  %r = select i1 %nan, i64 -9223372036854775808, i64 %n
  ret i64 %r
}

;@
; Toward zero, exactly. Overflow is the largest number.
define internal half @ptx.cvt.rz.f16.f32(float %x) {
  %both = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float %x, float 0.0)
  %r = extractelement <2 x half> %both, i32 0
  ret half %r
}

;@ N=32,64
; Toward zero: the first 24 bits are kept, which f32 holds.
define internal float @ptx.cvt.rz.f32.u$N(i$N %a) {
  %zeros = call i$N @llvm.ctlz.i$N(i$N %a, i1 false)
  %shift = call i$N @llvm.umin.i$N(i$N %zeros, i$N $M)
  %mask = lshr i$N {-256|-1099511627776}, %shift
  %kept = and i$N %a, %mask
  %r = uitofp i$N %kept to float
  ret float %r
}

;@ N=32,64
define internal float @ptx.cvt.rz.f32.s$N(i$N %a) {
  %size = call i$N @llvm.abs.i$N(i$N %a, i1 false)
  %x = call float @ptx.cvt.rz.f32.u$N(i$N %size)
  %minus = fneg float %x
  %negative = icmp slt i$N %a, 0
  %r = select i1 %negative, float %minus, float %x
  ret float %r
}

;@ N=32,64
; Away from zero: the next f32 where the first 24 bits are not all.
define internal float @ptx.cvt.away.f32.u$N(i$N %a) {
  %zeros = call i$N @llvm.ctlz.i$N(i$N %a, i1 false)
  %shift = call i$N @llvm.umin.i$N(i$N %zeros, i$N $M)
  %mask = lshr i$N {-256|-1099511627776}, %shift
  %kept = and i$N %a, %mask
  %low = uitofp i$N %kept to float
  %bits = bitcast float %low to i32
  %exact = icmp eq i$N %kept, %a
  %one = select i1 %exact, i32 0, i32 1
  %next = add i32 %bits, %one
  %r = bitcast i32 %next to float
  ret float %r
}

;@ N=32,64
define internal float @ptx.cvt.rm.f32.u$N(i$N %a) {
  %r = call float @ptx.cvt.rz.f32.u$N(i$N %a)
  ret float %r
}

;@ N=32,64
define internal float @ptx.cvt.rp.f32.u$N(i$N %a) {
  %r = call float @ptx.cvt.away.f32.u$N(i$N %a)
  ret float %r
}

;@ N=32,64
define internal float @ptx.cvt.rm.f32.s$N(i$N %a) {
  %size = call i$N @llvm.abs.i$N(i$N %a, i1 false)
  %near = call float @ptx.cvt.rz.f32.u$N(i$N %size)
  %far = call float @ptx.cvt.away.f32.u$N(i$N %size)
  %minus = fneg float %far
  %negative = icmp slt i$N %a, 0
  %r = select i1 %negative, float %minus, float %near
  ret float %r
}

;@ N=32,64
define internal float @ptx.cvt.rp.f32.s$N(i$N %a) {
  %size = call i$N @llvm.abs.i$N(i$N %a, i1 false)
  %near = call float @ptx.cvt.rz.f32.u$N(i$N %size)
  %far = call float @ptx.cvt.away.f32.u$N(i$N %size)
  %minus = fneg float %near
  %negative = icmp slt i$N %a, 0
  %r = select i1 %negative, float %minus, float %far
  ret float %r
}
