package emu_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"kmx/amdgpu/emu"
)

// sampleKernels sample images by LLVM's intrinsics.
const sampleKernels = `
typedef float f4 __attribute__((ext_vector_type(4)));
typedef f16 h4 __attribute__((ext_vector_type(4)));
typedef u32 image __attribute__((ext_vector_type(8)));
typedef u32 sampler __attribute__((ext_vector_type(4)));
#define CONSTANT const __attribute__((address_space(4)))
#define INTRINSIC(name) __asm("llvm.amdgcn.image." name)
DEVICE f4 sample1d(int, float, image, sampler, bool, int, int) INTRINSIC("sample.1d.v4f32.f32");
DEVICE f4 sample2d(int, float, float, image, sampler, bool, int, int) INTRINSIC("sample.2d.v4f32.f32");
DEVICE f4 sample2d_lz(int, float, float, image, sampler, bool, int, int) INTRINSIC("sample.lz.2d.v4f32.f32");
DEVICE f4 sample2d_l(int, float, float, float, image, sampler, bool, int, int) INTRINSIC("sample.l.2d.v4f32.f32");
DEVICE f4 sample2d_a16(int, f16, f16, image, sampler, bool, int, int) INTRINSIC("sample.lz.2d.v4f32.f16");
DEVICE h4 sample2d_d16(int, float, float, image, sampler, bool, int, int) INTRINSIC("sample.lz.2d.v4f16.f32");
DEVICE f4 sample1da(int, float, float, image, sampler, bool, int, int) INTRINSIC("sample.lz.1darray.v4f32.f32");
DEVICE f4 sample2da(int, float, float, float, image, sampler, bool, int, int) INTRINSIC("sample.lz.2darray.v4f32.f32");
DEVICE f4 gather(int, float, float, image, sampler, bool, int, int) INTRINSIC("gather4.2d.v4f32.f32");
DEVICE f4 gather_lz(int, float, float, image, sampler, bool, int, int) INTRINSIC("gather4.lz.2d.v4f32.f32");
DEVICE f4 gather_l(int, float, float, float, image, sampler, bool, int, int) INTRINSIC("gather4.l.2d.v4f32.f32");
struct P { f4 *out; CONSTANT image *t; CONSTANT sampler *s; const f4 *in; };
#define K(name, ...) KERNEL void name(P p) { u32 i = group * 64 + lane; f4 c = p.in[i]; image t = *p.t; sampler s = *p.s; __VA_ARGS__; }
K(s1d, p.out[i] = sample1d(15, c.x, t, s, false, 0, 0))
K(s2d, p.out[i] = sample2d(15, c.x, c.y, t, s, false, 0, 0))
K(lz, p.out[i] = sample2d_lz(15, c.x, c.y, t, s, false, 0, 0))
K(l, p.out[i] = sample2d_l(15, c.x, c.y, c.w, t, s, false, 0, 0))
K(unrm, p.out[i] = sample2d_lz(15, c.x, c.y, t, s, true, 0, 0))
K(a16, p.out[i] = sample2d_a16(15, (f16)c.x, (f16)c.y, t, s, false, 0, 0))
K(d16, p.out[i] = __builtin_convertvector(sample2d_d16(15, c.x, c.y, t, s, false, 0, 0), f4))
K(s1da, p.out[i] = sample1da(15, c.x, c.z, t, s, false, 0, 0))
K(s2da, p.out[i] = sample2da(15, c.x, c.y, c.z, t, s, false, 0, 0))
K(g0, p.out[i] = gather(1, c.x, c.y, t, s, false, 0, 0))
K(g1, p.out[i] = gather_lz(2, c.x, c.y, t, s, false, 0, 0))
K(g3, p.out[i] = gather_l(8, c.x, c.y, c.w, t, s, false, 0, 0))
`

// sampleReference samples an image apart from the emulator: in rational numbers,
// by the definitions of filters and address modes.
type sampleReference struct {
	*imageBench
	emu.Sampler
}

// texels is a coordinate in texels; NaN counts as 0.
func (s *sampleReference) texels(c float32, size int) *big.Rat {
	r := new(big.Rat)
	if c == c {
		r.SetFloat64(math.Max(-1e9, math.Min(1e9, float64(c))))
	}
	if !s.Unnormalised {
		r.Mul(r, big.NewRat(int64(size), 1))
	}
	return r
}

