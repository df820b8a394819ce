package emulated

import (
	"fmt"

	"kmx/amdgpu/emu"
	"kmx/emit/emittest"
)

// texelFormat is the hardware's format of an image. A surface of numbers from 0
// or -1 to 1 holds integers there, which the stores make themselves.
func texelFormat(f emittest.Format, surface bool) (emu.Format, bool) {
	key := [3]int{f.Channels, f.Bits, int(f.Class)}
	switch {
	case surface && f.Class == emittest.Unorm:
		key[2] = int(emittest.Unsigned)
	case surface && f.Class == emittest.Snorm:
		key[2] = int(emittest.Signed)
	}
	format, ok := map[[3]int]emu.Format{
		{1, 16, int(emittest.Float)}: emu.FormatR16Float, {1, 32, int(emittest.Float)}: emu.FormatR32Float, {1, 32, int(emittest.Unsigned)}: emu.FormatR32Uint,
		{2, 16, int(emittest.Float)}: emu.FormatRG16Float, {2, 16, int(emittest.Unorm)}: emu.FormatRG16Unorm, {2, 8, int(emittest.Snorm)}: emu.FormatRG8Snorm,
		{4, 16, int(emittest.Float)}: emu.FormatRGBA16Float, {4, 32, int(emittest.Float)}: emu.FormatRGBA32Float, {4, 32, int(emittest.Unsigned)}: emu.FormatRGBA32Uint,
		{4, 8, int(emittest.Unorm)}: emu.FormatRGBA8Unorm, {4, 8, int(emittest.Unsigned)}: emu.FormatRGBA8Uint,
		{4, 16, int(emittest.Unsigned)}: emu.FormatRGBA16Uint, {4, 8, int(emittest.Signed)}: emu.FormatRGBA8Sint, {4, 16, int(emittest.Signed)}: emu.FormatRGBA16Sint, {1, 32, int(emittest.Packed)}: emu.FormatR10G10B10A2Unorm,
	}[key]
	return format, ok
}

// channelType and channelOrder are HSA's numbers, which the descriptor block has
// behind the image.
func channelType(f emittest.Format) uint32 {
	log := map[int]uint32{8: 0, 16: 1, 32: 2}[f.Bits]
	switch f.Class {
	case emittest.Float:
		return 13 + log
	case emittest.Packed:
		return 7
	case emittest.Signed, emittest.Snorm:
		return 8 + log
	}
	return 11 + log
}

func channelOrder(f emittest.Format) uint32 {
	if f.Class == emittest.Packed {
		return 8
	}
	return map[int]uint32{1: 1, 2: 3, 4: 8}[f.Channels]
}

// Picture is an image in the memory of a device.
type Picture struct {
	// Handle is the address of its descriptor block: dwords 0 to 7 the image, 8 and
	// 9 HSA's channel type and order, 12 to 15 a texture's sampler, 20 a surface's
	// CUDA format.
	Handle uint64

	image  emittest.Image
	memory []byte
	row    int // bytes
}

// Picture makes the image of a parameter as a runtime would, holding texels
// without padding.
func (d Device) Picture(p emittest.Param, data []byte) (Picture, error) {
	surface := p.Kind == emittest.Surface
	format, ok := texelFormat(p.Image.Format, surface)
	if !ok {
		return Picture{}, fmt.Errorf("no format for %+v", p.Image.Format)
	}
	im := emu.Image{Width: p.Image.Width, Height: p.Image.Height, Format: format}
	row, size, err := im.Layout(d.Target)
	if err != nil {
		return Picture{}, err
	}
	q := Picture{image: p.Image, memory: make([]byte, size), row: row}
	bytes := p.Image.Width * p.Image.Format.Texel()
	if len(data) != bytes*p.Image.Height {
		return Picture{}, fmt.Errorf("%d bytes for an image of %d", len(data), bytes*p.Image.Height)
	}
	for y := range p.Image.Height {
		copy(q.memory[y*row:], data[y*bytes:(y+1)*bytes])
	}
	if im.Base, err = d.Map(p.Name, 0, q.memory); err != nil {
		return Picture{}, err
	}
	block := make([]uint32, 24)
	t, err := im.Descriptor(d.Target)
	if err != nil {
		return Picture{}, err
	}
	copy(block, t[:])
	if block[3]>>9&7 == 1 {
		block[3] &^= 7 << 9 // CUDA reads 0 for an alpha that is not there
	}
	block[8], block[9] = channelType(p.Image.Format), channelOrder(p.Image.Format)
	if surface {
		block[20] = p.Image.Format.Word()
	} else {
		s, err := sampler(p.Image).Descriptor(d.Target)
		if err != nil {
			return Picture{}, err
		}
		copy(block[12:], s[:])
	}
	q.Handle, err = d.MapReadOnly(p.Name+" object", 0, words(block))
	return q, err
}

func sampler(m emittest.Image) emu.Sampler {
	mode := map[emittest.Address]emu.AddressMode{emittest.Clamp: emu.AddressClamp, emittest.Wrap: emu.AddressWrap, emittest.Mirror: emu.AddressMirror, emittest.Border: emu.AddressBorder}[m.Address]
	return emu.Sampler{X: mode, Y: mode, Z: mode, Linear: m.Linear, Unnormalised: !m.Normalized, Truncate: true}
}

// texels are the image's, without padding.
func (q Picture) texels() []byte {
	bytes := q.image.Width * q.image.Format.Texel()
	out := make([]byte, 0, bytes*q.image.Height)
	for y := range q.image.Height {
		out = append(out, q.memory[y*q.row:y*q.row+bytes]...)
	}
	return out
}
