; f32 arithmetic rounded toward zero, down or up, exactly, without another mode: in
; f64, which is rounded to odd where it is not exact, and then to f32 in the
; direction asked for. A number of 53 bits rounded to odd is on the right side of
; every f32 and of every half between two.

;@
; %s, the sum to the nearest, moved to its odd neighbour where the error %e says
; that the exact one lies between.
define internal double @ptx.odd(double %s, double %e) {
  %bits = bitcast double %s to i64
  %e.bits = bitcast double %e to i64
  %signs = xor i64 %bits, %e.bits
  %away = icmp sge i64 %signs, 0
  %up = add i64 %bits, 1
  %down = sub i64 %bits, 1
  %next = select i1 %away, i64 %up, i64 %down
  %last = and i64 %bits, 1
  %even = icmp eq i64 %last, 0
  %inexact = fcmp one double %e, 0.0
  %size = call double @llvm.fabs.f64(double %s)
  %finite = fcmp one double %size, 0x7FF0000000000000
  %between = and i1 %inexact, %even
  %move = and i1 %between, %finite
  %odd = select i1 %move, i64 %next, i64 %bits
  %r = bitcast i64 %odd to double
  ret double %r
}

;@
define internal double @ptx.odd.add(double %a, double %b) {
  %s = fadd double %a, %b
  %bb = fsub double %s, %a
  %aa = fsub double %s, %bb
  %ea = fsub double %a, %aa
  %eb = fsub double %b, %bb
  %e = fadd double %ea, %eb
  %r = call double @ptx.odd(double %s, double %e)
  ret double %r
}

;@
define internal double @ptx.odd.div(double %a, double %b) {
  %q = fdiv double %a, %b
  %minus = fneg double %q
  %rest = call double @llvm.fma.f64(double %minus, double %b, double %a)
  %e = call double @llvm.copysign.f64(double %rest, double 1.0)
  %rest.bits = bitcast double %rest to i64
  %b.bits = bitcast double %b to i64
  %signs = xor i64 %rest.bits, %b.bits
  %negative = icmp slt i64 %signs, 0
  %opposite = fneg double %e
  %error = select i1 %negative, double %opposite, double %e
  %r = call double @ptx.odd(double %q, double %error)
  ret double %r
}

;@
define internal float @ptx.narrow.rz(double %s) {
  %near = fptrunc double %s to float
  %back = fpext float %near to double
  %x = call double @llvm.fabs.f64(double %back)
  %y = call double @llvm.fabs.f64(double %s)
  %over = fcmp ogt double %x, %y
  %bits = bitcast float %near to i32
  %less = sub i32 %bits, 1
  %moved = select i1 %over, i32 %less, i32 %bits
  %r = bitcast i32 %moved to float
  ret float %r
}

;@
define internal float @ptx.narrow.rm(double %s) {
  %near = fptrunc double %s to float
  %back = fpext float %near to double
  %over = fcmp ogt double %back, %s
  %bits = bitcast float %near to i32
  %negative = icmp slt i32 %bits, 0
  %step = select i1 %negative, i32 1, i32 -1
  %next = add i32 %bits, %step
  %moved = select i1 %over, i32 %next, i32 %bits
  %r = bitcast i32 %moved to float
  ret float %r
}

;@
define internal float @ptx.narrow.rp(double %s) {
  %near = fptrunc double %s to float
  %back = fpext float %near to double
  %under = fcmp olt double %back, %s
  %bits = bitcast float %near to i32
  %negative = icmp slt i32 %bits, 0
  %step = select i1 %negative, i32 -1, i32 1
  %next = add i32 %bits, %step
  %moved = select i1 %under, i32 %next, i32 %bits
  %r = bitcast i32 %moved to float
  ret float %r
}

;@
; A sum of zero is +0, rounded down -0 unless both are +0.
define internal float @ptx.zero.rm(double %s, double %a, double %b, float %r) {
  %zero = fcmp oeq double %s, 0.0
  %x = bitcast double %a to i64
  %y = bitcast double %b to i64
  %either = or i64 %x, %y
  %negative = icmp slt i64 %either, 0
  %sign = select i1 %negative, float -0.0, float 0.0
  %v = select i1 %zero, float %sign, float %r
  ret float %v
}
