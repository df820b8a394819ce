package emit_test

import (
	"encoding/binary"
	"testing"

	"kmx/amdgpu/emu"
)

// A whole kernel as nvcc writes them: parameters, thread numbers, a guard, a
// loop, shared memory, a barrier, a function.
const whole = header + `
.func (.param .b32 twice_ret) twice(.param .b32 twice_0)
{
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [twice_0];
	shl.b32 %r2, %r1, 1;
	st.param.b32 [twice_ret+0], %r2;
	ret;
}

.visible .entry whole(
	.param .u64 whole_param_0,
	.param .u64 whole_param_1,
	.param .u32 whole_param_2
)
{
	.reg .pred %p<4>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<9>;
	.shared .align 4 .b8 tile[512];

	ld.param.u64 %rd1, [whole_param_0];
	ld.param.u64 %rd2, [whole_param_1];
	ld.param.u32 %r1, [whole_param_2];
	cvta.to.global.u64 %rd3, %rd1;
	cvta.to.global.u64 %rd4, %rd2;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 bra $L__BB0_4;
	mul.wide.u32 %rd5, %r5, 4;
	add.s64 %rd6, %rd3, %rd5;
	ld.global.nc.u32 %r6, [%rd6];
	shl.b32 %r7, %r4, 2;
	mov.u32 %r8, tile;
	add.s32 %r9, %r8, %r7;
	st.shared.u32 [%r9], %r6;
	bar.sync 0;
	mov.u32 %r10, 0;
	mov.u32 %r11, 0;
$L__BB0_2:
	ld.shared.u32 %r12, [%r8];
	add.s32 %r10, %r10, %r12;
	add.s32 %r8, %r8, 4;
	add.s32 %r11, %r11, 1;
	setp.lt.u32 %p2, %r11, %r3;
	@%p2 bra $L__BB0_2;
	{
	.reg .b32 temp_param_reg;
	.param .b32 param0;
	st.param.b32 [param0+0], %r10;
	.param .b32 retval0;
	call.uni (retval0), twice, (param0);
	ld.param.b32 %r13, [retval0+0];
	}
	add.s32 %r14, %r13, %r6;
	add.s64 %rd7, %rd4, %rd5;
	st.global.u32 [%rd7], %r14;
$L__BB0_4:
	ret;
}
`

func TestWholeKernel(t *testing.T) {
	m := parse(t, whole)
	for _, o := range builds {
		t.Run(name(o), func(t *testing.T) {
			p := program(t, m, "whole", o)
			d := newDevice(t)
			in, out := make([]byte, 4*256), make([]byte, 4*256)
			for i := range 256 {
				binary.LittleEndian.PutUint32(in[4*i:], uint32(i*i+3))
			}
			d.buffer("in", in)
			d.buffer("out", out)
			d.args = binary.LittleEndian.AppendUint32(d.args, 256)
			d.launch(p, emu.Launch{Kernel: "whole", Grid: [3]uint32{2}, Block: [3]uint32{128}})
			for block := range 2 {
				sum := uint32(0)
				for i := range 128 {
					sum += binary.LittleEndian.Uint32(in[4*(128*block+i):])
				}
				for i := 128 * block; i < 128*block+128; i++ {
					want := 2*sum + binary.LittleEndian.Uint32(in[4*i:])
					if got := binary.LittleEndian.Uint32(out[4*i:]); got != want {
						t.Fatalf("out[%d] = %d, want %d", i, got, want)
					}
				}
			}
		})
	}
}
