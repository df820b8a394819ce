package model

import (
	"encoding/binary"
	"math"

	"kmx/internal/num"
)

// Channel types and orders of surfaces, as HSA numbers them.
const (
	Snorm8  = 0
	Snorm16 = 1
	Unorm8  = 2
	Unorm16 = 3
	Sint8   = 8
	Sint16  = 9
	Sint32  = 10
	Uint8   = 11
	Uint16  = 12
	Uint32  = 13
	Half    = 14
	Float   = 15

	OrderR    = 1
	OrderRG   = 3
	OrderRGBA = 8
)

// Tags of redirected surfaces.
const (
	TagRGBA16F = 0x5232
	TagPacked  = 0x5233
)

// CUDA's format words that stores look at.
const (
	Format1010102    = 80
	FormatNormalised = 192 // to 203: unorm8, unorm16, snorm8, snorm16, of 1, 2 and 4 channels each
)

// Surface is what a surface store writes to.
type Surface struct {
	Type, Order   int // of the image's channels
	Format        int // CUDA's word
	Width, Height int
	Texels        []byte // of the image
	Row           int    // bytes from one row of Texels to the next

	Tag    int // of a redirect, 0 for none
	Pitch  int // bytes from one row of Linear to the next
	Linear []byte
}

// Bytes is the size of a channel.
func (s *Surface) channelBytes() int {
	switch s.Type {
	case Snorm8, Unorm8, Sint8, Uint8:
		return 1
	case Sint32, Uint32, Float:
		return 4
	}
	return 2
}

func (s *Surface) channels() int {
	return map[int]int{OrderR: 1, OrderRG: 2, OrderRGBA: 4}[s.Order]
}

// TexelBytes is the size of a texel of the image.
func (s *Surface) TexelBytes() int { return s.channels() * s.channelBytes() }

func (s *Surface) redirected() bool { return s.Tag == TagRGBA16F || s.Tag == TagPacked }

// StoreB is sust.b of 4 bytes (b32, v2.b16) at byte x of row y.
//
// A redirected surface takes the bytes as they are. An image takes all texels
// that the bytes cover; if they do not begin with a texel, or cover less than
// one, nothing is stored. Of two texels one may lie outside.
func (s *Surface) StoreB(x, y int, data [4]byte) {
	if s.redirected() {
		s.linear(x, y, data[:])
		return
	}
	s.storeTexels(x, y, data[:])
}

// StoreV4B16 is sust.b.v4.b16, which no redirect concerns.
func (s *Surface) StoreV4B16(x, y int, data [8]byte) { s.storeTexels(x, y, data[:]) }

func (s *Surface) storeTexels(x, y int, data []byte) {
	size := s.TexelBytes()
	if size == 0 || x < 0 || x%size != 0 {
		return
	}
	for ; len(data) >= size; data, x = data[size:], x+size {
		if to := s.texel(x/size, y); to != nil {
			copy(to, data[:size])
			s.canonical(to)
		}
	}
}

// texel is the memory of a texel of the image, nil outside of it.
func (s *Surface) texel(x, y int) []byte {
	if x < 0 || y < 0 || x >= s.Width || y >= s.Height {
		return nil
	}
	return s.Texels[y*s.Row+x*s.TexelBytes():][:s.TexelBytes()]
}

// canonical replaces what hardware does not store: of the two codes of -1 in snorm
// the lower one, and signalling NaN.
func (s *Surface) canonical(texel []byte) {
	for c := range s.channels() {
		switch s.Type {
		case Snorm8:
			if texel[c] == 0x80 {
				texel[c] = 0x81
			}
		case Snorm16:
			if binary.LittleEndian.Uint16(texel[2*c:]) == 0x8000 {
				binary.LittleEndian.PutUint16(texel[2*c:], 0x8001)
			}
		case Half:
			if h := num.F16(binary.LittleEndian.Uint16(texel[2*c:])); h.IsNaN() {
				binary.LittleEndian.PutUint16(texel[2*c:], uint16(h|0x200))
			}
		}
	}
}

