package emu

import "math/bits"

var scalarRows = map[string]scalarSpec{
	// moves
	"s_mov_b32":     {dst: typeU32, src: u32x1, f: func(_ *wave, a, _, _ uint64) uint64 { return a }},
	"s_mov_b64":     {dst: typeU64, src: u64x1, f: func(_ *wave, a, _, _ uint64) uint64 { return a }},
	"s_movk_i32":    {dst: typeU32, src: u32x1, f: func(_ *wave, a, _, _ uint64) uint64 { return imm16(a) }},
	"s_cmov_b32":    {dst: typeU32, src: u32x2, fused: true, f: conditional},
	"s_cmov_b64":    {dst: typeU64, src: u64x2, fused: true, f: conditional},
	"s_cmovk_i32":   {dst: typeU32, src: u32x2, fused: true, f: func(w *wave, a, b, _ uint64) uint64 { return conditional(w, imm16(a), b, 0) }},
	"s_cselect_b32": {dst: typeU32, src: u32x2, f: conditional},
	"s_cselect_b64": {dst: typeU64, src: u64x2, f: conditional},

	// sums
	"s_add_u32":       {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return addSCC(w, a, b, 0) }},
	"s_add_co_u32":    {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return addSCC(w, a, b, 0) }},
	"s_addc_u32":      {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return addSCC(w, a, b, uint64(w.scc)) }},
	"s_add_co_ci_u32": {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return addSCC(w, a, b, uint64(w.scc)) }},
	"s_sub_u32":       {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return subSCC(w, a, b, 0) }},
	"s_sub_co_u32":    {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return subSCC(w, a, b, 0) }},
	"s_subb_u32":      {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return subSCC(w, a, b, uint64(w.scc)) }},
	"s_sub_co_ci_u32": {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return subSCC(w, a, b, uint64(w.scc)) }},
	"s_add_i32":       {dst: typeU32, src: u32x2, f: addSigned},
	"s_add_co_i32":    {dst: typeU32, src: u32x2, f: addSigned},
	"s_sub_i32":       {dst: typeU32, src: u32x2, f: subSigned},
	"s_sub_co_i32":    {dst: typeU32, src: u32x2, f: subSigned},
	"s_addk_i32":      {dst: typeU32, src: u32x2, fused: true, f: func(w *wave, a, b, _ uint64) uint64 { return addSigned(w, imm16(a), b, 0) }},
	"s_addk_co_i32":   {dst: typeU32, src: u32x2, fused: true, f: func(w *wave, a, b, _ uint64) uint64 { return addSigned(w, imm16(a), b, 0) }},
	"s_add_nc_u64":    {dst: typeU64, src: u64x2, f: func(_ *wave, a, b, _ uint64) uint64 { return a + b }},
	"s_sub_nc_u64":    {dst: typeU64, src: u64x2, f: func(_ *wave, a, b, _ uint64) uint64 { return a - b }},
	"s_absdiff_i32": {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 {
		r := int32(a) - int32(b)
		if r < 0 {
			r = -r
		}
		w.setSCC(r != 0)
		return uint64(uint32(r))
	}},
	"s_lshl1_add_u32": shifted(1), "s_lshl2_add_u32": shifted(2), "s_lshl3_add_u32": shifted(3), "s_lshl4_add_u32": shifted(4),

	// products
	"s_mul_i32":    {dst: typeU32, src: u32x2, f: func(_ *wave, a, b, _ uint64) uint64 { return a * b }},
	"s_mulk_i32":   {dst: typeU32, src: u32x2, fused: true, f: func(_ *wave, a, b, _ uint64) uint64 { return imm16(a) * b }},
	"s_mul_hi_u32": {dst: typeU32, src: u32x2, f: func(_ *wave, a, b, _ uint64) uint64 { return a * b >> 32 }},
	"s_mul_hi_i32": {dst: typeU32, src: u32x2, f: func(_ *wave, a, b, _ uint64) uint64 {
		return uint64(int64(int32(a)) * int64(int32(b)) >> 32)
	}},
	"s_mul_u64": {dst: typeU64, src: u64x2, f: func(_ *wave, a, b, _ uint64) uint64 { return a * b }},

	// minima
	"s_min_i32": {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return scalarMin(w, a, b, int32(a) < int32(b)) }},
	"s_max_i32": {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return scalarMin(w, a, b, int32(a) > int32(b)) }},
	"s_min_u32": {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return scalarMin(w, a, b, a < b) }},
	"s_max_u32": {dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return scalarMin(w, a, b, a > b) }},

	// shifts and fields
	"s_lshl_b32":        {dst: typeU32, src: u32x2, f: nonZero(32, func(a, b uint64) uint64 { return a << (b & 31) })},
	"s_lshl_b64":        {dst: typeU64, src: []valueType{typeU64, typeU32}, f: nonZero(64, func(a, b uint64) uint64 { return a << (b & 63) })},
	"s_lshr_b32":        {dst: typeU32, src: u32x2, f: nonZero(32, func(a, b uint64) uint64 { return a >> (b & 31) })},
	"s_lshr_b64":        {dst: typeU64, src: []valueType{typeU64, typeU32}, f: nonZero(64, func(a, b uint64) uint64 { return a >> (b & 63) })},
	"s_ashr_i32":        {dst: typeU32, src: u32x2, f: nonZero(32, func(a, b uint64) uint64 { return uint64(int32(a) >> (b & 31)) })},
	"s_ashr_i64":        {dst: typeU64, src: []valueType{typeI64, typeU32}, f: nonZero(64, func(a, b uint64) uint64 { return uint64(int64(a) >> (b & 63)) })},
	"s_bfe_u32":         {dst: typeU32, src: u32x2, f: nonZero(32, func(a, b uint64) uint64 { return field(a, b, 32, false) })},
	"s_bfe_i32":         {dst: typeU32, src: u32x2, f: nonZero(32, func(a, b uint64) uint64 { return field(a, b, 32, true) })},
	"s_bfe_u64":         {dst: typeU64, src: []valueType{typeU64, typeU32}, f: nonZero(64, func(a, b uint64) uint64 { return field(a, b, 64, false) })},
	"s_bfe_i64":         {dst: typeU64, src: []valueType{typeI64, typeU32}, f: nonZero(64, func(a, b uint64) uint64 { return field(a, b, 64, true) })},
	"s_bfm_b32":         {dst: typeU32, src: u32x2, f: func(_ *wave, a, b, _ uint64) uint64 { return (1<<(a&31) - 1) << (b & 31) }},
	"s_bfm_b64":         {dst: typeU64, src: u32x2, f: func(_ *wave, a, b, _ uint64) uint64 { return (1<<(a&63) - 1) << (b & 63) }},
	"s_bitset0_b32":     {dst: typeU32, src: u32x2, fused: true, f: func(_ *wave, a, b, _ uint64) uint64 { return b &^ (1 << (a & 31)) }},
	"s_bitset1_b32":     {dst: typeU32, src: u32x2, fused: true, f: func(_ *wave, a, b, _ uint64) uint64 { return b | 1<<(a&31) }},
	"s_bitset0_b64":     {dst: typeU64, src: []valueType{typeU32, typeU64}, fused: true, f: func(_ *wave, a, b, _ uint64) uint64 { return b &^ (1 << (a & 63)) }},
	"s_bitset1_b64":     {dst: typeU64, src: []valueType{typeU32, typeU64}, fused: true, f: func(_ *wave, a, b, _ uint64) uint64 { return b | 1<<(a&63) }},
	"s_bitcmp0_b32":     {src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { w.setSCC(a>>(b&31)&1 == 0); return 0 }},
	"s_bitcmp1_b32":     {src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { w.setSCC(a>>(b&31)&1 != 0); return 0 }},
	"s_bitcmp0_b64":     {src: []valueType{typeU64, typeU32}, f: func(w *wave, a, b, _ uint64) uint64 { w.setSCC(a>>(b&63)&1 == 0); return 0 }},
	"s_bitcmp1_b64":     {src: []valueType{typeU64, typeU32}, f: func(w *wave, a, b, _ uint64) uint64 { w.setSCC(a>>(b&63)&1 != 0); return 0 }},
	"s_pack_ll_b32_b16": {dst: typeU32, src: u32x2, f: func(_ *wave, a, b, _ uint64) uint64 { return a&0xffff | b<<16 }},
	"s_pack_lh_b32_b16": {dst: typeU32, src: u32x2, f: func(_ *wave, a, b, _ uint64) uint64 { return a&0xffff | b&0xffff0000 }},
	"s_pack_hh_b32_b16": {dst: typeU32, src: u32x2, f: func(_ *wave, a, b, _ uint64) uint64 { return a>>16 | b&0xffff0000 }},
	"s_pack_hl_b32_b16": {dst: typeU32, src: u32x2, f: func(_ *wave, a, b, _ uint64) uint64 { return a>>16 | b<<16 }},

	// bit operations of one operand
	"s_not_b32":  {dst: typeU32, src: u32x1, f: nonZero(32, func(a, _ uint64) uint64 { return ^a })},
	"s_not_b64":  {dst: typeU64, src: u64x1, f: nonZero(64, func(a, _ uint64) uint64 { return ^a })},
	"s_brev_b32": {dst: typeU32, src: u32x1, f: func(_ *wave, a, _, _ uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) }},
	"s_brev_b64": {dst: typeU64, src: u64x1, f: func(_ *wave, a, _, _ uint64) uint64 { return bits.Reverse64(a) }},
	"s_abs_i32": {dst: typeU32, src: u32x1, f: nonZero(32, func(a, _ uint64) uint64 {
		if int32(a) < 0 {
			return -a
		}
		return a
	})},
	"s_sext_i32_i8":   {dst: typeU32, src: u32x1, f: func(_ *wave, a, _, _ uint64) uint64 { return uint64(int8(a)) }},
	"s_sext_i32_i16":  {dst: typeU32, src: u32x1, f: func(_ *wave, a, _, _ uint64) uint64 { return uint64(int16(a)) }},
	"s_bcnt0_i32_b32": {dst: typeU32, src: u32x1, f: nonZero(32, func(a, _ uint64) uint64 { return uint64(32 - bits.OnesCount32(uint32(a))) })},
	"s_bcnt0_i32_b64": {dst: typeU32, src: u64x1, f: nonZero(32, func(a, _ uint64) uint64 { return uint64(64 - bits.OnesCount64(a)) })},
	"s_bcnt1_i32_b32": {dst: typeU32, src: u32x1, f: nonZero(32, func(a, _ uint64) uint64 { return uint64(bits.OnesCount32(uint32(a))) })},
	"s_bcnt1_i32_b64": {dst: typeU32, src: u64x1, f: nonZero(32, func(a, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) })},
	"s_ctz_i32_b32":   {dst: typeU32, src: u32x1, f: func(_ *wave, a, _, _ uint64) uint64 { return firstBit(bits.TrailingZeros32(uint32(a)), 32) }},
	"s_ctz_i32_b64":   {dst: typeU32, src: u64x1, f: func(_ *wave, a, _, _ uint64) uint64 { return firstBit(bits.TrailingZeros64(a), 64) }},
	"s_clz_i32_u32":   {dst: typeU32, src: u32x1, f: func(_ *wave, a, _, _ uint64) uint64 { return firstBit(bits.LeadingZeros32(uint32(a)), 32) }},
	"s_clz_i32_u64":   {dst: typeU32, src: u64x1, f: func(_ *wave, a, _, _ uint64) uint64 { return firstBit(bits.LeadingZeros64(a), 64) }},
	"s_cls_i32":       {dst: typeU32, src: u32x1, f: func(_ *wave, a, _, _ uint64) uint64 { return signRun(int64(int32(a)), 32) }},
	"s_cls_i32_i64":   {dst: typeU32, src: u64x1, f: func(_ *wave, a, _, _ uint64) uint64 { return signRun(int64(a), 64) }},
	"s_quadmask_b32":  {dst: typeU32, src: u32x1, f: nonZero(32, func(a, _ uint64) uint64 { return quads(a, false) })},
	"s_quadmask_b64":  {dst: typeU64, src: u64x1, f: nonZero(64, func(a, _ uint64) uint64 { return quads(a, false) })},
	"s_wqm_b32":       {dst: typeU32, src: u32x1, f: nonZero(32, func(a, _ uint64) uint64 { return quads(a, true) })},
	"s_wqm_b64":       {dst: typeU64, src: u64x1, f: nonZero(64, func(a, _ uint64) uint64 { return quads(a, true) })},
	"s_bitreplicate_b64_b32": {dst: typeU64, src: u32x1, f: func(_ *wave, a, _, _ uint64) uint64 {
		var r uint64
		for i := range 32 {
			r |= a >> i & 1 * 3 << (2 * i)
		}
		return r
	}},
}

func conditional(w *wave, a, b, _ uint64) uint64 {
	if w.scc != 0 {
		return a
	}
	return b
}
