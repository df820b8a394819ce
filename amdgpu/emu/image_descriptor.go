package emu

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// generationOf is the family of a GPU.
func generationOf(target string) (generation, error) {
	switch {
	case strings.HasPrefix(target, "gfx110"):
		return gfx11, nil
	case strings.HasPrefix(target, "gfx120"):
		return gfx12, nil
	}
	return 0, fmt.Errorf("the emulator knows gfx1100 to gfx1103, gfx1200 and gfx1201, not %q", target)
}

// ImageKind is the shape of an image.
type ImageKind uint8

const (
	Image2D ImageKind = iota
	Image1D
	Image1DArray
	Image2DArray
)

var hardwareKinds = [...]uint32{Image2D: kind2D, Image1D: kind1D, Image1DArray: kind1DArray, Image2DArray: kind2DArray}

// Image says what a descriptor describes: texels row after row, without mipmaps.
// The zero values of Kind, Height, Layers and Pitch are a 2D image, 1, 1 and the
// shortest rows that the GPU takes.
type Image struct {
	Kind   ImageKind
	Width  int // texels, from 1
	Height int // rows, from 1
	Layers int // of an array, from 1
	// Pitch is bytes from one row to the next, for 1D and 2D images: a multiple of
	// 256 on gfx11 and of 128 on gfx12. Layout tells what 0 chooses.
	Pitch  int
	Format Format
	Base   uint64 // address of the first texel, a multiple of 256
}

// Descriptor is the image resource (T#) of a GPU for this image: what an image
// instruction expects in eight scalar registers. The zero descriptor is that of
// no image: loads give 0 and stores do nothing.
func (im Image) Descriptor(target string) ([8]uint32, error) {
	var d [8]uint32
	g, row, _, err := im.layout(target)
	if err != nil {
		return d, err
	}
	f, format := imageLayouts[g], texelFormats[im.Format]
	f.base.set(d[:], im.Base>>8)
	f.format.set(d[:], uint64(im.Format))
	f.width.set(d[:], uint64(im.Width-1))
	f.height.set(d[:], uint64(max(im.Height, 1)-1))
	f.kind.set(d[:], uint64(hardwareKinds[im.Kind]))
	for c, s := range f.selects {
		v := uint64(4 + c)
		if c >= format.n { // missing components are 0, a missing alpha 1
			v = uint64(c / 3)
		}
		s.set(d[:], v)
	}
	if im.array() {
		f.depth.set(d[:], uint64(max(im.Layers, 1)-1))
	} else {
		f.pitch.set(d[:], uint64(row/format.bytes-1))
	}
	return d, nil
}

// Layout is the number of bytes from a row to the next and from a layer to the
// next: texel (x, y) of layer z is at Base + z*slice + y*row + x*Format.Bytes().
func (im Image) Layout(target string) (row, slice int, err error) {
	_, row, slice, err = im.layout(target)
	return row, slice, err
}

func (im Image) array() bool { return im.Kind == Image1DArray || im.Kind == Image2DArray }

