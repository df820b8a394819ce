package emu_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"kmx/amdgpu/emu"
)

// imageKernels load and store images by LLVM's intrinsics. A work-item is a
// coordinate; descriptors come from memory, as a runtime's texture objects do.
const imageKernels = `
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f2 __attribute__((ext_vector_type(2)));
typedef f16 h4 __attribute__((ext_vector_type(4)));
typedef u32 image __attribute__((ext_vector_type(8)));
typedef u32 sampler __attribute__((ext_vector_type(4)));
#define CONSTANT const __attribute__((address_space(4)))
#define INTRINSIC(name) __asm("llvm.amdgcn.image." name)
DEVICE f4 load1d(int, int, image, int, int) INTRINSIC("load.1d.v4f32.i32");
DEVICE f4 load2d(int, int, int, image, int, int) INTRINSIC("load.2d.v4f32.i32");
DEVICE f4 load1da(int, int, int, image, int, int) INTRINSIC("load.1darray.v4f32.i32");
DEVICE f4 load2da(int, int, int, int, image, int, int) INTRINSIC("load.2darray.v4f32.i32");
DEVICE f4 load2d_mip(int, int, int, int, image, int, int) INTRINSIC("load.mip.2d.v4f32.i32");
DEVICE f4 load2d_a16(int, short, short, image, int, int) INTRINSIC("load.2d.v4f32.i16");
DEVICE h4 load2d_d16(int, int, int, image, int, int) INTRINSIC("load.2d.v4f16.i32");
DEVICE void store1d(f4, int, int, image, int, int) INTRINSIC("store.1d.v4f32.i32");
DEVICE void store2d(f4, int, int, int, image, int, int) INTRINSIC("store.2d.v4f32.i32");
DEVICE void store2da(f4, int, int, int, int, image, int, int) INTRINSIC("store.2darray.v4f32.i32");
DEVICE void store2d_mip(f4, int, int, int, int, image, int, int) INTRINSIC("store.mip.2d.v4f32.i32");
DEVICE void store2d_d16(h4, int, int, int, image, int, int) INTRINSIC("store.2d.v4f16.i32");
DEVICE void store2d_2(f2, int, int, int, image, int, int) INTRINSIC("store.2d.v2f32.i32");
DEVICE f4 resinfo2da(int, int, image, int, int) INTRINSIC("getresinfo.2darray.v4f32.i32");
DEVICE f2 resinfo2d(int, int, image, int, int) INTRINSIC("getresinfo.2d.v2f32.i32");
struct P { f4 *out; CONSTANT image *t; CONSTANT sampler *s; const f4 *in; };
// coordinates: x, y, layer, level
#define K(name, ...) KERNEL void name(P p) { \
  u32 i = group * 64 + lane; f4 c = p.in[i]; \
  int x = __builtin_bit_cast(int, (float)c.x), y = __builtin_bit_cast(int, (float)c.y), z = __builtin_bit_cast(int, (float)c.z), w = __builtin_bit_cast(int, (float)c.w); \
  f4 v = p.in[gridded + i]; __VA_ARGS__; }
#define gridded 1024
K(l1d, p.out[i] = load1d(15, x, *p.t, 0, 0))
K(l2d, p.out[i] = load2d(15, x, y, *p.t, 0, 0))
K(l1da, p.out[i] = load1da(15, x, z, *p.t, 0, 0))
K(l2da, p.out[i] = load2da(15, x, y, z, *p.t, 0, 0))
K(lmip, p.out[i] = load2d_mip(15, x, y, w, *p.t, 0, 0))
K(la16, p.out[i] = load2d_a16(15, (short)x, (short)y, *p.t, 0, 0))
K(ld16, *(h4 *)&p.out[i] = load2d_d16(15, x, y, *p.t, 0, 0))
K(s1d, store1d(v, 15, x, *p.t, 0, 0))
K(s2d, store2d(v, 15, x, y, *p.t, 0, 0))
K(s2da, store2da(v, 15, x, y, z, *p.t, 0, 0))
K(smip, store2d_mip(v, 15, x, y, w, *p.t, 0, 0))
K(sd16, store2d_d16(__builtin_convertvector(v, h4), 15, x, y, *p.t, 0, 0))
K(s2d_rg, store2d_2(v.xy, 3, x, y, *p.t, 0, 0))
K(info2da, p.out[i] = resinfo2da(15, w, *p.t, 0, 0))
K(info2d, f2 r = resinfo2d(3, w, *p.t, 0, 0); p.out[i] = (f4){r.x, r.y, 0, 0})
`

