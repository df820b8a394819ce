package emu

import "math/bits"

// Integer and bit instructions.

func word1(f func(a uint32) uint32) valuSpec {
	return valuSpec{dst: typeU32, src: []valueType{typeU32}, f: func(_ fpMode, a, _, _ uint32) uint32 { return f(a) }}
}

func word2(f func(a, b uint32) uint32) valuSpec {
	return valuSpec{dst: typeU32, src: []valueType{typeU32, typeU32}, f: func(_ fpMode, a, b, _ uint32) uint32 { return f(a, b) }}
}

func word3(f func(a, b, c uint32) uint32) valuSpec {
	return valuSpec{dst: typeU32, src: []valueType{typeU32, typeU32, typeU32}, f: func(_ fpMode, a, b, c uint32) uint32 { return f(a, b, c) }}
}

// short1 to short3 are 16-bit instructions; operands come zero-extended.
func short1(f func(a uint16) uint16) valuSpec {
	return valuSpec{dst: typeU16, src: []valueType{typeU16}, f: func(_ fpMode, a, _, _ uint32) uint32 { return uint32(f(uint16(a))) }}
}

func short2(f func(a, b uint16) uint16) valuSpec {
	return valuSpec{dst: typeU16, src: []valueType{typeU16, typeU16}, f: func(_ fpMode, a, b, _ uint32) uint32 {
		return uint32(f(uint16(a), uint16(b)))
	}}
}

func short3(f func(a, b, c uint16) uint16) valuSpec {
	return valuSpec{dst: typeU16, src: []valueType{typeU16, typeU16, typeU16}, f: func(_ fpMode, a, b, c uint32) uint32 {
		return uint32(f(uint16(a), uint16(b), uint16(c)))
	}}
}

// saturating adds the form of an instruction with the clamp modifier.
func (s valuSpec) saturating(f func(a, b uint32) int64, lo, hi int64) valuSpec {
	s.sat = func(_ fpMode, a, b, _ uint32) uint32 { return uint32(max(lo, min(f(a, b), hi))) }
	return s
}

const (
	minI32, maxI32, maxU32 = -1 << 31, 1<<31 - 1, 1<<32 - 1
	minI16, maxI16, maxU16 = -1 << 15, 1<<15 - 1, 1<<16 - 1
)

func signed(f func(a, b int32) int32) func(a, b uint32) uint32 {
	return func(a, b uint32) uint32 { return uint32(f(int32(a), int32(b))) }
}

func chainWords(f, g func(a, b uint32) uint32) func(a, b, c uint32) uint32 {
	return func(a, b, c uint32) uint32 { return g(f(a, b), c) }
}

var (
	minI  = signed(func(a, b int32) int32 { return min(a, b) })
	maxI  = signed(func(a, b int32) int32 { return max(a, b) })
	minU  = func(a, b uint32) uint32 { return min(a, b) }
	maxU  = func(a, b uint32) uint32 { return max(a, b) }
	add64 = func(a, b uint32) int64 { return int64(a) + int64(b) }
	sub64 = func(a, b uint32) int64 { return int64(a) - int64(b) }
	addI  = func(a, b uint32) int64 { return int64(int32(a)) + int64(int32(b)) }
	subI  = func(a, b uint32) int64 { return int64(int32(a)) - int64(int32(b)) }
	addS  = func(a, b uint32) int64 { return int64(int16(a)) + int64(int16(b)) }
	subS  = func(a, b uint32) int64 { return int64(int16(a)) - int64(int16(b)) }
)

func u24(x uint32) uint32 { return x & 0xffffff }
func i24(x uint32) int64  { return int64(int32(x<<8) >> 8) }

