package validate_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"kmx/amdgpu/emu"
	"kmx/validate/model"
)

// surfaceFormats are the formats of images by HSA's channel type and order.
var surfaceFormats = map[[2]int]emu.Format{
	{model.Snorm8, model.OrderR}: emu.FormatR8Snorm, {model.Snorm8, model.OrderRG}: emu.FormatRG8Snorm, {model.Snorm8, model.OrderRGBA}: emu.FormatRGBA8Snorm,
	{model.Snorm16, model.OrderR}: emu.FormatR16Snorm, {model.Snorm16, model.OrderRG}: emu.FormatRG16Snorm, {model.Snorm16, model.OrderRGBA}: emu.FormatRGBA16Snorm,
	{model.Unorm8, model.OrderR}: emu.FormatR8Unorm, {model.Unorm8, model.OrderRG}: emu.FormatRG8Unorm, {model.Unorm8, model.OrderRGBA}: emu.FormatRGBA8Unorm,
	{model.Unorm16, model.OrderR}: emu.FormatR16Unorm, {model.Unorm16, model.OrderRG}: emu.FormatRG16Unorm, {model.Unorm16, model.OrderRGBA}: emu.FormatRGBA16Unorm,
	{model.Sint8, model.OrderR}: emu.FormatR8Sint, {model.Sint8, model.OrderRG}: emu.FormatRG8Sint, {model.Sint8, model.OrderRGBA}: emu.FormatRGBA8Sint,
	{model.Sint16, model.OrderR}: emu.FormatR16Sint, {model.Sint16, model.OrderRG}: emu.FormatRG16Sint, {model.Sint16, model.OrderRGBA}: emu.FormatRGBA16Sint,
	{model.Sint32, model.OrderR}: emu.FormatR32Sint, {model.Sint32, model.OrderRG}: emu.FormatRG32Sint, {model.Sint32, model.OrderRGBA}: emu.FormatRGBA32Sint,
	{model.Uint8, model.OrderR}: emu.FormatR8Uint, {model.Uint8, model.OrderRG}: emu.FormatRG8Uint, {model.Uint8, model.OrderRGBA}: emu.FormatRGBA8Uint,
	{model.Uint16, model.OrderR}: emu.FormatR16Uint, {model.Uint16, model.OrderRG}: emu.FormatRG16Uint, {model.Uint16, model.OrderRGBA}: emu.FormatRGBA16Uint,
	{model.Uint32, model.OrderR}: emu.FormatR32Uint, {model.Uint32, model.OrderRG}: emu.FormatRG32Uint, {model.Uint32, model.OrderRGBA}: emu.FormatRGBA32Uint,
	{model.Half, model.OrderR}: emu.FormatR16Float, {model.Half, model.OrderRG}: emu.FormatRG16Float, {model.Half, model.OrderRGBA}: emu.FormatRGBA16Float,
	{model.Float, model.OrderR}: emu.FormatR32Float, {model.Float, model.OrderRG}: emu.FormatRG32Float, {model.Float, model.OrderRGBA}: emu.FormatRGBA32Float,
}

// Kinds of stores, as testdata/outer/stores.hip numbers them.
const (
	storeB32 = iota
	storeV2B16
	storeV4B16
	storeP
)

// surfaceStore is one store of a lane. Words of v beyond those that the kind
// stores do not matter.
type surfaceStore struct {
	surface int
	kind    uint32
	x, y    int32
	v       [4]uint32
}

// apply does to the model what the store does.
func (s surfaceStore) apply(to *model.Surface) {
	var b [8]byte
	binary.LittleEndian.PutUint32(b[:], s.v[0])
	binary.LittleEndian.PutUint32(b[4:], s.v[1])
	switch s.kind {
	case storeB32, storeV2B16:
		to.StoreB(int(s.x), int(s.y), [4]byte(b[:4]))
	case storeV4B16:
		to.StoreV4B16(int(s.x), int(s.y), b)
	case storeP:
		to.StoreP(int(s.x), int(s.y), s.v)
	}
}

// surfaceCase is a surface and the kinds of stores that are tried on it.
type surfaceCase struct {
	name string
	model.Surface
	kinds []uint32
}

const surfaceWidth, surfaceHeight = 19, 64

