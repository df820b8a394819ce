package emu

import (
	"math"
	"strconv"
	"strings"
)

// Format is the data format of an image, by its number in the descriptor. The
// numbers are those of "Buffer and Image Data Formats" in AMD's RDNA3 and RDNA4
// instruction set manuals (10.7), the same in both for what is listed here; LLVM
// has them as UfmtGFX11. AMD names components from the most significant bits
// down; the constants here name them as memory has them, from the least.
type Format uint8

const (
	FormatR8Unorm          Format = 1
	FormatR8Snorm          Format = 2
	FormatR8Uint           Format = 5
	FormatR8Sint           Format = 6
	FormatR16Unorm         Format = 7
	FormatR16Snorm         Format = 8
	FormatR16Uint          Format = 11
	FormatR16Sint          Format = 12
	FormatR16Float         Format = 13
	FormatRG8Unorm         Format = 14
	FormatRG8Snorm         Format = 15
	FormatRG8Uint          Format = 18
	FormatRG8Sint          Format = 19
	FormatR32Uint          Format = 20
	FormatR32Sint          Format = 21
	FormatR32Float         Format = 22
	FormatRG16Unorm        Format = 23
	FormatRG16Snorm        Format = 24
	FormatRG16Uint         Format = 27
	FormatRG16Sint         Format = 28
	FormatRG16Float        Format = 29
	FormatR11G11B10Float   Format = 30
	FormatR10G10B10A2Unorm Format = 36
	FormatR10G10B10A2Snorm Format = 37
	FormatR10G10B10A2Uint  Format = 40
	FormatR10G10B10A2Sint  Format = 41
	FormatRGBA8Unorm       Format = 42
	FormatRGBA8Snorm       Format = 43
	FormatRGBA8Uint        Format = 46
	FormatRGBA8Sint        Format = 47
	FormatRG32Uint         Format = 48
	FormatRG32Sint         Format = 49
	FormatRG32Float        Format = 50
	FormatRGBA16Unorm      Format = 51
	FormatRGBA16Snorm      Format = 52
	FormatRGBA16Uint       Format = 55
	FormatRGBA16Sint       Format = 56
	FormatRGBA16Float      Format = 57
	FormatRGBA32Uint       Format = 61
	FormatRGBA32Sint       Format = 62
	FormatRGBA32Float      Format = 63
)

// formatNames are AMD's names, by number.
var formatNames = [...]string{
	"INVALID", "8_UNORM", "8_SNORM", "8_USCALED", "8_SSCALED", "8_UINT", "8_SINT",
	"16_UNORM", "16_SNORM", "16_USCALED", "16_SSCALED", "16_UINT", "16_SINT", "16_FLOAT",
	"8_8_UNORM", "8_8_SNORM", "8_8_USCALED", "8_8_SSCALED", "8_8_UINT", "8_8_SINT",
	"32_UINT", "32_SINT", "32_FLOAT",
	"16_16_UNORM", "16_16_SNORM", "16_16_USCALED", "16_16_SSCALED", "16_16_UINT", "16_16_SINT", "16_16_FLOAT",
	"10_11_11_FLOAT", "11_11_10_FLOAT",
	"10_10_10_2_UNORM", "10_10_10_2_SNORM", "10_10_10_2_UINT", "10_10_10_2_SINT",
	"2_10_10_10_UNORM", "2_10_10_10_SNORM", "2_10_10_10_USCALED", "2_10_10_10_SSCALED", "2_10_10_10_UINT", "2_10_10_10_SINT",
	"8_8_8_8_UNORM", "8_8_8_8_SNORM", "8_8_8_8_USCALED", "8_8_8_8_SSCALED", "8_8_8_8_UINT", "8_8_8_8_SINT",
	"32_32_UINT", "32_32_SINT", "32_32_FLOAT",
	"16_16_16_16_UNORM", "16_16_16_16_SNORM", "16_16_16_16_USCALED", "16_16_16_16_SSCALED", "16_16_16_16_UINT", "16_16_16_16_SINT", "16_16_16_16_FLOAT",
	"32_32_32_UINT", "32_32_32_SINT", "32_32_32_FLOAT",
	"32_32_32_32_UINT", "32_32_32_32_SINT", "32_32_32_32_FLOAT",
	"8_SRGB", "8_8_SRGB", "8_8_8_8_SRGB", "5_9_9_9_FLOAT", "5_6_5_UNORM", "1_5_5_5_UNORM", "5_5_5_1_UNORM", "4_4_4_4_UNORM",
}

// String is AMD's name, "8_8_8_8_UNORM".
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return "format " + strconv.Itoa(int(f))
}

// Bytes is the size of a texel; 0 where the format is not modelled.
func (f Format) Bytes() int { return texelFormats[f].bytes }

// texelKind is how the bits of a component are a number.
type texelKind uint8

const (
	texelUnorm texelKind = iota + 1
	texelSnorm
	texelUscaled
	texelSscaled
	texelUint
	texelSint
	texelFloat
)

var texelKinds = map[string]texelKind{
	"UNORM": texelUnorm, "SNORM": texelSnorm, "USCALED": texelUscaled, "SSCALED": texelSscaled,
	"UINT": texelUint, "SINT": texelSint, "FLOAT": texelFloat,
}