var tableInt = map[string]valuSpec{
	"v_mov_b32": word1(func(a uint32) uint32 { return a }), "v_not_b32": word1(func(a uint32) uint32 { return ^a }),
	"v_bfrev_b32":   word1(bits.Reverse32),
	"v_clz_i32_u32": word1(func(a uint32) uint32 { return uint32(firstBit(bits.LeadingZeros32(a), 32)) }),
	"v_ctz_i32_b32": word1(func(a uint32) uint32 { return uint32(firstBit(bits.TrailingZeros32(a), 32)) }),
	"v_cls_i32":     word1(func(a uint32) uint32 { return uint32(signRun(int64(int32(a)), 32)) }),
	"v_and_b32":     word2(func(a, b uint32) uint32 { return a & b }), "v_or_b32": word2(func(a, b uint32) uint32 { return a | b }),
	"v_xor_b32": word2(func(a, b uint32) uint32 { return a ^ b }), "v_xnor_b32": word2(func(a, b uint32) uint32 { return ^(a ^ b) }),
	"v_lshlrev_b32": word2(func(a, b uint32) uint32 { return b << (a & 31) }), "v_lshrrev_b32": word2(func(a, b uint32) uint32 { return b >> (a & 31) }),
	"v_ashrrev_i32": word2(func(a, b uint32) uint32 { return uint32(int32(b) >> (a & 31)) }),

	"v_add_nc_u32":    word2(func(a, b uint32) uint32 { return a + b }).saturating(add64, 0, maxU32),
	"v_sub_nc_u32":    word2(func(a, b uint32) uint32 { return a - b }).saturating(sub64, 0, maxU32),
	"v_subrev_nc_u32": word2(func(a, b uint32) uint32 { return b - a }).saturating(func(a, b uint32) int64 { return sub64(b, a) }, 0, maxU32),
	"v_add_nc_i32":    word2(func(a, b uint32) uint32 { return a + b }).saturating(addI, minI32, maxI32),
	"v_sub_nc_i32":    word2(func(a, b uint32) uint32 { return a - b }).saturating(subI, minI32, maxI32),
	"v_mul_lo_u32":    word2(func(a, b uint32) uint32 { return a * b }),
	"v_mul_hi_u32":    word2(func(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }),
	"v_mul_hi_i32":    word2(func(a, b uint32) uint32 { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) }),
	"v_mul_u32_u24":   word2(func(a, b uint32) uint32 { return u24(a) * u24(b) }), "v_mul_i32_i24": word2(func(a, b uint32) uint32 { return uint32(i24(a) * i24(b)) }),
	"v_mul_hi_u32_u24": word2(func(a, b uint32) uint32 { return uint32(uint64(u24(a)) * uint64(u24(b)) >> 32) }),
	"v_mul_hi_i32_i24": word2(func(a, b uint32) uint32 { return uint32(i24(a) * i24(b) >> 32) }),
	"v_mad_u32_u24":    word3(func(a, b, c uint32) uint32 { return u24(a)*u24(b) + c }),
	"v_mad_i32_i24":    word3(func(a, b, c uint32) uint32 { return uint32(i24(a)*i24(b)) + c }),

	"v_min_i32": word2(minI), "v_max_i32": word2(maxI), "v_min_u32": word2(minU), "v_max_u32": word2(maxU),
	"v_min3_i32": word3(chainWords(minI, minI)), "v_max3_i32": word3(chainWords(maxI, maxI)), "v_min3_u32": word3(chainWords(minU, minU)), "v_max3_u32": word3(chainWords(maxU, maxU)),
	"v_minmax_i32": word3(chainWords(minI, maxI)), "v_maxmin_i32": word3(chainWords(maxI, minI)), "v_minmax_u32": word3(chainWords(minU, maxU)), "v_maxmin_u32": word3(chainWords(maxU, minU)),
	"v_med3_i32": word3(func(a, b, c uint32) uint32 { return maxI(minI(a, b), minI(maxI(a, b), c)) }),
	"v_med3_u32": word3(func(a, b, c uint32) uint32 { return max(min(a, b), min(max(a, b), c)) }),

	"v_bfe_u32": word3(func(a, b, c uint32) uint32 { return a >> (b & 31) & (1<<(c&31) - 1) }),
	"v_bfe_i32": word3(bitFieldSigned),
	"v_bfi_b32": word3(func(a, b, c uint32) uint32 { return a&b | ^a&c }), "v_bfm_b32": word2(func(a, b uint32) uint32 { return (1<<(a&31) - 1) << (b & 31) }),
	"v_alignbit_b32":  word3(func(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (c & 31)) }),
	"v_alignbyte_b32": word3(func(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (8 * (c & 3))) }),
	"v_perm_b32":      word3(permuteBytes),
	"v_lshl_add_u32":  word3(func(a, b, c uint32) uint32 { return a<<(b&31) + c }), "v_add_lshl_u32": word3(func(a, b, c uint32) uint32 { return (a + b) << (c & 31) }),
	"v_lshl_or_b32": word3(func(a, b, c uint32) uint32 { return a<<(b&31) | c }), "v_and_or_b32": word3(func(a, b, c uint32) uint32 { return a&b | c }),
	"v_or3_b32": word3(func(a, b, c uint32) uint32 { return a | b | c }), "v_xor3_b32": word3(func(a, b, c uint32) uint32 { return a ^ b ^ c }),
	"v_xad_u32": word3(func(a, b, c uint32) uint32 { return a ^ b + c }), "v_add3_u32": word3(func(a, b, c uint32) uint32 { return a + b + c }),
	"v_bcnt_u32_b32": word2(func(a, b uint32) uint32 { return uint32(bits.OnesCount32(a)) + b }),
	"v_sad_u32":      word3(func(a, b, c uint32) uint32 { return max(a, b) - min(a, b) + c }),
	"v_sad_u16": word3(func(a, b, c uint32) uint32 {
		lo, hi := max(a&0xffff, b&0xffff)-min(a&0xffff, b&0xffff), max(a>>16, b>>16)-min(a>>16, b>>16)
		return lo + hi + c
	}),
	"v_sad_u8":         word3(func(a, b, c uint32) uint32 { return byteDistance(a, b) + c }),
	"v_lerp_u8":        word3(averageBytes),
	"v_sad_hi_u8":      word3(func(a, b, c uint32) uint32 { return byteDistance(a, b)<<16 + c }),
	"v_cvt_u32_u16":    {dst: typeU32, src: []valueType{typeU16}, f: func(_ fpMode, a, _, _ uint32) uint32 { return a }},
	"v_cvt_i32_i16":    {dst: typeU32, src: []valueType{typeI16}, f: func(_ fpMode, a, _, _ uint32) uint32 { return uint32(int32(int16(a))) }},
	"v_cvt_pk_u16_u32": word2(func(a, b uint32) uint32 { return min(a, maxU16) | min(b, maxU16)<<16 }),
	"v_cvt_pk_i16_i32": word2(func(a, b uint32) uint32 {
		return uint32(uint16(max(minI16, min(int32(a), maxI16)))) | uint32(uint16(max(minI16, min(int32(b), maxI16))))<<16
	}),
	"v_mad_u32_u16": {dst: typeU32, src: []valueType{typeU16, typeU16, typeU32}, f: func(_ fpMode, a, b, c uint32) uint32 { return a*b + c }},
	"v_mad_i32_i16": {dst: typeU32, src: []valueType{typeI16, typeI16, typeI32}, f: func(_ fpMode, a, b, c uint32) uint32 {
		return uint32(int32(int16(a))*int32(int16(b))) + c
	}},

	// 16 bits
	"v_mov_b16": short1(func(a uint16) uint16 { return a }), "v_not_b16": short1(func(a uint16) uint16 { return ^a }),
	"v_and_b16": short2(func(a, b uint16) uint16 { return a & b }), "v_or_b16": short2(func(a, b uint16) uint16 { return a | b }), "v_xor_b16": short2(func(a, b uint16) uint16 { return a ^ b }),
	"v_add_nc_u16": short2(func(a, b uint16) uint16 { return a + b }).saturating(add64, 0, maxU16), "v_sub_nc_u16": short2(func(a, b uint16) uint16 { return a - b }).saturating(sub64, 0, maxU16),
	"v_add_nc_i16": short2(func(a, b uint16) uint16 { return a + b }).saturating(addS, minI16, maxI16), "v_sub_nc_i16": short2(func(a, b uint16) uint16 { return a - b }).saturating(subS, minI16, maxI16),
	"v_mul_lo_u16": short2(func(a, b uint16) uint16 { return a * b }),
	"v_min_u16":    short2(func(a, b uint16) uint16 { return min(a, b) }), "v_max_u16": short2(func(a, b uint16) uint16 { return max(a, b) }),
	"v_min_i16": short2(func(a, b uint16) uint16 { return uint16(min(int16(a), int16(b))) }), "v_max_i16": short2(func(a, b uint16) uint16 { return uint16(max(int16(a), int16(b))) }),
	"v_lshlrev_b16": short2(func(a, b uint16) uint16 { return b << (a & 15) }), "v_lshrrev_b16": short2(func(a, b uint16) uint16 { return b >> (a & 15) }),
	"v_ashrrev_i16": short2(func(a, b uint16) uint16 { return uint16(int16(b) >> (a & 15)) }),
	"v_mad_u16":     short3(func(a, b, c uint16) uint16 { return a*b + c }), "v_mad_i16": short3(func(a, b, c uint16) uint16 { return a*b + c }),
	"v_min3_u16": short3(func(a, b, c uint16) uint16 { return min(a, b, c) }), "v_max3_u16": short3(func(a, b, c uint16) uint16 { return max(a, b, c) }),
	"v_min3_i16": short3(func(a, b, c uint16) uint16 { return uint16(min(int16(a), int16(b), int16(c))) }),
	"v_max3_i16": short3(func(a, b, c uint16) uint16 { return uint16(max(int16(a), int16(b), int16(c))) }),
	"v_med3_u16": short3(func(a, b, c uint16) uint16 { return max(min(a, b), min(max(a, b), c)) }),
	"v_med3_i16": short3(func(a, b, c uint16) uint16 {
		x, y, z := int16(a), int16(b), int16(c)
		return uint16(max(min(x, y), min(max(x, y), z)))
	}),
}