// imageWaves are the targets and wave sizes that image tests run on.
var imageWaves = []struct {
	target string
	flags  []string
}{{"gfx1101", nil}, {"gfx1101", []string{"-mwavefrontsize64"}}, {"gfx1201", nil}, {"gfx1201", []string{"-mwavefrontsize64"}}}

// eachImageWave builds the kernels for each of them.
func eachImageWave(t *testing.T, source string, f func(t *testing.T, p *emu.Program)) {
	for _, w := range imageWaves {
		t.Run(w.target+strings.Join(w.flags, ""), func(t *testing.T) {
			t.Parallel()
			f(t, build(t, source, w.target, w.flags...))
		})
	}
}

// imageBench is an image in memory with its descriptor, and a kernel's parameters.
type imageBench struct {
	*device
	program *emu.Program
	image   emu.Image
	row     int
	slice   int
	texels  []byte
	out     []byte
	in      []byte // 1024 coordinates, 1024 values, four words each
	words   []byte // descriptors: image, sampler
}

func newImageBench(t *testing.T, p *emu.Program, im emu.Image) *imageBench {
	t.Helper()
	b := &imageBench{device: newDevice(t), program: p, image: im, out: make([]byte, 16*1024), in: make([]byte, 32*1024), words: make([]byte, 48)}
	var err error
	if b.row, b.slice, err = im.Layout(p.Target()); err != nil {
		t.Fatal(err)
	}
	b.texels = make([]byte, b.slice*max(im.Layers, 1))
	if b.image.Base, err = b.Map("image", 0, b.texels); err != nil {
		t.Fatal(err)
	}
	d, err := b.image.Descriptor(p.Target())
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range d {
		binary.LittleEndian.PutUint32(b.words[4*i:], w)
	}
	b.buffer("out", b.out)
	at, err := b.Map("descriptors", 0, b.words)
	if err != nil {
		t.Fatal(err)
	}
	b.args = binary.LittleEndian.AppendUint64(b.args, at)
	b.args = binary.LittleEndian.AppendUint64(b.args, at+32)
	b.buffer("in", b.in)
	for i := range 1024 {
		b.coordinate(i, -1) // outside
	}
	return b
}

func (b *imageBench) coordinate(i int, c ...int32) {
	for j, v := range c {
		binary.LittleEndian.PutUint32(b.in[16*i+4*j:], uint32(v))
	}
}

func (b *imageBench) value(i int, v [4]uint32) {
	for j, x := range v {
		binary.LittleEndian.PutUint32(b.in[16*1024+16*i+4*j:], x)
	}
}

func (b *imageBench) result(i int) (v [4]uint32) {
	for j := range v {
		v[j] = word(b.out, 4*i+j)
	}
	return v
}

// texel is the memory of a texel.
func (b *imageBench) texel(x, y, z int) []byte {
	at, n := z*b.slice+y*b.row+x*b.image.Format.Bytes(), b.image.Format.Bytes()
	return b.texels[at : at+n]
}

// do runs a kernel over n work-items, at least one work-group of 64.
func (b *imageBench) do(kernel string, n int) (*emu.Stats, error) {
	return b.launch(b.program, emu.Launch{Kernel: kernel, Grid: [3]uint32{uint32(n+63) / 64}, Block: [3]uint32{64}})
}

func (b *imageBench) mustDo(kernel string, n int) {
	b.Helper()
	if _, err := b.do(kernel, n); err != nil {
		b.Fatal(err)
	}
}

var imageFormats = []emu.Format{
	emu.FormatR8Unorm, emu.FormatR8Snorm, emu.FormatR8Uint, emu.FormatR8Sint, emu.FormatR16Unorm, emu.FormatR16Snorm, emu.FormatR16Uint, emu.FormatR16Sint,
	emu.FormatR16Float, emu.FormatRG8Unorm, emu.FormatRG8Snorm, emu.FormatRG8Uint, emu.FormatRG8Sint, emu.FormatR32Uint, emu.FormatR32Sint, emu.FormatR32Float,
	emu.FormatRG16Unorm, emu.FormatRG16Snorm, emu.FormatRG16Uint, emu.FormatRG16Sint, emu.FormatRG16Float, emu.FormatR11G11B10Float, emu.FormatR10G10B10A2Unorm,
	emu.FormatR10G10B10A2Snorm, emu.FormatR10G10B10A2Uint, emu.FormatR10G10B10A2Sint, emu.FormatRGBA8Unorm, emu.FormatRGBA8Snorm, emu.FormatRGBA8Uint,
	emu.FormatRGBA8Sint, emu.FormatRG32Uint, emu.FormatRG32Sint, emu.FormatRG32Float, emu.FormatRGBA16Unorm, emu.FormatRGBA16Snorm, emu.FormatRGBA16Uint,
	emu.FormatRGBA16Sint, emu.FormatRGBA16Float, emu.FormatRGBA32Uint, emu.FormatRGBA32Sint, emu.FormatRGBA32Float,
}