// texelFormat is a format taken apart. Components are R, G, B, A in memory's
// order.
type texelFormat struct {
	kind  texelKind // 0: not modelled
	n     int       // components
	bytes int
	at    [4]uint8 // first bit
	bits  [4]uint8
}

// texelFormats by number, from the names. Not modelled: sRGB, shared exponents,
// texels of 12 bytes, which no image has, and the two orders of packed components
// that no API names.
var texelFormats = func() (out [256]texelFormat) {
	for number, name := range formatNames[1 : FormatRGBA32Float+1] {
		if strings.HasPrefix(name, "32_32_32_") && !strings.HasPrefix(name, "32_32_32_32_") || strings.HasPrefix(name, "10_10_10_2_") || strings.HasPrefix(name, "11_11_10_") {
			continue
		}
		parts := strings.Split(name, "_")
		f := texelFormat{kind: texelKinds[parts[len(parts)-1]], n: len(parts) - 1}
		at := 0
		for c := range f.n {
			size, err := strconv.Atoi(parts[f.n-1-c])
			if err != nil {
				panic(name) // the list above
			}
			f.at[c&3], f.bits[c&3] = uint8(at), uint8(size)
			at += size
		}
		f.bytes = at / 8
		out[number+1] = f
	}
	return out
}()

func (f *texelFormat) integer() bool { return f.kind == texelUint || f.kind == texelSint }

// one is 1 as a component.
func (f *texelFormat) one() uint32 {
	if f.integer() {
		return 1
	}
	return 0x3f800000
}

// keepDenormals is the mode of conversions here, which do not depend on MODE.
const keepDenormals = fpMode(modeDenormals)

// decode turns a texel into register values: f32, or 32-bit integers.
func (f *texelFormat) decode(b []byte) (v [4]uint32) {
	var words [2]uint64
	for i, x := range b {
		words[i>>3&1] |= uint64(x) << (i & 7 * 8)
	}
	for c := range f.n {
		at, n := f.at[c&3], f.bits[c&3]
		raw := uint32(words[at>>6&1] >> (at & 63) & (1<<n - 1))
		v[c&3] = f.value(raw, n)
	}
	return v
}

// value of a component of n bits. Normalised ones are correctly rounded.
func (f *texelFormat) value(raw uint32, n uint8) uint32 {
	signed := int32(raw<<(32-n)) >> (32 - n)
	switch f.kind {
	case texelUnorm:
		return math.Float32bits(float32(float64(raw) / float64(uint32(1)<<n-1)))
	case texelSnorm:
		return math.Float32bits(float32(max(float64(signed)/float64(int32(1)<<(n-1)-1), -1)))
	case texelUscaled:
		return math.Float32bits(float32(raw))
	case texelSscaled:
		return math.Float32bits(float32(signed))
	case texelSint:
		return uint32(signed)
	case texelFloat:
		switch n {
		case 16:
			return cvtF32F16(keepDenormals, uint16(raw))
		case 10, 11: // f16 without a sign and with a shorter mantissa
			return cvtF32F16(keepDenormals, uint16(raw<<(15-n)))
		}
	}
	return raw
}

// encode is decode's inverse, for stores: normalised components round to nearest
// even, shorter floats towards zero, integers saturate.
func (f *texelFormat) encode(v [4]uint32, b []byte) {
	var words [2]uint64
	for c := range f.n {
		at, n := f.at[c&3], f.bits[c&3]
		words[at>>6&1] |= uint64(f.raw(v[c&3], n)) << (at & 63)
	}
	for i := range b {
		b[i] = byte(words[i>>3&1] >> (i & 7 * 8))
	}
}

// raw is the bits of a component.
func (f *texelFormat) raw(v uint32, n uint8) uint32 {
	mask := uint32(1<<n - 1)
	x := float64(math.Float32frombits(v))
	switch f.kind {
	case texelUnorm:
		if !(x > 0) {
			return 0
		}
		return uint32(math.RoundToEven(min(x, 1) * float64(mask)))
	case texelSnorm:
		if x != x {
			return 0
		}
		return uint32(int32(math.RoundToEven(max(min(x, 1), -1)*float64(mask>>1)))) & mask
	case texelUint:
		return min(v, mask)
	case texelSint:
		limit := int32(mask >> 1)
		return uint32(max(min(int32(v), limit), -limit-1)) & mask
	}
	if n == 32 {
		return v
	}
	h := uint32(cvtF16F32(towardsZero, v))
	switch {
	case n == 16:
		return h
	case isNaNF32(v):
		return h & 0x7fff >> (15 - n)
	case v&signF32 != 0:
		return 0
	}
	return h >> (15 - n)
}

// towardsZero is the rounding of stores: Direct3D's conversion rules ask for it
// between floats.
const towardsZero = keepDenormals | roundToZero<<2

// to16 makes a D16 component of a 32-bit one.
func (f *texelFormat) to16(v uint32) uint16 {
	if f.integer() {
		return uint16(v)
	}
	return cvtF16F32(keepDenormals, v)
}

// from16 is the other way.
func (f *texelFormat) from16(v uint16) uint32 {
	switch f.kind {
	case texelUint:
		return uint32(v)
	case texelSint:
		return uint32(int32(int16(v)))
	}
	return cvtF32F16(keepDenormals, v)
}
