; Floating-point helpers. f32 denormals are below 0x3810000000000000, which is 2^-126.

;@ T=f16,f32,v2f16
; Denormals become zeros of their sign.
define internal $L @ptx.ftz.$T($L %x) {
  %a = call $L @llvm.fabs.$T($L %x)
  %small = fcmp olt $L %a, {0xH0400|0x3810000000000000|<half 0xH0400, half 0xH0400>}
  %zero = call $L @llvm.copysign.$T($L zeroinitializer, $L %x)
  %r = select {i1|i1|<2 x i1>} %small, $L %zero, $L %x
  ret $L %r
}

;@ T=f16,f32,v2f16
; Limited to [0, 1], NaN to 0.
define internal $L @ptx.sat.$T($L %x) {
  %low = call $L @llvm.maxnum.$T($L %x, $L zeroinitializer)
  %r = call $L @llvm.minnum.$T($L %low, $L {0xH3C00|1.0|<half 0xH3C00, half 0xH3C00>})
  ret $L %r
}

;@ T=f16,v2f16
; Negative numbers to 0, NaN stays.
define internal $L @ptx.relu.$T($L %x) {
  %r = call $L @llvm.maximum.$T($L %x, $L zeroinitializer)
  ret $L %r
}
