; TestGolden.ptx for gfx1100, wave64, f32 denormals kept
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@whole.tile = internal addrspace(3) global [512 x i8] poison, align 4

; line 6
define internal i32 @twice(i32 %twice_0.in) #0 {
  %twice_0 = alloca i32, align 4, addrspace(5)
  store i32 zeroinitializer, ptr addrspace(5) %twice_0, align 4
  store i32 %twice_0.in, ptr addrspace(5) %twice_0, align 4
  %twice_ret = alloca i32, align 4, addrspace(5)
  store i32 zeroinitializer, ptr addrspace(5) %twice_ret, align 4
  %r1 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r1, align 4
  %r2 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r2, align 4
  br label %begin
begin:
  ; 9: ld.param.u32 %r1, [twice_0];
  %.0 = load i32, ptr addrspace(5) %twice_0, align 4
  store i32 %.0, ptr addrspace(5) %r1, align 4
  ; 10: shl.b32 %r2, %r1, 1;
  %.1 = load i32, ptr addrspace(5) %r1, align 4
  %.2 = call i32 @ptx.shl.b32(i32 %.1, i32 1)
  store i32 %.2, ptr addrspace(5) %r2, align 4
  ; 11: st.param.b32 [twice_ret+0], %r2;
  %.3 = load i32, ptr addrspace(5) %r2, align 4
  store i32 %.3, ptr addrspace(5) %twice_ret, align 4
  ; 12: ret;
  br label %exit
exit:
  %result = load i32, ptr addrspace(5) %twice_ret, align 4
  ret i32 %result
}

; line 15
define protected amdgpu_kernel void @whole(ptr addrspace(4) noundef readonly byref([20 x i8]) align 16 %params) #1 {
  %rd1 = alloca i64, align 8, addrspace(5)
  store i64 0, ptr addrspace(5) %rd1, align 8
  %rd2 = alloca i64, align 8, addrspace(5)
  store i64 0, ptr addrspace(5) %rd2, align 8
  %r1 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r1, align 4
  %rd3 = alloca i64, align 8, addrspace(5)
  store i64 0, ptr addrspace(5) %rd3, align 8
  %rd4 = alloca i64, align 8, addrspace(5)
  store i64 0, ptr addrspace(5) %rd4, align 8
  %r2 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r2, align 4
  %r3 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r3, align 4
  %r4 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r4, align 4
  %r5 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r5, align 4
  %p1 = alloca i1, align 1, addrspace(5)
  store i1 0, ptr addrspace(5) %p1, align 1
  %rd5 = alloca i64, align 8, addrspace(5)
  store i64 0, ptr addrspace(5) %rd5, align 8
  %rd6 = alloca i64, align 8, addrspace(5)
  store i64 0, ptr addrspace(5) %rd6, align 8
  %r6 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r6, align 4
  %r7 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r7, align 4
  %r8 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r8, align 4
  %r9 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r9, align 4
  %r10 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r10, align 4
  %r11 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r11, align 4
  %r12 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r12, align 4
  %p2 = alloca i1, align 1, addrspace(5)
  store i1 0, ptr addrspace(5) %p2, align 1
  %temp_param_reg = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %temp_param_reg, align 4
  %param0 = alloca i32, align 4, addrspace(5)
  store i32 zeroinitializer, ptr addrspace(5) %param0, align 4
  %retval0 = alloca i32, align 4, addrspace(5)
  store i32 zeroinitializer, ptr addrspace(5) %retval0, align 4
  %r13 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r13, align 4
  %r14 = alloca i32, align 4, addrspace(5)
  store i32 0, ptr addrspace(5) %r14, align 4
  %rd7 = alloca i64, align 8, addrspace(5)
  store i64 0, ptr addrspace(5) %rd7, align 8
  br label %begin