// linear writes bytes at byte x of row y of a redirected surface; what is not all
// inside is dropped.
func (s *Surface) linear(x, y int, data []byte) {
	if x >= 0 && y >= 0 && y < s.Height && x+len(data) <= s.Pitch {
		copy(s.Linear[y*s.Pitch+x:], data)
	}
}

// StoreP is sust.p.v4.b32 of texel x of row y.
//
//   - Formats 192 to 203: each channel is limited to [0,1] or [-1,1] (NaN is 0),
//     multiplied by the greatest integer of the format and rounded to an integer,
//     halves away from zero. The image has integers; no redirect concerns it.
//   - Format 80 (10:10:10:2): each channel becomes k/1023, alpha k/3, with
//     k = floor(v*1023 + 0.5) or floor(v*3 + 0.5), v limited to [0,1] (NaN is 0).
//   - All others: as they are.
//
// A redirect to RGBA16F rounds to f16 towards zero; one to packed 10:10:10:2
// stores the k of format 80, the first channel lowest.
func (s *Surface) StoreP(x, y int, v [4]uint32) {
	var f [4]float32
	for c := range f {
		f[c] = math.Float32frombits(v[c])
	}
	if kind := (s.Format - FormatNormalised) / 3; s.Format >= FormatNormalised && kind < 4 {
		greatest, lowest := [...]float32{255, 65535, 127, 32767}[kind], [...]float32{0, 0, -1, -1}[kind]
		for c := range v {
			v[c] = uint32(int32(math.Round(float64(limit(f[c], lowest) * greatest))))
		}
		s.storeNumbers(x, y, v)
		return
	}
	steps := [4]float32{1023, 1023, 1023, 3}
	var k [4]float64
	for c := range k {
		k[c] = math.Floor(float64(float32(limit(f[c], 0)*steps[c]) + 0.5))
	}
	if s.Format == Format1010102 {
		for c := range f {
			f[c] = float32(k[c] / float64(steps[c])) // of so few bits that rounding twice is rounding once
			v[c] = math.Float32bits(f[c])
		}
	}
	switch s.Tag {
	case TagRGBA16F:
		if x < 0 || x >= s.Width {
			return
		}
		var b []byte
		for _, c := range f {
			b = binary.LittleEndian.AppendUint16(b, uint16(towardsZero(c)))
		}
		s.linear(8*x, y, b)
	case TagPacked:
		if x < 0 || x >= s.Width {
			return
		}
		s.linear(4*x, y, binary.LittleEndian.AppendUint32(nil, uint32(k[0])|uint32(k[1])<<10|uint32(k[2])<<20|uint32(k[3])<<30))
	default:
		s.storeNumbers(x, y, v)
	}
}

// limit is v limited to [lowest, 1]; a NaN is 0.
func limit(v, lowest float32) float32 {
	switch {
	case v != v:
		return 0
	case v < lowest:
		return lowest
	case v > 1:
		return 1
	}
	return v
}

// storeNumbers hands a texel to the hardware, which converts it to the image's
// type: integers saturate, floats round towards zero.
func (s *Surface) storeNumbers(x, y int, v [4]uint32) {
	to := s.texel(x, y)
	if to == nil {
		return
	}
	size := s.channelBytes()
	for c := range s.channels() {
		n := v[c]
		switch s.Type {
		case Uint8:
			n = min(n, math.MaxUint8)
		case Uint16:
			n = min(n, math.MaxUint16)
		case Sint8:
			n = uint32(min(max(int32(n), math.MinInt8), math.MaxInt8))
		case Sint16:
			n = uint32(min(max(int32(n), math.MinInt16), math.MaxInt16))
		case Half:
			n = uint32(towardsZero(math.Float32frombits(n)))
		}
		for i := range size {
			to[c*size+i] = byte(n >> (8 * i))
		}
	}
}

// towardsZero is x as f16, rounded towards zero. A NaN is as num makes it.
func towardsZero(x float32) num.F16 {
	h := num.F16FromFloat32(x)
	if x == x && math.Abs(h.Float64()) > math.Abs(float64(x)) {
		h-- // the next smaller magnitude, of infinity too
	}
	return h
}
