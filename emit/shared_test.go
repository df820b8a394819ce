package emit_test

import (
	"encoding/binary"
	"testing"

	"kmx/amdgpu/emu"
)

// Shared memory that the launch sizes, beside arrays of one name in two scopes and
// one of the module.
const sharedKernel = header + `
.extern .shared .align 16 .b8 dynamic[];
.shared .align 4 .b32 table[64];
.global .align 4 .b32 counts[4] = {7, 9};
.visible .global .align 4 .u32 seen;

.visible .entry shared(.param .u64 out_ptr)
{
	.reg .b32 %r<12>;
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [out_ptr];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, dynamic;
	add.u32 %r3, %r3, %r2;
	mul.lo.u32 %r4, %r1, 3;
	st.shared.u32 [%r3], %r4;
	mov.u32 %r3, table;
	add.u32 %r3, %r3, %r2;
	mul.lo.u32 %r4, %r1, 100;
	st.shared.u32 [%r3], %r4;
	{
	.shared .align 4 .b32 own[64];
	mov.u32 %r3, own;
	add.u32 %r3, %r3, %r2;
	mul.lo.u32 %r4, %r1, 10000;
	st.shared.u32 [%r3], %r4;
	mov.u32 %r8, own;
	}
	{
	.shared .align 4 .b32 own[64];
	mov.u32 %r3, own;
	add.u32 %r3, %r3, %r2;
	mul.lo.u32 %r4, %r1, 1000000;
	st.shared.u32 [%r3], %r4;
	mov.u32 %r9, own;
	}
	bar.sync 0;
	sub.u32 %r5, 252, %r2;
	mov.u32 %r3, dynamic;
	add.u32 %r3, %r3, %r5;
	ld.shared.u32 %r6, [%r3];
	mov.u32 %r3, table;
	add.u32 %r3, %r3, %r5;
	ld.shared.u32 %r7, [%r3];
	add.u32 %r6, %r6, %r7;
	add.u32 %r8, %r8, %r5;
	ld.shared.u32 %r7, [%r8];
	add.u32 %r6, %r6, %r7;
	add.u32 %r9, %r9, %r5;
	ld.shared.u32 %r7, [%r9];
	add.u32 %r6, %r6, %r7;
	ld.global.u32 %r7, [counts+4];
	add.u32 %r6, %r6, %r7;
	ld.global.u32 %r7, [counts+12];
	add.u32 %r6, %r6, %r7;
	cvt.u64.u32 %rd2, %r2;
	add.u64 %rd2, %rd1, %rd2;
	st.global.u32 [%rd2], %r6;
	st.global.u32 [seen], 5;
	ret;
}
`

func TestSharedMemory(t *testing.T) {
	m := parse(t, sharedKernel)
	for _, o := range builds {
		t.Run(name(o), func(t *testing.T) {
			p := program(t, m, "shared", o)
			d := newDevice(t)
			out := d.buffer("out", make([]byte, 4*64))
			d.launch(p, emu.Launch{Kernel: "shared", Block: [3]uint32{64}, DynamicLDS: 256})
			for i := range uint32(64) {
				if got, want := binary.LittleEndian.Uint32(out[4*i:]), (63-i)*1010103+9; got != want {
					t.Fatalf("out[%d] = %d, want %d", i, got, want)
				}
			}
			if seen, err := d.Variable(p, "seen"); err != nil || binary.LittleEndian.Uint32(seen) != 5 {
				t.Errorf("the variable that the host sees: %v, %v", seen, err)
			}
		})
	}
}
