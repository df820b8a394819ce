; Shifts and bit fields. PTX clamps shift counts at the width.

;@ N=16,32,64
define internal i$N @ptx.shl.b$N(i$N %a, i32 %n) {
  %within = icmp ult i32 %n, $N
  %low = and i32 %n, $M
  %count = call i$N @ptx.count.$N(i32 %low)
  %shifted = shl i$N %a, %count
  %r = select i1 %within, i$N %shifted, i$N 0
  ret i$N %r
}

;@ N=16,32,64
define internal i$N @ptx.shr.u$N(i$N %a, i32 %n) {
  %within = icmp ult i32 %n, $N
  %low = and i32 %n, $M
  %count = call i$N @ptx.count.$N(i32 %low)
  %shifted = lshr i$N %a, %count
  %r = select i1 %within, i$N %shifted, i$N 0
  ret i$N %r
}

;@ N=16,32,64
define internal i$N @ptx.shr.s$N(i$N %a, i32 %n) {
  %low = call i32 @llvm.umin.i32(i32 %n, i32 $M)
  %count = call i$N @ptx.count.$N(i32 %low)
  %r = ashr i$N %a, %count
  ret i$N %r
}

;@
define internal i16 @ptx.count.16(i32 %n) {
  %r = trunc i32 %n to i16
  ret i16 %r
}

;@
define internal i32 @ptx.count.32(i32 %n) {
  ret i32 %n
}

;@
define internal i64 @ptx.count.64(i32 %n) {
  %r = zext i32 %n to i64
  ret i64 %r
}

;@ N=32,64
; The lowest %n bits set, all of them from $N on.
define internal i$N @ptx.ones.$N(i32 %n) {
  %one = call i$N @ptx.shl.b$N(i$N 1, i32 %n)
  %r = sub i$N %one, 1
  ret i$N %r
}

;@ N=32,64
define internal i$N @ptx.bfe.u$N(i$N %a, i32 %b, i32 %c) {
  %pos = and i32 %b, 255
  %len = and i32 %c, 255
  %from = call i$N @ptx.shr.u$N(i$N %a, i32 %pos)
  %mask = call i$N @ptx.ones.$N(i32 %len)
  %r = and i$N %from, %mask
  ret i$N %r
}

;@ N=32,64
; The field is filled up with its highest bit, or the highest bit of %a where
; it reaches beyond that.
define internal i$N @ptx.bfe.s$N(i$N %a, i32 %b, i32 %c) {
  %pos = and i32 %b, 255
  %len = and i32 %c, 255
  %from = call i$N @ptx.shr.s$N(i$N %a, i32 %pos)
  %some = call i32 @llvm.umin.i32(i32 %len, i32 $N)
  %left = sub i32 $N, %some
  %up = call i$N @ptx.shl.b$N(i$N %from, i32 %left)
  %down = call i$N @ptx.shr.s$N(i$N %up, i32 %left)
  %empty = icmp eq i32 %len, 0
  %r = select i1 %empty, i$N 0, i$N %down
  ret i$N %r
}

;@ N=32,64
define internal i$N @ptx.bfi.b$N(i$N %a, i$N %b, i32 %c, i32 %d) {
  %pos = and i32 %c, 255
  %len = and i32 %d, 255
  %ones = call i$N @ptx.ones.$N(i32 %len)
  %mask = call i$N @ptx.shl.b$N(i$N %ones, i32 %pos)
  %field = call i$N @ptx.shl.b$N(i$N %a, i32 %pos)
  %new = and i$N %field, %mask
  %keep = xor i$N %mask, -1
  %old = and i$N %b, %keep
  %r = or i$N %old, %new
  ret i$N %r
}

;@
; %c has a nibble for each byte of the result: which byte of b:a, and bit 3 for
; eight copies of its sign.
define internal i32 @ptx.prmt.b32(i32 %a, i32 %b, i32 %c) {
  %low = and i32 %c, 65535
  %high = shl i32 %low, 8
  %two = or i32 %low, %high
  %bytes = and i32 %two, 16711935
  %up = shl i32 %bytes, 4
  %four = or i32 %bytes, %up
  %select = and i32 %four, 117901063
  %sign = and i32 %four, 134744072
  %plain = call i32 @llvm.amdgcn.perm(i32 %b, i32 %a, i32 %select)
  %bit = lshr i32 %sign, 3
  %signed = mul i32 %bit, 255
  %top = lshr i32 %plain, 7
  %ones = and i32 %top, 16843009
  %copies = mul i32 %ones, 255
  %keep = xor i32 %signed, -1
  %x = and i32 %plain, %keep
  %y = and i32 %copies, %signed
  %r = or i32 %x, %y
  ret i32 %r
}

;@
define internal i32 @ptx.shf.l.wrap.b32(i32 %a, i32 %b, i32 %c) {
  %r = call i32 @llvm.fshl.i32(i32 %b, i32 %a, i32 %c)
  ret i32 %r
}

;@
define internal i32 @ptx.shf.r.wrap.b32(i32 %a, i32 %b, i32 %c) {
  %r = call i32 @llvm.fshr.i32(i32 %b, i32 %a, i32 %c)
  ret i32 %r
}

;@
define internal i32 @ptx.shf.l.clamp.b32(i32 %a, i32 %b, i32 %c) {
  %within = icmp ult i32 %c, 32
  %shifted = call i32 @llvm.fshl.i32(i32 %b, i32 %a, i32 %c)
  %r = select i1 %within, i32 %shifted, i32 %a
  ret i32 %r
}

;@
define internal i32 @ptx.shf.r.clamp.b32(i32 %a, i32 %b, i32 %c) {
  %within = icmp ult i32 %c, 32
  %shifted = call i32 @llvm.fshr.i32(i32 %b, i32 %a, i32 %c)
  %r = select i1 %within, i32 %shifted, i32 %b
  ret i32 %r
}

;@ N=32,64
; The highest bit that is set, all ones where none is.
define internal i32 @ptx.bfind.u$N(i$N %a) {
  %none = icmp eq i$N %a, 0
  %zeros = call i$N @llvm.ctlz.i$N(i$N %a, i1 false)
  %at = sub i$N $M, %zeros
  %place = call i32 @ptx.narrow.$N(i$N %at)
  %r = select i1 %none, i32 -1, i32 %place
  ret i32 %r
}

;@ N=32,64
; The highest bit that differs from the sign.
define internal i32 @ptx.bfind.s$N(i$N %a) {
  %sign = ashr i$N %a, $M
  %x = xor i$N %a, %sign
  %r = call i32 @ptx.bfind.u$N(i$N %x)
  ret i32 %r
}

;@ N=32,64
define internal i32 @ptx.bfind.shiftamt.u$N(i$N %a) {
  %at = call i32 @ptx.bfind.u$N(i$N %a)
  %none = icmp eq i32 %at, -1
  %left = sub i32 $M, %at
  %r = select i1 %none, i32 -1, i32 %left
  ret i32 %r
}

;@ N=32,64
define internal i32 @ptx.bfind.shiftamt.s$N(i$N %a) {
  %at = call i32 @ptx.bfind.s$N(i$N %a)
  %none = icmp eq i32 %at, -1
  %left = sub i32 $M, %at
  %r = select i1 %none, i32 -1, i32 %left
  ret i32 %r
}

;@
define internal i32 @ptx.narrow.32(i32 %a) {
  ret i32 %a
}

;@
define internal i32 @ptx.narrow.64(i64 %a) {
  %r = trunc i64 %a to i32
  ret i32 %r
}
