package emu_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"kmx/amdgpu/emu"
)

// stored is the bits of a component that hold a register's value, found by trying
// what they stand for: the nearest normalised value, the nearest integer in range,
// the float that is not further from zero.
func (c component) stored(v uint32) uint32 {
	mask := uint32(1)<<c.bits - 1
	if c.bits == 32 {
		return v
	}
	x := float64(math.Float32frombits(v))
	switch c.kind {
	case "UINT":
		return min(v, mask)
	case "SINT":
		return uint32(max(min(int64(int32(v)), int64(mask>>1)), -int64(mask>>1)-1)) & mask
	case "UNORM", "SNORM":
		if x != x {
			x = 0
		}
		lowest := 0.0
		if c.kind == "SNORM" {
			lowest = -1
		}
		x = max(lowest, min(1, x))
		guess := int64(math.Floor(x * float64(mask)))
		if c.kind == "SNORM" {
			guess = int64(math.Floor(x * float64(mask>>1)))
		}
		// of this and the next, the nearer
		a, b := uint32(guess)&mask, uint32(guess+1)&mask
		if c.kind == "UNORM" && guess >= int64(mask) || c.kind == "SNORM" && guess >= int64(mask>>1) {
			return a
		}
		da, db := x-c.number(a), c.number(b)-x
		if da < db || da == db && a&1 == 0 {
			return a
		}
		return b
	}
	return c.storedFloat(x)
}

func (c component) storedFloat(x float64) uint32 {
	mantissa, sign := c.bits-5, uint32(0)
	if c.bits == 16 {
		mantissa = 10
		if math.Signbit(x) {
			sign = 0x8000
		}
	}
	infinity := uint32(31) << mantissa
	if x != x {
		return infinity | 1
	}
	if c.bits != 16 && x < 0 {
		return 0
	}
	if math.IsInf(x, 0) {
		return sign | infinity
	}
	best := uint32(0) // the largest that is not above |x|
	for lo, hi := uint32(0), infinity; lo < hi; {
		mid := (lo + hi) / 2
		if c.number(mid) <= math.Abs(x) {
			best, lo = mid, mid+1
		} else {
			hi = mid
		}
	}
	return sign | best
}

// values are registers with what is likely to go wrong among them.
func values(r *rand.Rand, f emu.Format, i int) (v [4]uint32) {
	edges := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, -7, 65504, 65519, 65520, 1e9, -1e9, math.Inf(1), math.Inf(-1), math.NaN(),
		0x1p-14, 0x1p-24, 0x1p-25, -0x1.8p-15, 1.0 / 255, 0.25, 127.5 / 255, 0x1.fffp-1, 65024, 64512, 3e-39}
	for c := range v {
		switch {
		case strings.HasSuffix(f.String(), "INT"):
			v[c] = r.Uint32() >> r.IntN(32)
			if r.IntN(2) == 0 {
				v[c] = -v[c]
			}
		case i < len(edges):
			v[c] = math.Float32bits(float32(edges[(i+c)%len(edges)]))
		default:
			v[c] = math.Float32bits(float32(r.NormFloat64() * 0.7))
		}
	}
	return v
}

func isNaN(f emu.Format, c component, raw uint32) bool {
	x := c.number(raw)
	return c.kind == "FLOAT" && x != x
}

// TestImageStore: every format; what lies around the texels stays.
func TestImageStore(t *testing.T) {
	eachImageWave(t, imageKernels, func(t *testing.T, p *emu.Program) {
		for n, f := range imageFormats {
			b := newImageBench(t, p, emu.Image{Width: 29, Height: 7, Format: f})
			for _, kernel := range []string{"s2d", "smip", "sd16"} {
				r := rand.New(rand.NewPCG(uint64(n), 2))
				fill := byte(0x5a)
				for i := range b.texels {
					b.texels[i] = fill
				}
				if kernel == "sd16" && strings.HasSuffix(f.String(), "INT") {
					continue // the kernel's values are floats
				}
				order := r.Perm(29 * 7)
				for i, at := range order {
					b.coordinate(i, int32(at%29), int32(at/29), -5, 0)
					v := values(r, f, i)
					if kernel == "sd16" { // what survives in f16
						for c := range v {
							v[c] = math.Float32bits(float32(math.Float32frombits(v[c]&^0x1fff | v[c]>>31<<31)))
							if x := math.Float32frombits(v[c]); x == x && (math.Abs(float64(x)) > 65504 || math.Abs(float64(x)) < 0x1p-14) {
								v[c] = 0
							}
						}
					}
					b.value(i, v)
				}
				b.mustDo(kernel, len(order))
				for i, at := range order {
					var v [4]uint32
					for c := range v {
						v[c] = word(b.in, 4*1024+4*i+c)
					}
					texel := b.texel(at%29, at/29, 0)
					for c, part := range componentsOf(f) {
						got, want := part.bitsOf(texel), part.stored(v[c])
						if got != want && !(isNaN(f, part, got) && isNaN(f, part, want)) {
							t.Fatalf("%s, %v: %g (%#x) as component %d is %#x, want %#x", kernel, f, math.Float32frombits(v[c]), v[c], c, got, want)
						}
					}
				}
				for y := range 7 {
					rest := b.texels[y*b.row+29*f.Bytes() : (y+1)*b.row]
					if !bytes.Equal(rest, bytes.Repeat([]byte{fill}, len(rest))) {
						t.Fatalf("%s, %v: a store reached beyond row %d", kernel, f, y)
					}
				}
			}
		}
	})
}

