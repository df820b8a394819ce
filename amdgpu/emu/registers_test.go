package emu_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/emu"
)

// TestRegisterAllocation: an object whose descriptor allocates fewer vector
// registers than its code names is refused.
func TestRegisterAllocation(t *testing.T) {
	const source = `KERNEL void k(u32 *out) { u32 a[12]; for (int i = 0; i < 12; i++) asm volatile("v_mov_b32 %0, %1" : "=v"(a[i]) : "v"(lane)); for (int i = 0; i < 12; i++) out[32 * i + lane] = a[i] + a[11 - i]; }`
	object := compile(t, source, "gfx1201")
	o, err := codeobj.Read(object)
	if err != nil {
		t.Fatal(err)
	}
	if d, ok := o.Descriptor("k"); !ok || d.RSRC1&0x3f == 0 {
		t.Fatalf("%+v: the kernel was to need more than one granule", d)
	}
	s, ok := o.Symbol("k.kd")
	if !ok {
		t.Fatal("no descriptor")
	}
	// .rodata lies in the first segment, whose addresses are offsets in the file
	object = bytes.Clone(object)
	at := s.Address() + 48
	binary.LittleEndian.PutUint32(object[at:], binary.LittleEndian.Uint32(object[at:])&^0x3f)
	p, err := emu.Load(t.Context(), object, objdump(t))
	if err != nil {
		t.Fatal(err)
	}
	d := newDevice(t)
	d.buffer("out", make([]byte, 4*32*12))
	if _, err := d.launch(p, emu.Launch{Kernel: "k", Block: [3]uint32{32}}); err == nil || !strings.Contains(err.Error(), "its descriptor allocates 8") {
		t.Errorf("launched with too few registers: %v", err)
	}
}

// TestHalvesOfRegisters: code that addresses halves of registers gives the same
// results as code that does not.
func TestHalvesOfRegisters(t *testing.T) {
	const source = `
typedef f16 half2 __attribute__((ext_vector_type(2)));
struct P { half2 *out; const half2 *in; };
KERNEL void k(P p) {
  half2 x = p.in[lane];
  f16 a = x.x * x.y + (f16)1.5f, b = x.x - x.y;
  i16 n = (i16)__builtin_bit_cast(u32, x), m = n * (i16)lane;
  p.out[lane] = (half2){a, b}; p.out[lane + 32] = (half2){b, a};
  p.out[lane + 64] = __builtin_bit_cast(half2, (u32)(u16)m << 16 | (u16)(n >> 3));
}`
	var results [][]byte
	for _, flags := range [][]string{nil, {"-Xclang", "-target-feature", "-Xclang", "+real-true16"}} {
		p := build(t, source, "gfx1101", flags...)
		d := newDevice(t)
		out := d.buffer("out", make([]byte, 4*96))
		in := make([]byte, 4*32)
		for i := range 64 {
			binary.LittleEndian.PutUint16(in[2*i:], uint16(0x3000+57*i))
		}
		d.buffer("in", in)
		d.mustLaunch(p, emu.Launch{Kernel: "k", Block: [3]uint32{32}})
		results = append(results, out)
	}
	if !bytes.Equal(results[0], results[1]) {
		t.Errorf("results differ:\n%x\n%x", results[0], results[1])
	}
}
