; The 32 lanes of a warp. In wave64 the upper 32 lanes are a warp of their own.

;@ wave=32
define internal i32 @ptx.laneid() {
  %r = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  ret i32 %r
}

;@ wave=64
define internal i32 @ptx.laneid() {
  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)
  %r = and i32 %lane, 31
  ret i32 %r
}

;@ wave=32
; The lane of the wave that is lane %n of this warp.
define internal i32 @ptx.wavelane(i32 %n) {
  ret i32 %n
}

;@ wave=64
define internal i32 @ptx.wavelane(i32 %n) {
  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)
  %warp = and i32 %lane, 32
  %r = or i32 %warp, %n
  ret i32 %r
}

;@ wave=32
define internal i32 @ptx.ballot(i1 %p) {
  %r = call i32 @llvm.amdgcn.ballot.i32(i1 %p)
  ret i32 %r
}

;@ wave=64
define internal i32 @ptx.ballot(i1 %p) {
  %both = call i64 @llvm.amdgcn.ballot.i64(i1 %p)
  %low = trunc i64 %both to i32
  %above = lshr i64 %both, 32
  %high = trunc i64 %above to i32
  %first = call i32 @ptx.wavelane(i32 0)
  %lower = icmp eq i32 %first, 0
  %r = select i1 %lower, i32 %low, i32 %high
  ret i32 %r
}

;@
define internal i32 @ptx.vote.ballot(i1 %p, i32 %members) {
  %all = call i32 @ptx.ballot(i1 %p)
  %r = and i32 %all, %members
  ret i32 %r
}

;@
define internal i1 @ptx.vote.any(i1 %p, i32 %members) {
  %b = call i32 @ptx.vote.ballot(i1 %p, i32 %members)
  %r = icmp ne i32 %b, 0
  ret i1 %r
}

;@
define internal i1 @ptx.vote.all(i1 %p, i32 %members) {
  %not = xor i1 %p, true
  %b = call i32 @ptx.vote.ballot(i1 %not, i32 %members)
  %r = icmp eq i32 %b, 0
  ret i1 %r
}

;@
define internal i1 @ptx.vote.uni(i1 %p, i32 %members) {
  %any = call i1 @ptx.vote.any(i1 %p, i32 %members)
  %all = call i1 @ptx.vote.all(i1 %p, i32 %members)
  %no = xor i1 %any, true
  %r = or i1 %all, %no
  ret i1 %r
}

;@
define internal { i32, i1 } @ptx.shfl.idx(i32 %a, i32 %b, i32 %c) {
  %low = call i32 @ptx.shfl.first(i32 %c)
  %high = call i32 @ptx.shfl.last(i32 %c)
  %segment = call i32 @ptx.shfl.segment(i32 %c)
  %outside = xor i32 %segment, 31
  %within = and i32 %b, %outside
  %from = or i32 %low, %within
  %ok = icmp sle i32 %from, %high
  %r = call { i32, i1 } @ptx.shfl.read(i32 %a, i32 %from, i1 %ok)
  ret { i32, i1 } %r
}

;@
define internal { i32, i1 } @ptx.shfl.bfly(i32 %a, i32 %b, i32 %c) {
  %lane = call i32 @ptx.laneid()
  %high = call i32 @ptx.shfl.last(i32 %c)
  %by = and i32 %b, 31
  %from = xor i32 %lane, %by
  %ok = icmp sle i32 %from, %high
  %r = call { i32, i1 } @ptx.shfl.read(i32 %a, i32 %from, i1 %ok)
  ret { i32, i1 } %r
}

;@
define internal { i32, i1 } @ptx.shfl.down(i32 %a, i32 %b, i32 %c) {
  %lane = call i32 @ptx.laneid()
  %high = call i32 @ptx.shfl.last(i32 %c)
  %by = and i32 %b, 31
  %from = add i32 %lane, %by
  %ok = icmp sle i32 %from, %high
  %r = call { i32, i1 } @ptx.shfl.read(i32 %a, i32 %from, i1 %ok)
  ret { i32, i1 } %r
}

;@
; Here the bound is the lowest lane.
define internal { i32, i1 } @ptx.shfl.up(i32 %a, i32 %b, i32 %c) {
  %lane = call i32 @ptx.laneid()
  %low = call i32 @ptx.shfl.last(i32 %c)
  %by = and i32 %b, 31
  %from = sub i32 %lane, %by
  %ok = icmp sge i32 %from, %low
  %r = call { i32, i1 } @ptx.shfl.read(i32 %a, i32 %from, i1 %ok)
  ret { i32, i1 } %r
}

;@
; Bits 8 to 12 of %c say which bits of a lane name its segment.
define internal i32 @ptx.shfl.segment(i32 %c) {
  %up = lshr i32 %c, 8
  %r = and i32 %up, 31
  ret i32 %r
}

;@
define internal i32 @ptx.shfl.first(i32 %c) {
  %lane = call i32 @ptx.laneid()
  %segment = call i32 @ptx.shfl.segment(i32 %c)
  %r = and i32 %lane, %segment
  ret i32 %r
}

;@
; The bound of the lane's segment.
define internal i32 @ptx.shfl.last(i32 %c) {
  %first = call i32 @ptx.shfl.first(i32 %c)
  %segment = call i32 @ptx.shfl.segment(i32 %c)
  %outside = xor i32 %segment, 31
  %within = and i32 %c, %outside
  %r = or i32 %first, %within
  ret i32 %r
}

;@
; A lane whose source lies outside its segment keeps its own value.
define internal { i32, i1 } @ptx.shfl.read(i32 %a, i32 %from, i1 %ok) {
  %lane = call i32 @ptx.laneid()
  %source = select i1 %ok, i32 %from, i32 %lane
  %of = call i32 @ptx.wavelane(i32 %source)
  %address = shl i32 %of, 2
  %v = call i32 @llvm.amdgcn.ds.bpermute(i32 %address, i32 %a)
  %x = insertvalue { i32, i1 } poison, i32 %v, 0
  %r = insertvalue { i32, i1 } %x, i1 %ok, 1
  ret { i32, i1 } %r
}

;@
define internal i32 @ptx.lanemask.eq(i32 %lane) {
  %r = shl i32 1, %lane
  ret i32 %r
}

;@
define internal i32 @ptx.lanemask.lt(i32 %lane) {
  %bit = shl i32 1, %lane
  %r = sub i32 %bit, 1
  ret i32 %r
}

;@
define internal i32 @ptx.lanemask.le(i32 %lane) {
  %left = sub i32 31, %lane
  %r = lshr i32 -1, %left
  ret i32 %r
}

;@
define internal i32 @ptx.lanemask.ge(i32 %lane) {
  %r = shl i32 -1, %lane
  ret i32 %r
}

;@
define internal i32 @ptx.lanemask.gt(i32 %lane) {
  %r = shl i32 -2, %lane
  ret i32 %r
}

;@
; The lanes of a wave run in step, so that only the order of their accesses to
; memory has to be kept.
define internal void @ptx.bar.warp.sync() {
  fence syncscope("wavefront") release
  call void @llvm.amdgcn.wave.barrier()
  fence syncscope("wavefront") acquire
  ret void
}

;@
define internal void @ptx.bar.sync() {
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  ret void
}