// rounded is r * unit as an integer, ties to even.
func rounded(r *big.Rat, unit int64) int64 {
	x := new(big.Rat).Mul(r, big.NewRat(unit, 1))
	twice := new(big.Rat).Add(new(big.Rat).Mul(x, big.NewRat(2, 1)), big.NewRat(1, 1))
	up := floor(new(big.Rat).Quo(twice, big.NewRat(2, 1))) // x + 1/2
	if new(big.Rat).Sub(big.NewRat(up, 1), x).Cmp(big.NewRat(1, 2)) == 0 && up%2 != 0 {
		up--
	}
	return up
}

func floor(r *big.Rat) int64 {
	return new(big.Int).Div(r.Num(), r.Denom()).Int64() // Euclidean: rounds down for a positive divisor
}

// place walks to where a texel's number leads.
func place(m emu.AddressMode, i int64, n int) (int64, bool) {
	size := int64(n)
	switch m {
	case emu.AddressWrap:
		i -= i / size * size
		if i < 0 {
			i += size
		}
		return i, true
	case emu.AddressMirror: // period 2n: 0 1 .. n-1 n-1 .. 1 0
		i -= i / (2 * size) * 2 * size
		if i < 0 {
			i = -1 - i
		}
		return min(i, 2*size-1-i), true
	case emu.AddressMirrorOnce, emu.AddressMirrorOnceBorder:
		if i < 0 {
			i = -(i + 1)
		}
	}
	if m == emu.AddressBorder || m == emu.AddressMirrorOnceBorder {
		return i, i >= 0 && i < size
	}
	return max(0, min(size-1, i)), true
}

// texel is a texel's numbers, by selected components.
func (s *sampleReference) value(x, y int64, z int) (v [4]float64) {
	x, inX := place(s.X, x, s.image.Width)
	y, inY := place(s.Y, y, max(s.image.Height, 1))
	n := len(componentsOf(s.image.Format))
	border := map[emu.BorderColour][4]float64{emu.BorderBlack: {3: 1}, emu.BorderWhite: {1, 1, 1, 1}}[s.Border]
	for c := range v {
		switch part := componentsOf(s.image.Format); {
		case c >= n:
			v[c] = float64(c / 3)
		case !inX || !inY:
			v[c] = border[c]
		default:
			v[c] = float64(float32(part[c].number(part[c].bitsOf(s.texel(int(x), int(y), z)))))
		}
	}
	return v
}

func (s *sampleReference) sample(u, v float32, z int) (out [4]float32) {
	x, y := s.texels(u, s.image.Width), s.texels(v, max(s.image.Height, 1))
	flat := s.image.Kind == emu.Image1D || s.image.Kind == emu.Image1DArray
	if !s.Linear {
		index := func(r *big.Rat) int64 {
			if s.Truncate {
				return floor(r)
			}
			return floor(big.NewRat(rounded(r, 64), 64))
		}
		i, j := index(x), index(y)
		if flat {
			j = 0
		}
		for c, t := range s.value(i, j, z) {
			out[c] = float32(t)
		}
		return out
	}
	half := big.NewRat(1, 2)
	fx, fy := rounded(x.Sub(x, half), 256), rounded(y.Sub(y, half), 256)
	i, j := floor(big.NewRat(fx, 256)), floor(big.NewRat(fy, 256))
	a, b := fx-256*i, fy-256*j
	if flat {
		j, b = 0, 0
	}
	corners := [4][4]float64{s.value(i, j, z), s.value(i+1, j, z), s.value(i, j+1, z), s.value(i+1, j+1, z)}
	weights := [4]int64{(256 - a) * (256 - b), a * (256 - b), (256 - a) * b, a * b}
	for c := range out {
		sum := new(big.Rat)
		for n, w := range weights {
			sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetFloat64(corners[n][c]), big.NewRat(w, 65536)))
		}
		out[c], _ = sum.Float32()
	}
	return out
}

