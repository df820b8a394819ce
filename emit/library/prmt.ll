; The modes of prmt: a selector of four, by the lower two bits of %c, as the table
; in the PTX manual gives it.

;@
define internal i32 @ptx.prmt.b32.f4e(i32 %a, i32 %b, i32 %c) {
  %n = and i32 %c, 3
  %place = shl i32 %n, 4
  %count = zext i32 %place to i64
  %all = lshr i64 7296768396121682448, %count
  %select = trunc i64 %all to i32
  %r = call i32 @ptx.prmt.b32(i32 %a, i32 %b, i32 %select)
  ret i32 %r
}

;@
define internal i32 @ptx.prmt.b32.b4e(i32 %a, i32 %b, i32 %c) {
  %n = and i32 %c, 3
  %place = shl i32 %n, 4
  %count = zext i32 %place to i64
  %all = lshr i64 82032442562664048, %count
  %select = trunc i64 %all to i32
  %r = call i32 @ptx.prmt.b32(i32 %a, i32 %b, i32 %select)
  ret i32 %r
}

;@
define internal i32 @ptx.prmt.b32.rc8(i32 %a, i32 %b, i32 %c) {
  %n = and i32 %c, 3
  %place = shl i32 %n, 4
  %count = zext i32 %place to i64
  %all = lshr i64 3689330049457127424, %count
  %select = trunc i64 %all to i32
  %r = call i32 @ptx.prmt.b32(i32 %a, i32 %b, i32 %select)
  ret i32 %r
}

;@
define internal i32 @ptx.prmt.b32.ecl(i32 %a, i32 %b, i32 %c) {
  %n = and i32 %c, 3
  %place = shl i32 %n, 4
  %count = zext i32 %place to i64
  %all = lshr i64 3689347642196832784, %count
  %select = trunc i64 %all to i32
  %r = call i32 @ptx.prmt.b32(i32 %a, i32 %b, i32 %select)
  ret i32 %r
}

;@
define internal i32 @ptx.prmt.b32.ecr(i32 %a, i32 %b, i32 %c) {
  %n = and i32 %c, 3
  %place = shl i32 %n, 4
  %count = zext i32 %place to i64
  %all = lshr i64 3607420753924849664, %count
  %select = trunc i64 %all to i32
  %r = call i32 @ptx.prmt.b32(i32 %a, i32 %b, i32 %select)
  ret i32 %r
}

;@
define internal i32 @ptx.prmt.b32.rc16(i32 %a, i32 %b, i32 %c) {
  %n = and i32 %c, 3
  %place = shl i32 %n, 4
  %count = zext i32 %place to i64
  %all = lshr i64 3616971112479592464, %count
  %select = trunc i64 %all to i32
  %r = call i32 @ptx.prmt.b32(i32 %a, i32 %b, i32 %select)
  ret i32 %r
}