begin:
  ; 26: ld.param.u64 %rd1, [whole_param_0];
  %.0 = load i64, ptr addrspace(4) %params, align 8, !invariant.load !1
  store i64 %.0, ptr addrspace(5) %rd1, align 8
  ; 27: ld.param.u64 %rd2, [whole_param_1];
  %.1 = getelementptr i8, ptr addrspace(4) %params, i64 8
  %.2 = load i64, ptr addrspace(4) %.1, align 8, !invariant.load !1
  store i64 %.2, ptr addrspace(5) %rd2, align 8
  ; 28: ld.param.u32 %r1, [whole_param_2];
  %.3 = getelementptr i8, ptr addrspace(4) %params, i64 16
  %.4 = load i32, ptr addrspace(4) %.3, align 4, !invariant.load !1
  store i32 %.4, ptr addrspace(5) %r1, align 4
  ; 29: cvta.to.global.u64 %rd3, %rd1;
  %.5 = load i64, ptr addrspace(5) %rd1, align 8
  store i64 %.5, ptr addrspace(5) %rd3, align 8
  ; 30: cvta.to.global.u64 %rd4, %rd2;
  %.6 = load i64, ptr addrspace(5) %rd2, align 8
  store i64 %.6, ptr addrspace(5) %rd4, align 8
  ; 31: mov.u32 %r2, %ctaid.x;
  %.7 = call i32 @llvm.amdgcn.workgroup.id.x()
  store i32 %.7, ptr addrspace(5) %r2, align 4
  ; 32: mov.u32 %r3, %ntid.x;
  %.8 = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %.9 = getelementptr i8, ptr addrspace(4) %.8, i64 12
  %.10 = load i16, ptr addrspace(4) %.9, align 2, !invariant.load !1
  %.11 = zext i16 %.10 to i32
  store i32 %.11, ptr addrspace(5) %r3, align 4
  ; 33: mov.u32 %r4, %tid.x;
  %.12 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %.12, ptr addrspace(5) %r4, align 4
  ; 34: mad.lo.s32 %r5, %r2, %r3, %r4;
  %.13 = load i32, ptr addrspace(5) %r2, align 4
  %.14 = load i32, ptr addrspace(5) %r3, align 4
  %.15 = mul i32 %.13, %.14
  %.16 = load i32, ptr addrspace(5) %r4, align 4
  %.17 = add i32 %.15, %.16
  store i32 %.17, ptr addrspace(5) %r5, align 4
  ; 35: setp.ge.u32 %p1, %r5, %r1;
  %.18 = load i32, ptr addrspace(5) %r5, align 4
  %.19 = load i32, ptr addrspace(5) %r1, align 4
  %.20 = icmp uge i32 %.18, %.19
  store i1 %.20, ptr addrspace(5) %p1, align 1
  ; 36: @%p1 bra $L__BB0_4;
  %.21 = load i1, ptr addrspace(5) %p1, align 1
  br i1 %.21, label %$L__BB0_4, label %.22
.22:
  ; 37: mul.wide.u32 %rd5, %r5, 4;
  %.23 = load i32, ptr addrspace(5) %r5, align 4
  %.24 = zext i32 %.23 to i64
  %.25 = zext i32 4 to i64
  %.26 = mul i64 %.24, %.25
  store i64 %.26, ptr addrspace(5) %rd5, align 8
  ; 38: add.s64 %rd6, %rd3, %rd5;
  %.27 = load i64, ptr addrspace(5) %rd3, align 8
  %.28 = load i64, ptr addrspace(5) %rd5, align 8
  %.29 = add i64 %.27, %.28
  store i64 %.29, ptr addrspace(5) %rd6, align 8
  ; 39: ld.global.nc.u32 %r6, [%rd6];
  %.30 = load i64, ptr addrspace(5) %rd6, align 8
  %.31 = inttoptr i64 %.30 to ptr addrspace(1)
  %.32 = load i32, ptr addrspace(1) %.31, align 4
  store i32 %.32, ptr addrspace(5) %r6, align 4
  ; 40: shl.b32 %r7, %r4, 2;
  %.33 = load i32, ptr addrspace(5) %r4, align 4
  %.34 = call i32 @ptx.shl.b32(i32 %.33, i32 2)
  store i32 %.34, ptr addrspace(5) %r7, align 4
  ; 41: mov.u32 %r8, tile;
  %.35 = ptrtoint ptr addrspace(3) @whole.tile to i32
  %.36 = zext i32 %.35 to i64
  %.37 = trunc i64 %.36 to i32
  store i32 %.37, ptr addrspace(5) %r8, align 4
  ; 42: add.s32 %r9, %r8, %r7;
  %.38 = load i32, ptr addrspace(5) %r8, align 4
  %.39 = load i32, ptr addrspace(5) %r7, align 4
  %.40 = add i32 %.38, %.39
  store i32 %.40, ptr addrspace(5) %r9, align 4
  ; 43: st.shared.u32 [%r9], %r6;
  %.41 = load i32, ptr addrspace(5) %r9, align 4
  %.42 = inttoptr i32 %.41 to ptr addrspace(3)
  %.43 = load i32, ptr addrspace(5) %r6, align 4
  store i32 %.43, ptr addrspace(3) %.42, align 4
  ; 44: bar.sync 0;
  call void @ptx.bar.sync()
  ; 45: mov.u32 %r10, 0;
  store i32 0, ptr addrspace(5) %r10, align 4
  ; 46: mov.u32 %r11, 0;
  store i32 0, ptr addrspace(5) %r11, align 4
  br label %$L__BB0_2