// coordinates are texel centres and edges, what lies between and beyond, and what
// rounds one way or the other.
func coordinates(r *rand.Rand, i, size int, normalised bool) float32 {
	edges := []float64{0, 0.5, 1, float64(size), float64(size) - 0.5, -0.25, -1, 1 + 1.0/256, 1 + 1.0/512, 2 - 1.0/256, 1.5 + 3.0/512, float64(2*size) + 0.75, -float64(size) - 0.3,
		1 - 1.0/200, 1 - 1.0/120, math.NaN(), 3 + 1.0/1024, -0.004}
	x := (r.Float64()*3 - 1) * float64(size)
	if i < len(edges) {
		x = edges[i]
	}
	if normalised {
		x /= float64(size)
	}
	return float32(x)
}

func (s *sampleReference) prepare(t *testing.T, target string, seed uint64) [][3]float32 {
	d, err := s.Descriptor(target)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range d {
		binary.LittleEndian.PutUint32(s.words[32+4*i:], w)
	}
	r := rand.New(rand.NewPCG(seed, 3))
	out := make([][3]float32, 128)
	for i := range out {
		c := [3]float32{coordinates(r, i, s.image.Width, !s.Unnormalised), coordinates(r, (i+i/18)%40, max(s.image.Height, 1), !s.Unnormalised), float32(r.IntN(7)) - 1.5}
		out[i] = c
		s.coordinate(i, int32(math.Float32bits(c[0])), int32(math.Float32bits(c[1])), int32(math.Float32bits(c[2])), int32(math.Float32bits(3)))
	}
	return out
}

func fillTexels(b *imageBench, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 5))
	for i := 0; i+4 <= len(b.texels); i += 4 {
		v := r.Uint32()
		switch b.image.Format {
		case emu.FormatR32Float, emu.FormatRG32Float:
			v = math.Float32bits(float32(r.IntN(4001)-2000) / 64)
		case emu.FormatRGBA16Float:
			v &= 0xbbffbbff // no infinities
		}
		binary.LittleEndian.PutUint32(b.texels[i:], v)
	}
}

// TestImageSample: filters, address modes, kinds of coordinates, borders.
func TestImageSample(t *testing.T) {
	modes := []emu.AddressMode{emu.AddressWrap, emu.AddressMirror, emu.AddressClamp, emu.AddressMirrorOnce, emu.AddressBorder, emu.AddressMirrorOnceBorder}
	formats := []emu.Format{emu.FormatRGBA8Unorm, emu.FormatR32Float, emu.FormatRGBA16Float, emu.FormatRG16Snorm, emu.FormatR10G10B10A2Unorm, emu.FormatR11G11B10Float, emu.FormatRG32Float}
	eachImageWave(t, sampleKernels, func(t *testing.T, p *emu.Program) {
		n := 0
		for i, mode := range modes {
			for _, linear := range []bool{false, true} {
				for _, unnormalised := range []bool{false, true} {
					n++
					f := formats[n%len(formats)]
					if f == emu.FormatR11G11B10Float && linear {
						f = emu.FormatRGBA8Unorm // random ones are infinite now and then
					}
					b := newImageBench(t, p, emu.Image{Width: 5 + n%3, Height: 4 + n%2, Format: f})
					fillTexels(b, uint64(n))
					s := sampleReference{b, emu.Sampler{X: mode, Y: modes[(i+n)%len(modes)], Linear: linear, Unnormalised: unnormalised, Truncate: n%4 < 2, Border: emu.BorderColour(n % 3)}}
					cs := s.prepare(t, p.Target(), uint64(n))
					for _, kernel := range []string{"s2d", "lz", "l"} {
						b.mustDo(kernel, len(cs))
						for k, c := range cs {
							want := s.sample(c[0], c[1], 0)
							got := b.result(k)
							for j := range want {
								if !same(f, got[j], math.Float32bits(want[j])) {
									t.Fatalf("%s, %v, %+v: (%g, %g) component %d is %g, want %g", kernel, f, s.Sampler, c[0], c[1], j, math.Float32frombits(got[j]), want[j])
								}
							}
						}
					}
				}
			}
		}
	})
}