// TestImageMissingComponents: a store of two components to an image of four
// clears the others on gfx11 and repeats the first on gfx12.
func TestImageMissingComponents(t *testing.T) {
	eachImageWave(t, imageKernels, func(t *testing.T, p *emu.Program) {
		b := newImageBench(t, p, emu.Image{Width: 4, Format: emu.FormatRGBA32Uint})
		b.coordinate(0, 0, 0)
		b.value(0, [4]uint32{7, 8, 9, 10})
		b.mustDo("s2d_rg", 1)
		want := "\x07\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
		if strings.HasPrefix(p.Target(), "gfx12") {
			want = "\x07\x00\x00\x00\x08\x00\x00\x00\x07\x00\x00\x00\x07\x00\x00\x00"
		}
		if got := string(b.texel(0, 0, 0)); got != want {
			t.Errorf("% x, want % x", got, want)
		}
	})
}

// TestImageOutside: coordinates outside read 0, with alpha 1 where the format has
// none, and are not stored, although memory lies there.
func TestImageOutside(t *testing.T) {
	outside := [][3]int32{{-1, 0, 0}, {0, -1, 0}, {61, 0, 0}, {60, 5, 0}, {0, 5, 0}, {0, 0, 3}, {0, 0, -1}, {math.MaxInt32, math.MinInt32, 1}, {64, 0, 0}, {255, 4, 2}}
	eachImageWave(t, imageKernels, func(t *testing.T, p *emu.Program) {
		for _, f := range []emu.Format{emu.FormatRGBA16Float, emu.FormatRG16Unorm, emu.FormatR32Uint} {
			for kernel, im := range map[string]emu.Image{
				"2da": {Kind: emu.Image2DArray, Width: 61, Height: 5, Layers: 3}, "2d": {Width: 61, Height: 5}, "1da": {Kind: emu.Image1DArray, Width: 61, Layers: 3}, "1d": {Kind: emu.Image1D, Width: 61},
			} {
				im.Format = f
				b := newImageBench(t, p, im)
				for i := range b.texels {
					b.texels[i] = byte(7*i + 1)
				}
				before := bytes.Clone(b.texels)
				n := 0
				for _, c := range outside {
					if kernel[0] == '1' && c[1] != 0 || kernel[len(kernel)-1] != 'a' && c[2] != 0 {
						continue
					}
					b.coordinate(n, c[0], c[1], c[2], 0)
					n++
				}
				inside := n
				b.coordinate(inside, 60, int32(max(im.Height, 1)-1), int32(max(im.Layers, 1)-1), 0)
				b.mustDo("l"+kernel, inside+1)
				zero := [4]uint32{0, 0, 0, expected(f, make([]byte, f.Bytes()))[3]}
				for i := range inside {
					if got := b.result(i); got != zero {
						t.Errorf("%s, %v: outside is %#x", kernel, f, got)
					}
				}
				want := expected(f, b.texel(60, max(im.Height, 1)-1, max(im.Layers, 1)-1))
				if got := b.result(inside); got != want {
					t.Errorf("%s, %v: the last texel is %#x, want %#x", kernel, f, got, want)
				}
				if kernel == "1da" {
					continue // has no kernel that stores
				}
				b.coordinate(inside, -3)
				b.mustDo("s"+kernel, 64)
				if !bytes.Equal(before, b.texels) {
					t.Errorf("%s, %v: a store outside changed the image", kernel, f)
				}
			}
		}
	})
}

// TestImageUnbound: a descriptor of zeros.
func TestImageUnbound(t *testing.T) {
	eachImageWave(t, imageKernels, func(t *testing.T, p *emu.Program) {
		b := newImageBench(t, p, emu.Image{Width: 4, Height: 4, Format: emu.FormatRGBA8Unorm})
		clear(b.words)
		for i := range b.out {
			b.out[i] = 0xee
		}
		for _, kernel := range []string{"l2d", "l2da", "l1d", "lmip", "info2da"} {
			b.mustDo(kernel, 64)
			for i := range 64 {
				if got := b.result(i); got != [4]uint32{} {
					t.Fatalf("%s: %#x", kernel, got)
				}
			}
		}
		before := bytes.Clone(b.texels)
		b.mustDo("s2d", 64)
		if !bytes.Equal(before, b.texels) {
			t.Error("a store reached memory")
		}
	})
}

// TestImageQuery: sizes.
func TestImageQuery(t *testing.T) {
	eachImageWave(t, imageKernels, func(t *testing.T, p *emu.Program) {
		b := newImageBench(t, p, emu.Image{Kind: emu.Image2DArray, Width: 700, Height: 33, Layers: 5, Format: emu.FormatR8Uint})
		if b.mustDo("info2da", 1); b.result(0) != [4]uint32{700, 33, 5, 1} {
			t.Errorf("%d", b.result(0))
		}
		b = newImageBench(t, p, emu.Image{Width: 16384, Height: 2, Format: emu.FormatRGBA32Float})
		if b.mustDo("info2d", 1); b.result(0) != [4]uint32{16384, 2, 0, 0} {
			t.Errorf("%d", b.result(0))
		}
	})
}