// bitFieldSigned is v_bfe_i32.
func bitFieldSigned(a, b, c uint32) uint32 {
	offset, width := b&31, c&31
	if width == 0 {
		return 0
	}
	if offset+width >= 32 {
		return uint32(int32(a) >> offset)
	}
	return uint32(int32(a<<(32-offset-width)) >> (32 - width))
}

// permuteBytes is v_perm_b32: each byte of c picks a byte of {a, b}, a sign, 0
// or 0xff.
func permuteBytes(a, b, c uint32) uint32 {
	both := uint64(a)<<32 | uint64(b)
	var r uint32
	for i := 0; i < 32; i += 8 {
		var v uint32
		switch sel := c >> i & 0xff; {
		case sel < 8:
			v = uint32(both>>(8*sel)) & 0xff
		case sel < 12: // sign of a 16-bit half
			v = uint32(both>>(16*(sel-8)+15)) & 1 * 0xff
		case sel > 12:
			v = 0xff
		}
		r |= v << i
	}
	return r
}

// byteDistance is the sum of the differences of four bytes.
func byteDistance(a, b uint32) uint32 {
	var sum uint32
	for i := 0; i < 32; i += 8 {
		x, y := a>>i&0xff, b>>i&0xff
		sum += max(x, y) - min(x, y)
	}
	return sum
}

// averageBytes is the mean of each pair of bytes, rounded up where bit 0 of the
// third operand's byte is set.
func averageBytes(a, b, c uint32) uint32 {
	var r uint32
	for i := 0; i < 32; i += 8 {
		r |= (a>>i&0xff + b>>i&0xff + c>>i&1) >> 1 << i
	}
	return r
}