// TestImageSampleForms: 1D, arrays, 16-bit coordinates and results, coordinates
// unnormalised by the instruction, gathers.
func TestImageSampleForms(t *testing.T) {
	eachImageWave(t, sampleKernels, func(t *testing.T, p *emu.Program) {
		check := func(kernel string, s sampleReference, want func(c [3]float32) [4]float32) {
			t.Helper()
			fillTexels(s.imageBench, uint64(len(kernel)))
			normal := s.Sampler
			if kernel == "unrm" { // the descriptor does not say so
				s.Unnormalised = false
			}
			cs := s.prepare(t, p.Target(), 9)
			s.Sampler = normal
			s.mustDo(kernel, len(cs))
			for k, c := range cs {
				w, got := want(c), s.result(k)
				for j := range w {
					if math.Float32bits(w[j]) != got[j] {
						t.Fatalf("%s: %g component %d is %g, want %g", kernel, c, j, math.Float32frombits(got[j]), w[j])
					}
				}
			}
		}
		bench := func(kind emu.ImageKind, height, layers int) *imageBench {
			return newImageBench(t, p, emu.Image{Kind: kind, Width: 60, Height: height, Layers: layers, Format: emu.FormatRGBA8Unorm})
		}
		linear := emu.Sampler{X: emu.AddressClamp, Y: emu.AddressWrap, Linear: true}
		one := sampleReference{bench(emu.Image1D, 1, 1), linear}
		check("s1d", one, func(c [3]float32) [4]float32 { return one.sample(c[0], 0, 0) })
		layer := func(c float32, layers float64) int { return int(max(0, min(layers-1, math.RoundToEven(float64(c))))) }
		row := sampleReference{bench(emu.Image1DArray, 1, 5), linear}
		check("s1da", row, func(c [3]float32) [4]float32 { return row.sample(c[0], 0, layer(c[2], 5)) })
		array := sampleReference{bench(emu.Image2DArray, 6, 4), linear}
		check("s2da", array, func(c [3]float32) [4]float32 {
			return array.sample(c[0], c[1], layer(c[2], 4))
		})
		plain := sampleReference{bench(emu.Image2D, 6, 1), linear}
		half := func(x float32) float32 { return float32(component{"FLOAT", 0, 16}.number(nearestHalf(x))) }
		check("a16", plain, func(c [3]float32) [4]float32 { return plain.sample(half(c[0]), half(c[1]), 0) })
		check("d16", plain, func(c [3]float32) [4]float32 {
			v := plain.sample(c[0], c[1], 0)
			for j := range v {
				v[j] = half(v[j])
			}
			return v
		})
		unrm := sampleReference{bench(emu.Image2D, 6, 1), emu.Sampler{X: emu.AddressClamp, Y: emu.AddressClamp, Linear: true, Unnormalised: true}}
		check("unrm", unrm, func(c [3]float32) [4]float32 { return unrm.sample(c[0], c[1], 0) })
		gathered := sampleReference{bench(emu.Image2D, 6, 1), emu.Sampler{X: emu.AddressBorder, Y: emu.AddressMirror, Border: emu.BorderBlack}}
		for kernel, component := range map[string]int{"g0": 0, "g1": 1, "g3": 3} {
			check(kernel, gathered, func(c [3]float32) (out [4]float32) {
				half := big.NewRat(1, 2)
				x, y := gathered.texels(c[0], 60), gathered.texels(c[1], 6)
				i, j := floor(big.NewRat(rounded(x.Sub(x, half), 256), 256)), floor(big.NewRat(rounded(y.Sub(y, half), 256), 256))
				for n, at := range [][2]int64{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
					out[n] = float32(gathered.value(i+at[0], j+at[1], 0)[component])
				}
				return out
			})
		}
	})
}

// nearestHalf is a number as f16, by looking for the nearest; ties to even.
func nearestHalf(x float32) uint32 {
	c := component{"FLOAT", 0, 16}
	if x != x {
		return 0x7e00
	}
	lo := c.storedFloat(float64(x))
	hi := lo + 1
	down, up := math.Abs(float64(x)-c.number(lo)), math.Abs(c.number(hi)-float64(x))
	if down < up || down == up && lo&1 == 0 {
		return lo
	}
	return hi
}

func ExampleImage_Descriptor() {
	im := emu.Image{Width: 640, Height: 480, Format: emu.FormatRGBA16Float, Base: 0x1_0000_0000}
	d, err := im.Descriptor("gfx1201")
	if err != nil {
		panic(err)
	}
	row, _, _ := im.Layout("gfx1201")
	fmt.Printf("%08x, rows of %d bytes\n", d, row)
	// Output: [01000000 c0720000 0077c09f 90000fac 0000027f 00000000 00000000 00000000], rows of 5120 bytes
}