// layout checks everything and reports all that is wrong.
func (im Image) layout(target string) (g generation, row, slice int, err error) {
	if g, err = generationOf(target); err != nil {
		return 0, 0, 0, err
	}
	var problems []error
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	f, format := imageLayouts[g], texelFormats[im.Format]
	if format.kind == 0 {
		wrong("format %v is not modelled", im.Format)
		format.bytes = 4
	}
	if int(im.Kind) >= len(hardwareKinds) {
		wrong("kind %d of images is not known", im.Kind)
		return g, 0, 0, errors.Join(problems...)
	}
	height, layers := max(im.Height, 1), max(im.Layers, 1)
	if !f.width.fits(im.Width-1) || !f.height.fits(height-1) || im.Height < 0 {
		wrong("an image of %d by %d texels: %s has 1 to %d by 1 to %d", im.Width, im.Height, target, 1<<f.width.size, 1<<f.height.size)
	}
	if height > 1 && (im.Kind == Image1D || im.Kind == Image1DArray) {
		wrong("a 1D image of %d rows", im.Height)
	}
	if im.Layers < 0 || layers > 1 && !im.array() || !f.depth.fits(layers-1) {
		wrong("%d layers: only arrays have several, %d at most", im.Layers, 1<<f.depth.size)
	}
	if im.Base&255 != 0 || im.Base>>48 != 0 {
		wrong("base 0x%x: it is a multiple of 256 below 2^48", im.Base)
	}
	row = roundUpTo(im.Width*format.bytes, f.rowUnit)
	slice = row * height
	switch {
	case im.Pitch == 0 || im.Pitch == row:
	case im.array():
		wrong("pitch %d: rows of an array have the %d bytes that the GPU chooses", im.Pitch, row)
	case im.Pitch < row || im.Pitch%f.rowUnit != 0 || !f.pitch.fits(im.Pitch/format.bytes-1):
		wrong("pitch %d: it is a multiple of %d bytes, at least %d and at most %d texels", im.Pitch, f.rowUnit, row, 1<<f.pitch.size)
	default:
		row, slice = im.Pitch, im.Pitch*height
	}
	if im.array() && layers > 1 && row%256 != 0 {
		wrong("rows of %d bytes: where %s has the layers of an array is established for multiples of 256 only", row, target)
	}
	return g, row, slice, errors.Join(problems...)
}

func roundUpTo(v, unit int) int { return (v + unit - 1) / unit * unit }

// imageResource is an image descriptor as an instruction sees it.
type imageResource struct {
	null          bool // all zeros
	base          uint64
	kind          uint32
	width, height uint64
	first, last   uint64 // layers
	row, slice    uint64 // bytes
	number        Format
	format        *texelFormat
	selects       [4]uint8
	border        uint8
}

// readImage takes a descriptor apart. What is not modelled is an error that
// names it.
func readImage(g generation, d *[8]uint32) (r imageResource, err error) {
	if *d == [8]uint32{} {
		return imageResource{null: true}, nil
	}
	f := imageLayouts[g]
	get := func(b bitField) uint64 { return b.get(d[:]) }
	r = imageResource{base: get(f.base) << 8, kind: uint32(get(f.kind)), width: get(f.width) + 1, height: get(f.height) + 1,
		number: Format(get(f.format)), border: uint8(get(f.border))}
	r.format = &texelFormats[r.number]
	var problems []string
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	array := r.kind == kind1DArray || r.kind == kind2DArray
	if !array && r.kind != kind1D && r.kind != kind2D {
		name := kindNames[r.kind]
		if name == "" {
			name = fmt.Sprintf("type %d", r.kind)
		}
		wrong("an image of kind %s", name)
	}
	if s := get(f.swizzle); s != 0 {
		name := swizzleNames[g][s]
		if name == "" {
			name = fmt.Sprintf("mode %d", s)
		}
		wrong("the swizzled layout %s (linear images only)", name)
	}
	if r.format.kind == 0 {
		wrong("format %v", r.number)
	}
	if get(f.maxMip) != 0 || get(f.baseLevel) != 0 || get(f.lastLevel) != 0 {
		wrong("mipmaps (levels %d to %d of %d)", get(f.baseLevel), get(f.lastLevel), get(f.maxMip)+1)
	}
	if get(f.compression) != 0 {
		wrong("compression")
	}
	if get(f.corner) != 0 {
		wrong("corner samples")
	}
	for c, s := range f.selects {
		v := get(s)
		if r.selects[c] = uint8(v); v == 2 || v == 3 || v >= 4 && r.format.kind != 0 && int(v-4) >= r.format.n {
			wrong("selector %d for component %c of format %v", v, "RGBA"[c], r.number)
		}
	}
	size := max(r.format.bytes, 1)
	row := roundUpTo(int(r.width)*size, f.rowUnit)
	if array {
		r.first, r.last = get(f.baseArray), get(f.depth)
		if row%256 != 0 && r.last > 0 {
			wrong("an array with rows of %d bytes", row)
		}
	} else if p := get(f.pitch) + 1; p > r.width {
		if row = int(p) * size; row%f.rowUnit != 0 {
			wrong("a pitch of %d texels, %d bytes, which is no multiple of %d", p, row, f.rowUnit)
		}
	}
	if r.kind == kind1D || r.kind == kind1DArray {
		if r.height != 1 {
			wrong("a 1D image with %d rows", r.height)
		}
	}
	r.row, r.slice = uint64(row), uint64(row)*r.height
	if problems != nil {
		return r, fmt.Errorf("its image descriptor asks for what is not modelled: %s", strings.Join(problems, "; "))
	}
	return r, nil
}

