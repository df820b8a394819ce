; e4m3: a sign, four bits of exponent (bias 7), three of fraction; no infinity,
; 0x7f is NaN, the largest number 448 is 0x7e.

;@
; %significand / 2^%shift, to the nearest, ties to even.
define internal i32 @ptx.e4m3.shift(i32 %significand, i32 %shift) {
  %whole = lshr i32 %significand, %shift
  %odd = and i32 %whole, 1
  %one = sub i32 %shift, 1
  %half = shl i32 1, %one
  %below = sub i32 %half, 1
  %up = add i32 %below, %odd
  %sum = add i32 %significand, %up
  %r = lshr i32 %sum, %shift
  ret i32 %r
}

;@
; %normal or %small, as the number is, limited to 448; the sign in bit 7. NaN is
; 0x7f whatever its sign.
define internal i8 @ptx.e4m3.code(i32 %normal, i32 %small, i1 %is.small, i1 %nan, i32 %sign) {
  %size = select i1 %is.small, i32 %small, i32 %normal
  %limited = call i32 @llvm.umin.i32(i32 %size, i32 126)
  %code = or i32 %limited, %sign
  %both = select i1 %nan, i32 127, i32 %code
  %r = trunc i32 %both to i8
  ret i8 %r
}

;@
define internal i8 @ptx.e4m3.f16(half %x) {
  %short = bitcast half %x to i16
  %bits = zext i16 %short to i32
  %size = and i32 %bits, 32767
  %exponent = lshr i32 %size, 10
  %fraction = and i32 %size, 1023
  ; 2^-6 and more: seven bits go, the bias falls by 8
  %kept = call i32 @ptx.e4m3.shift(i32 %size, i32 7)
  %normal = sub i32 %kept, 64
  ; less: a multiple of 2^-9
  %subnormal = icmp eq i32 %exponent, 0
  %leading = select i1 %subnormal, i32 0, i32 1024
  %significand = or i32 %leading, %fraction
  %e = call i32 @llvm.umax.i32(i32 %exponent, i32 1)
  %e.small = call i32 @llvm.umin.i32(i32 %e, i32 15)
  %shift = sub i32 16, %e.small
  %small = call i32 @ptx.e4m3.shift(i32 %significand, i32 %shift)
  %is.small = icmp ult i32 %size, 9216
  %nan = icmp ugt i32 %size, 31744
  %high = lshr i32 %bits, 8
  %sign = and i32 %high, 128
  %r = call i8 @ptx.e4m3.code(i32 %normal, i32 %small, i1 %is.small, i1 %nan, i32 %sign)
  ret i8 %r
}

;@
define internal i8 @ptx.e4m3.f32(float %x) {
  %bits = bitcast float %x to i32
  %size = and i32 %bits, 2147483647
  %exponent = lshr i32 %size, 23
  %fraction = and i32 %size, 8388607
  %kept = call i32 @ptx.e4m3.shift(i32 %size, i32 20)
  %normal = sub i32 %kept, 960
  %significand = or i32 %fraction, 8388608
  %e = call i32 @llvm.umax.i32(i32 %exponent, i32 110)
  %e.small = call i32 @llvm.umin.i32(i32 %e, i32 140)
  %shift = sub i32 141, %e.small
  %small = call i32 @ptx.e4m3.shift(i32 %significand, i32 %shift)
  %is.small = icmp ult i32 %size, 1015021568
  %nan = icmp ugt i32 %size, 2139095040
  %high = lshr i32 %bits, 24
  %sign = and i32 %high, 128
  %r = call i8 @ptx.e4m3.code(i32 %normal, i32 %small, i1 %is.small, i1 %nan, i32 %sign)
  ret i8 %r
}

;@
define internal i16 @ptx.cvt.e4m3x2(i8 %low, i8 %high) {
  %l = zext i8 %low to i16
  %h = zext i8 %high to i16
  %up = shl i16 %h, 8
  %r = or i16 %up, %l
  ret i16 %r
}

;@
; Exact: f16 has them all.
define internal half @ptx.cvt.f16.e4m3(i8 %code) {
  %size8 = and i8 %code, 127
  %size = zext i8 %size8 to i16
  %placed = shl i16 %size, 7
  %normal = add i16 %placed, 8192
  %units = uitofp i16 %size to half
  %tiny = fmul half %units, 0xH1800
  %tiny.bits = bitcast half %tiny to i16
  %is.small = icmp ult i16 %size, 8
  %number = select i1 %is.small, i16 %tiny.bits, i16 %normal
  %nan = icmp eq i16 %size, 127
  %value = select i1 %nan, i16 32256, i16 %number
  %wide = zext i8 %code to i16
  %up = shl i16 %wide, 8
  %sign = and i16 %up, -32768
  %bits = or i16 %value, %sign
  %r = bitcast i16 %bits to half
  ret half %r
}