$L__BB0_2:
  ; 48: ld.shared.u32 %r12, [%r8];
  %.44 = load i32, ptr addrspace(5) %r8, align 4
  %.45 = inttoptr i32 %.44 to ptr addrspace(3)
  %.46 = load i32, ptr addrspace(3) %.45, align 4
  store i32 %.46, ptr addrspace(5) %r12, align 4
  ; 49: add.s32 %r10, %r10, %r12;
  %.47 = load i32, ptr addrspace(5) %r10, align 4
  %.48 = load i32, ptr addrspace(5) %r12, align 4
  %.49 = add i32 %.47, %.48
  store i32 %.49, ptr addrspace(5) %r10, align 4
  ; 50: add.s32 %r8, %r8, 4;
  %.50 = load i32, ptr addrspace(5) %r8, align 4
  %.51 = add i32 %.50, 4
  store i32 %.51, ptr addrspace(5) %r8, align 4
  ; 51: add.s32 %r11, %r11, 1;
  %.52 = load i32, ptr addrspace(5) %r11, align 4
  %.53 = add i32 %.52, 1
  store i32 %.53, ptr addrspace(5) %r11, align 4
  ; 52: setp.lt.u32 %p2, %r11, %r3;
  %.54 = load i32, ptr addrspace(5) %r11, align 4
  %.55 = load i32, ptr addrspace(5) %r3, align 4
  %.56 = icmp ult i32 %.54, %.55
  store i1 %.56, ptr addrspace(5) %p2, align 1
  ; 53: @%p2 bra $L__BB0_2;
  %.57 = load i1, ptr addrspace(5) %p2, align 1
  br i1 %.57, label %$L__BB0_2, label %.58
.58:
  ; 57: st.param.b32 [param0+0], %r10;
  %.59 = load i32, ptr addrspace(5) %r10, align 4
  store i32 %.59, ptr addrspace(5) %param0, align 4
  ; 59: call.uni (retval0), twice, (param0);
  %.60 = load i32, ptr addrspace(5) %param0, align 4
  %.61 = call i32 @twice(i32 %.60)
  store i32 %.61, ptr addrspace(5) %retval0, align 4
  ; 60: ld.param.b32 %r13, [retval0+0];
  %.62 = load i32, ptr addrspace(5) %retval0, align 4
  store i32 %.62, ptr addrspace(5) %r13, align 4
  ; 62: add.s32 %r14, %r13, %r6;
  %.63 = load i32, ptr addrspace(5) %r13, align 4
  %.64 = load i32, ptr addrspace(5) %r6, align 4
  %.65 = add i32 %.63, %.64
  store i32 %.65, ptr addrspace(5) %r14, align 4
  ; 63: add.s64 %rd7, %rd4, %rd5;
  %.66 = load i64, ptr addrspace(5) %rd4, align 8
  %.67 = load i64, ptr addrspace(5) %rd5, align 8
  %.68 = add i64 %.66, %.67
  store i64 %.68, ptr addrspace(5) %rd7, align 8
  ; 64: st.global.u32 [%rd7], %r14;
  %.69 = load i64, ptr addrspace(5) %rd7, align 8
  %.70 = inttoptr i64 %.69 to ptr addrspace(1)
  %.71 = load i32, ptr addrspace(5) %r14, align 4
  store i32 %.71, ptr addrspace(1) %.70, align 4
  br label %$L__BB0_4
$L__BB0_4:
  ; 66: ret;
  br label %exit
exit:
  ret void
}

define internal void @ptx.bar.sync() #1000 {
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  ret void
}

define internal i32 @ptx.count.32(i32 %n) #1000 {
  ret i32 %n
}

define internal i32 @ptx.shl.b32(i32 %a, i32 %n) #1000 {
  %within = icmp ult i32 %n, 32
  %low = and i32 %n, 31
  %count = call i32 @ptx.count.32(i32 %low)
  %shifted = shl i32 %a, %count
  %r = select i1 %within, i32 %shifted, i32 0
  ret i32 %r
}

attributes #0 = { convergent nounwind "amdgpu-ieee"="false" "denormal-fp-math"="ieee,ieee" "denormal-fp-math-f32"="ieee,ieee" }
attributes #1 = { convergent nounwind "amdgpu-ieee"="false" "denormal-fp-math"="ieee,ieee" "denormal-fp-math-f32"="ieee,ieee" "amdgpu-flat-work-group-size"="1,128" "uniform-work-group-size"="true" }
attributes #1000 = { alwaysinline convergent nounwind "amdgpu-ieee"="false" "denormal-fp-math"="ieee,ieee" "denormal-fp-math-f32"="ieee,ieee" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
