; Division of integers. What PTX leaves to the machine for a divisor of zero is
; what NVIDIA's GPUs give: all ones.

;@ N=16,32,64
define internal i$N @ptx.div.u$N(i$N %a, i$N %b) {
  %zero = icmp eq i$N %b, 0
  %by = select i1 %zero, i$N 1, i$N %b
  %q = udiv i$N %a, %by
  %r = select i1 %zero, i$N -1, i$N %q
  ret i$N %r
}

;@ N=16,32,64
define internal i$N @ptx.rem.u$N(i$N %a, i$N %b) {
  %zero = icmp eq i$N %b, 0
  %by = select i1 %zero, i$N 1, i$N %b
  %q = urem i$N %a, %by
  %r = select i1 %zero, i$N -1, i$N %q
  ret i$N %r
}

;@ N=16,32,64
; The least number by -1 is itself.
define internal i$N @ptx.div.s$N(i$N %a, i$N %b) {
  %zero = icmp eq i$N %b, 0
  %minus = icmp eq i$N %b, -1
  %special = or i1 %zero, %minus
  %by = select i1 %special, i$N 1, i$N %b
  %q = sdiv i$N %a, %by
  %negated = sub i$N 0, %a
  %whole = select i1 %minus, i$N %negated, i$N %q
  %r = select i1 %zero, i$N -1, i$N %whole
  ret i$N %r
}

;@ N=16,32,64
define internal i$N @ptx.rem.s$N(i$N %a, i$N %b) {
  %zero = icmp eq i$N %b, 0
  %minus = icmp eq i$N %b, -1
  %special = or i1 %zero, %minus
  %by = select i1 %special, i$N 1, i$N %b
  %q = srem i$N %a, %by
  %r = select i1 %zero, i$N -1, i$N %q
  ret i$N %r
}

;@
define internal i32 @ptx.mul24.lo.u32(i32 %a, i32 %b) {
  %x = and i32 %a, 16777215
  %y = and i32 %b, 16777215
  %r = mul i32 %x, %y
  ret i32 %r
}

;@
define internal i32 @ptx.mul24.lo.s32(i32 %a, i32 %b) {
  %p = shl i32 %a, 8
  %q = shl i32 %b, 8
  %x = ashr i32 %p, 8
  %y = ashr i32 %q, 8
  %r = mul i32 %x, %y
  ret i32 %r
}

;@
; The upper 32 of 48 bits.
define internal i32 @ptx.mul24.hi.u32(i32 %a, i32 %b) {
  %x = and i32 %a, 16777215
  %y = and i32 %b, 16777215
  %p = zext i32 %x to i64
  %q = zext i32 %y to i64
  %m = mul i64 %p, %q
  %h = lshr i64 %m, 16
  %r = trunc i64 %h to i32
  ret i32 %r
}

;@
define internal i32 @ptx.mul24.hi.s32(i32 %a, i32 %b) {
  %i = shl i32 %a, 8
  %j = shl i32 %b, 8
  %x = ashr i32 %i, 8
  %y = ashr i32 %j, 8
  %p = sext i32 %x to i64
  %q = sext i32 %y to i64
  %m = mul i64 %p, %q
  %h = lshr i64 %m, 16
  %r = trunc i64 %h to i32
  ret i32 %r
}
