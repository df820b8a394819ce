package emit_test

import (
	"encoding/binary"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/emit/emittest"
	"kmx/emit/emittest/emulated"
)

// A handle of zero reads zeros, also where other lanes have another handle, and
// for every way to read a texture.
const nullHandles = header + `
.visible .entry handles(.param .u64 out_ptr, .param .u64 first, .param .u64 second)
{
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.reg .f32 %f<20>;
	.reg .b64 %rd<9>;
	ld.param.u64 %rd1, [out_ptr];
	ld.param.u64 %rd2, [first];
	ld.param.u64 %rd3, [second];
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 3;
	mov.u64 %rd4, 0;
	setp.eq.u32 %p1, %r2, 1;
	selp.b64 %rd4, %rd2, %rd4, %p1;
	setp.eq.u32 %p1, %r2, 2;
	selp.b64 %rd4, %rd3, %rd4, %p1;
	mov.u32 %r3, 2;
	mov.f32 %f1, 0f40200000;
	mov.f32 %f2, 0f00000000;
	tex.base.2d.v4.f32.s32 {%f3, _, _, _}, [%rd4, {%r3, %r3}];
	tex.2d.v4.f32.f32 {%f4, _, _, _}, [%rd4, {%f1, %f1}];
	tex.level.2d.v4.f32.f32 {%f5, _, _, _}, [%rd4, {%f1, %f1}], %f2;
	tld4.r.2d.v4.f32.f32 {%f6, _, _, _}, [%rd4, {%f1, %f1}];
	mul.wide.u32 %rd5, %r1, 16;
	add.u64 %rd5, %rd1, %rd5;
	st.global.v4.f32 [%rd5], {%f3, %f4, %f5, %f6};
	ret;
}
`

func TestNullHandles(t *testing.T) {
	m := parse(t, nullHandles)
	format, _ := emittest.ParseFormat("r32f")
	for _, o := range builds {
		t.Run(name(o), func(t *testing.T) {
			p := program(t, m, "handles", o)
			d := newDevice(t)
			out := d.buffer("out", make([]byte, 16*64))
			for _, v := range []float32{5, 7} { // images of one value
				data := make([]byte, 4*8*8)
				for i := range 64 {
					binary.LittleEndian.PutUint32(data[4*i:], uint32(bits32(v)))
				}
				image := emittest.Image{Format: format, Width: 8, Height: 8}
				param := emittest.Param{Name: "t", Kind: emittest.Texture, Image: image}
				q, err := emulated.Device{Memory: d.Memory, Target: o.Target}.Picture(param, data)
				if err != nil {
					t.Fatal(err)
				}
				d.args = binary.LittleEndian.AppendUint64(d.args, q.Handle)
			}
			d.launch(p, emu.Launch{Kernel: "handles", Block: [3]uint32{64}})
			for i := range 4 * 64 {
				want := []float32{0, 5, 7, 0}[i/4&3]
				if got := f32(uint64(binary.LittleEndian.Uint32(out[4*i:]))); got != want {
					t.Fatalf("thread %d, result %d: %g, want %g", i/4, i&3, got, want)
				}
			}
		})
	}
}