// component is a part of a texel as AMD's name of the format has it: "2_10_10_10_UNORM",
// from the most significant bits down.
type component struct {
	kind     string
	at, bits uint
}

func componentsOf(f emu.Format) (out []component) {
	parts := strings.Split(f.String(), "_")
	at := uint(0)
	for i := len(parts) - 2; i >= 0; i-- {
		n, _ := strconv.Atoi(parts[i])
		out = append(out, component{parts[len(parts)-1], at, uint(n)})
		at += uint(n)
	}
	return out
}

func (c component) bitsOf(texel []byte) uint32 {
	v := uint32(0)
	for i := range c.bits {
		at := c.at + i
		v |= uint32(texel[at/8]>>(at%8)&1) << i
	}
	return v
}

// number is a component's value, apart from what the emulator does: by the
// definition of its kind, in f64.
func (c component) number(raw uint32) float64 {
	signed := float64(int32(raw<<(32-c.bits)) >> (32 - c.bits))
	switch {
	case c.kind == "UNORM":
		return float64(raw) / (math.Pow(2, float64(c.bits)) - 1)
	case c.kind == "SNORM":
		return math.Max(-1, signed/(math.Pow(2, float64(c.bits)-1)-1))
	case c.kind == "UINT":
		return float64(raw)
	case c.kind == "SINT":
		return signed
	case c.bits == 32:
		return float64(math.Float32frombits(raw))
	}
	mantissa, sign := c.bits-5, 1.0
	if c.bits == 16 {
		if mantissa = 10; raw>>15 != 0 {
			sign = -1
		}
	}
	fraction := float64(raw&(1<<mantissa-1)) / math.Pow(2, float64(mantissa))
	switch e := raw >> mantissa & 31; e {
	case 0:
		return sign * math.Ldexp(fraction, -14)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	default:
		return sign * math.Ldexp(1+fraction, int(e)-15)
	}
}

// register is a component as a lane gets it.
func (c component) register(raw uint32) uint32 {
	if c.kind == "UINT" || c.kind == "SINT" {
		return uint32(int64(c.number(raw)))
	}
	return math.Float32bits(float32(c.number(raw)))
}

// same compares what lanes hold; any NaN equals any other.
func same(f emu.Format, got, want uint32) bool {
	if strings.HasSuffix(f.String(), "INT") {
		return got == want
	}
	a, b := math.Float32frombits(got), math.Float32frombits(want)
	return got == want || a != a && b != b
}

// expected is what a load of a texel gives.
func expected(f emu.Format, texel []byte) (v [4]uint32) {
	if v[3] = math.Float32bits(1); strings.HasSuffix(f.String(), "INT") {
		v[3] = 1
	}
	for i, c := range componentsOf(f) {
		v[i] = c.register(c.bitsOf(texel))
	}
	return v
}

// TestImageLoad: every format, rows that are longer than the image, and in one
// of two cases an own pitch.
func TestImageLoad(t *testing.T) {
	eachImageWave(t, imageKernels, func(t *testing.T, p *emu.Program) {
		for n, f := range imageFormats {
			im := emu.Image{Width: 37, Height: 9, Format: f}
			if n%2 == 1 {
				im.Pitch = 37*f.Bytes()/256*256 + 512
			}
			b := newImageBench(t, p, im)
			r := rand.New(rand.NewPCG(uint64(n), 1))
			for i := range b.texels {
				b.texels[i] = byte(r.Uint32())
			}
			copy(b.texel(0, 0, 0), "\x00\x00\x00\x80\x00\x80\x00\x00\xff\xff\xff\xff\x01\x00\x00\x00")
			copy(b.texel(1, 0, 0), "\xff\xff\xff\xff\xff\x7f\xff\x7f\x00\x00\x80\x7f\x00\x00\xc0\xff")
			for i := range 37 * 9 {
				b.coordinate(i, int32(i%37), int32(i/37), -5, 0)
			}
			for _, kernel := range []string{"l2d", "lmip", "la16"} {
				b.mustDo(kernel, 37*9)
				for i := range 37 * 9 {
					got, want := b.result(i), expected(f, b.texel(i%37, i/37, 0))
					for c := range got {
						if !same(f, got[c], want[c]) {
							t.Fatalf("%s, %v: texel (%d,%d) % x is %#x, want %#x", kernel, f, i%37, i/37, b.texel(i%37, i/37, 0), got, want)
						}
					}
				}
			}
		}
	})
}
