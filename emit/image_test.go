package emit_test

import (
	"encoding/binary"

	"kmx/amdgpu/emu"
	"kmx/emit/emittest"
)

// Images and samplers as a runtime would make them for a handle.

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

// picture is an image in the memory of a device with its descriptor block.
type picture struct {
	emittest.Image
	memory []byte
	row    int
	handle uint64
}

// picture makes the image of a parameter, holding data without padding.
func (d *device) picture(target string, p emittest.Param, data []byte) picture {
	d.Helper()
	surface := p.Kind == emittest.Surface
	format, ok := texelFormat(p.Image.Format, surface)
	if !ok {
		d.Fatalf("%s: no format for %+v", p.Name, p.Image.Format)
	}
	im := emu.Image{Width: p.Image.Width, Height: p.Image.Height, Format: format}
	row, size, err := im.Layout(target)
	if err != nil {
		d.Fatal(err)
	}
	q := picture{Image: p.Image, memory: make([]byte, size), row: row}
	bytes := p.Image.Width * p.Image.Format.Texel()
	for y := range p.Image.Height {
		copy(q.memory[y*row:], data[y*bytes:(y+1)*bytes])
	}
	if im.Base, err = d.Map(p.Name, 0, q.memory); err != nil {
		d.Fatal(err)
	}
	words := make([]uint32, 24)
	t, err := im.Descriptor(target)
	if err != nil {
		d.Fatal(err)
	}
	copy(words, t[:])
	if words[3]>>9&7 == 1 {
		words[3] &^= 7 << 9 // CUDA reads 0 for an alpha that is not there
	}
	words[8], words[9] = channelType(p.Image.Format), channelOrder(p.Image.Format)
	if surface {
		words[20] = p.Image.Format.Word()
	} else {
		mode := map[emittest.Address]emu.AddressMode{emittest.Clamp: emu.AddressClamp, emittest.Wrap: emu.AddressWrap, emittest.Mirror: emu.AddressMirror, emittest.Border: emu.AddressBorder}[p.Image.Address]
		s, err := emu.Sampler{X: mode, Y: mode, Z: mode, Linear: p.Image.Linear, Unnormalised: !p.Image.Normalized, Truncate: true}.Descriptor(target)
		if err != nil {
			d.Fatal(err)
		}
		copy(words[12:], s[:])
	}
	block := make([]byte, 4*len(words))
	for i, w := range words {
		binary.LittleEndian.PutUint32(block[4*i:], w)
	}
	if q.handle, err = d.MapReadOnly(p.Name+" object", 0, block); err != nil {
		d.Fatal(err)
	}
	return q
}

// texels are the image's, without padding.
func (q picture) texels() []byte {
	bytes := q.Width * q.Format.Texel()
	out := make([]byte, 0, bytes*q.Height)
	for y := range q.Height {
		out = append(out, q.memory[y*q.row:y*q.row+bytes]...)
	}
	return out
}