// at is the address of a texel; ok is false for one outside the image.
func (r *imageResource) at(x, y, layer uint64) (addr uint64, ok bool) {
	layer += r.first
	if x >= r.width || y >= r.height || layer > r.last || layer < r.first {
		return 0, false
	}
	return r.base + layer*r.slice + y*r.row + x*uint64(r.format.bytes), true
}

// selected arranges a texel's components as the descriptor says.
func (r *imageResource) selected(v [4]uint32) (out [4]uint32) {
	for c, s := range r.selects {
		switch {
		case s >= 4:
			out[c] = v[s&3]
		case s == 1:
			out[c] = r.format.one()
		}
	}
	return out
}

// AddressMode is what becomes of coordinates outside an image.
type AddressMode uint8

const (
	AddressWrap             AddressMode = 0 // the image repeats
	AddressMirror           AddressMode = 1 // it repeats, every second time mirrored
	AddressClamp            AddressMode = 2 // the nearest texel
	AddressMirrorOnce       AddressMode = 3 // mirrored at 0, then the nearest texel
	AddressBorder           AddressMode = 6 // the border colour
	AddressMirrorOnceBorder AddressMode = 7 // mirrored at 0, then the border colour
)

// BorderColour is the colour around an image.
type BorderColour uint8

const (
	BorderTransparent BorderColour = iota // 0, 0, 0, 0
	BorderBlack                           // 0, 0, 0, 1
	BorderWhite                           // 1, 1, 1, 1
)

// Sampler says how an image is sampled.
type Sampler struct {
	X, Y, Z      AddressMode
	Linear       bool // filter, both for magnification and minification; else the nearest texel
	Unnormalised bool // coordinates count texels; else they are 0 to 1
	Truncate     bool // the nearest texel is that of the coordinate rounded down (TRUNC_COORD)
	Border       BorderColour
}

// Descriptor is the sampler resource (S#) of a GPU: four scalar registers.
func (s Sampler) Descriptor(target string) ([4]uint32, error) {
	var d [4]uint32
	g, err := generationOf(target)
	if err != nil {
		return d, err
	}
	for i, m := range []AddressMode{s.X, s.Y, s.Z} {
		if !m.modelled() {
			return d, fmt.Errorf("address mode %d is not modelled", m)
		}
		samplerClamps[i].set(d[:], uint64(m))
	}
	if s.Border > BorderWhite {
		return d, fmt.Errorf("border colour %d is not modelled", s.Border)
	}
	samplerUnnormalised.set(d[:], bit(s.Unnormalised))
	samplerTruncate.set(d[:], bit(s.Truncate))
	samplerMagnify.set(d[:], bit(s.Linear))
	samplerMinify.set(d[:], bit(s.Linear))
	samplerBorderType.set(d[:], uint64(s.Border))
	samplerLOD[g][1].set(d[:], math.MaxUint64)
	return d, nil
}

func (m AddressMode) modelled() bool {
	return m <= AddressMirrorOnce || m == AddressBorder || m == AddressMirrorOnceBorder
}