// surfaceCases are all formats for stores of bytes, CUDA's formats that convert
// and some that do not for formatted stores, and redirected surfaces.
func surfaceCases() []surfaceCase {
	var list []surfaceCase
	raw := []uint32{storeB32, storeV2B16, storeV4B16}
	add := func(name string, kinds []uint32, s model.Surface) {
		s.Width, s.Height = surfaceWidth, surfaceHeight
		list = append(list, surfaceCase{name, s, kinds})
	}
	orders := []int{model.OrderR, model.OrderRG, model.OrderRGBA}
	for _, channel := range []int{model.Snorm8, model.Snorm16, model.Unorm8, model.Unorm16, model.Sint8, model.Sint16, model.Sint32,
		model.Uint8, model.Uint16, model.Uint32, model.Half, model.Float} {
		for _, order := range orders {
			add(fmt.Sprintf("bytes to %v", surfaceFormats[[2]int{channel, order}]), raw, model.Surface{Type: channel, Order: order, Format: 8})
		}
	}
	formatted := []uint32{storeP}
	for i := range 12 {
		channel := []int{model.Uint8, model.Uint16, model.Sint8, model.Sint16}[i/3]
		add(fmt.Sprintf("format %d", 192+i), formatted, model.Surface{Type: channel, Order: orders[i%3], Format: 192 + i})
	}
	add("format 192 on 32 bits", formatted, model.Surface{Type: model.Uint32, Order: model.OrderRGBA, Format: 192})
	add("format 203 on 32 bits", formatted, model.Surface{Type: model.Sint32, Order: model.OrderRGBA, Format: 203})
	for _, channel := range []int{model.Float, model.Half, model.Uint32} {
		for _, format := range []int{80, 79, 191, 204, 8, 0x20, 1 << 30} {
			add(fmt.Sprintf("format %d on %v", format, surfaceFormats[[2]int{channel, model.OrderRGBA}]), formatted,
				model.Surface{Type: channel, Order: model.OrderRGBA, Format: format})
		}
	}
	all := append(raw, storeP)
	for _, tag := range []int{model.TagRGBA16F, model.TagPacked, 0x5231, 0x5234, 0x2325} {
		for _, format := range []int{80, 0x20, 196} {
			channel := model.Half
			if format == 196 {
				channel = model.Uint16
			}
			for _, pitch := range []int{8 * surfaceWidth, 8 * (surfaceWidth + 5), 8 * (surfaceWidth - 7)} {
				add(fmt.Sprintf("format %d, tag %#x, rows of %d bytes", format, tag, pitch), all,
					model.Surface{Type: channel, Order: model.OrderRGBA, Format: format, Tag: tag, Pitch: pitch})
			}
		}
	}
	return list
}

// interesting are f32 numbers at which conversions change.
func interesting(r *rand.Rand) uint32 {
	step := func(k, steps int) uint32 {
		return math.Float32bits((float32(k)+0.5)/float32(steps)) + uint32(r.IntN(5)-2)
	}
	switch r.IntN(9) {
	case 0:
		return r.Uint32()
	case 1:
		return []uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x3f800000, 0xbf800000, 0x3f800001, 0xbf800001, 0x3f7fffff, 1, 0x80000001, 0x007fffff, 0x3effffff}[r.IntN(16)]
	case 2:
		return step(r.IntN(1024), 1023)
	case 3:
		return step(r.IntN(256), 255)
	case 4:
		return step(r.IntN(65536), 65535) | r.Uint32()&(1<<31)
	case 5:
		return step(r.IntN(128), 127) | r.Uint32()&(1<<31)
	case 6:
		return math.Float32bits(float32(r.IntN(4)) / 3)
	}
	return math.Float32bits(4*r.Float32() - 2)
}

// stores are n stores to a surface, each to another row, so that no two of them
// meet. Some go beyond the surface on either side.
func (c *surfaceCase) stores(index int, r *rand.Rand) []surfaceStore {
	var list []surfaceStore
	for y := range c.Height {
		s := surfaceStore{surface: index, kind: c.kinds[r.IntN(len(c.kinds))], y: int32(y)}
		size := []int{4, 4, 8, 1}[s.kind]
		units := c.Width * c.TexelBytes() / size
		if s.kind == storeP || c.Tag != 0 {
			units = c.Width
		}
		s.x = int32((r.IntN(units+4) - 2) * size)
		switch {
		case r.IntN(8) == 0:
			s.x += int32(r.IntN(4))
		case s.kind != storeP && r.IntN(8) == 0:
			s.x = int32(c.Width*c.TexelBytes() - size/2) // half beyond the end
		case r.IntN(24) == 0:
			s.x = []int32{math.MinInt32, math.MaxInt32, math.MaxInt32 - 3, -4, -8, 1 << 20, 1 << 30}[r.IntN(7)]
		}
		if r.IntN(24) == 0 {
			s.y = []int32{-1, math.MinInt32, math.MaxInt32, int32(c.Height), int32(c.Height) + 1<<16, 1 << 30}[r.IntN(6)]
		}
		for i := range s.v {
			if s.v[i] = r.Uint32(); s.kind == storeP {
				s.v[i] = interesting(r)
			}
		}
		if s.kind != storeP && r.IntN(4) == 0 { // ends of the formats
			s.v[0], s.v[1] = 0x80ff8000, 0xfc017f80
		}
		list = append(list, s)
	}
	return list
}
