package emu

// f32 instructions. In this and the other tables a row says what an instruction
// takes and gives; the arithmetic is in arith_*.go.

// float1, float2 and float3 are rows whose operands and result have one type.
func float1(f func(fpMode, uint32) uint32) valuSpec {
	return valuSpec{dst: typeF32, src: []valueType{typeF32}, f: func(m fpMode, a, _, _ uint32) uint32 { return f(m, a) }}
}

func float2(f func(fpMode, uint32, uint32) uint32) valuSpec {
	return valuSpec{dst: typeF32, src: []valueType{typeF32, typeF32}, f: func(m fpMode, a, b, _ uint32) uint32 { return f(m, a, b) }}
}

func float3(f lane32) valuSpec {
	return valuSpec{dst: typeF32, src: []valueType{typeF32, typeF32, typeF32}, f: f}
}

// fusedTo makes the destination the last source.
func fusedTo(s valuSpec) valuSpec {
	s.fused = true
	return s
}

func approximate(f approximation) valuSpec {
	return valuSpec{dst: typeF32, src: []valueType{typeF32}, approx: f}
}

// chain3 applies g after f: min(max(a, b), c) and its like.
func chain3(f, g func(fpMode, uint32, uint32) uint32) lane32 {
	return func(m fpMode, a, b, c uint32) uint32 { return g(m, f(m, a, b), c) }
}

var tableF32 = map[string]valuSpec{
	"v_add_f32": float2(addF32), "v_sub_f32": float2(subF32), "v_mul_f32": float2(mulF32),
	"v_subrev_f32":       float2(func(m fpMode, a, b uint32) uint32 { return subF32(m, b, a) }),
	"v_mul_legacy_f32":   float2(mulLegacyF32),
	"v_mul_dx9_zero_f32": float2(mulLegacyF32), "v_fma_dx9_zero_f32": float3(fmaLegacyF32), "v_fmac_dx9_zero_f32": fusedTo(float3(fmaLegacyF32)),
	"v_fma_f32": float3(fmaF32), "v_fmac_f32": fusedTo(float3(fmaF32)),
	"v_fmaak_f32": float3(fmaF32), // a * b + constant
	// a * constant + b, in the order of the text
	"v_fmamk_f32": float3(fmaF32),

	"v_min_f32": float2(minNumF32), "v_max_f32": float2(maxNumF32), "v_min_num_f32": float2(minNumF32), "v_max_num_f32": float2(maxNumF32),
	"v_minimum_f32": float2(minimumF32), "v_maximum_f32": float2(maximumF32),
	"v_min3_f32": float3(chain3(minNumF32, minNumF32)), "v_max3_f32": float3(chain3(maxNumF32, maxNumF32)), "v_med3_f32": float3(med3F32),
	"v_min3_num_f32": float3(chain3(minNumF32, minNumF32)), "v_max3_num_f32": float3(chain3(maxNumF32, maxNumF32)), "v_med3_num_f32": float3(med3F32),
	"v_minimum3_f32": float3(chain3(minimumF32, minimumF32)), "v_maximum3_f32": float3(chain3(maximumF32, maximumF32)),
	"v_minmax_f32": float3(chain3(minNumF32, maxNumF32)), "v_maxmin_f32": float3(chain3(maxNumF32, minNumF32)),
	"v_minmax_num_f32": float3(chain3(minNumF32, maxNumF32)), "v_maxmin_num_f32": float3(chain3(maxNumF32, minNumF32)),
	"v_minimummaximum_f32": float3(chain3(minimumF32, maximumF32)), "v_maximumminimum_f32": float3(chain3(maximumF32, minimumF32)),

	"v_rcp_f32": approximate(rcpF32), "v_rcp_iflag_f32": approximate(rcpF32), "v_rsq_f32": approximate(rsqF32), "v_sqrt_f32": approximate(sqrtF32),
	"v_exp_f32": approximate(exp2F32), "v_log_f32": approximate(log2F32), "v_sin_f32": approximate(sinF32), "v_cos_f32": approximate(cosF32),
	"v_floor_f32": float1(floorF32), "v_ceil_f32": float1(ceilF32), "v_trunc_f32": float1(truncF32), "v_rndne_f32": float1(rndneF32), "v_fract_f32": float1(fractF32),
	"v_frexp_mant_f32": float1(frexpMantF32),
	"v_frexp_exp_i32_f32": {dst: typeU32, src: []valueType{typeF32}, f: func(m fpMode, a, _, _ uint32) uint32 {
		return uint32(frexpExpF32(m, a))
	}},
	"v_ldexp_f32": {dst: typeF32, src: []valueType{typeF32, typeI32}, f: func(m fpMode, a, b, _ uint32) uint32 {
		return ldexpF32(m, a, int32(b))
	}},
	"v_div_fixup_f32": float3(divFixupF32),

	// conversions
	"v_cvt_f32_i32": {dst: typeF32, src: []valueType{typeI32}, f: func(m fpMode, a, _, _ uint32) uint32 { return cvtF32I32(m, a) }},
	"v_cvt_f32_u32": {dst: typeF32, src: []valueType{typeU32}, f: func(m fpMode, a, _, _ uint32) uint32 { return cvtF32U32(m, a) }},
	"v_cvt_i32_f32": {dst: typeU32, src: []valueType{typeF32}, f: func(m fpMode, a, _, _ uint32) uint32 { return cvtI32F32(m, a) }},
	"v_cvt_u32_f32": {dst: typeU32, src: []valueType{typeF32}, f: func(m fpMode, a, _, _ uint32) uint32 { return cvtU32F32(m, a) }},
	"v_cvt_floor_i32_f32": {dst: typeU32, src: []valueType{typeF32}, f: func(m fpMode, a, _, _ uint32) uint32 {
		return cvtFloorI32F32(m, a)
	}},
	"v_cvt_nearest_i32_f32": {dst: typeU32, src: []valueType{typeF32}, f: func(m fpMode, a, _, _ uint32) uint32 {
		return cvtNearestI32F32(m, a)
	}},
	"v_cvt_f32_f16":    {dst: typeF32, src: []valueType{typeF16}, f: func(m fpMode, a, _, _ uint32) uint32 { return cvtF32F16(m, uint16(a)) }},
	"v_cvt_f16_f32":    {dst: typeF16, src: []valueType{typeF32}, f: func(m fpMode, a, _, _ uint32) uint32 { return uint32(cvtF16F32(m, a)) }},
	"v_cvt_f32_ubyte0": ubyte(0), "v_cvt_f32_ubyte1": ubyte(1), "v_cvt_f32_ubyte2": ubyte(2), "v_cvt_f32_ubyte3": ubyte(3),
	"v_cvt_pkrtz_f16_f32": {dst: typeU32, src: []valueType{typeF32, typeF32}, f: func(m fpMode, a, b, _ uint32) uint32 {
		return cvtPkRtzF16F32(m, a, b)
	}},
	"v_cvt_pk_rtz_f16_f32": {dst: typeU32, src: []valueType{typeF32, typeF32}, f: func(m fpMode, a, b, _ uint32) uint32 {
		return cvtPkRtzF16F32(m, a, b)
	}},
	"v_cvt_pk_fp8_f32": {dst: typeU16, src: []valueType{typeF32, typeF32}, f: func(m fpMode, a, b, _ uint32) uint32 {
		return uint32(cvtFP8F32(m, a, false)) | uint32(cvtFP8F32(m, b, false))<<8
	}, sat: func(m fpMode, a, b, _ uint32) uint32 {
		return uint32(cvtFP8F32(m, a, true)) | uint32(cvtFP8F32(m, b, true))<<8
	}},
	"v_cvt_pk_bf8_f32": {dst: typeU16, src: []valueType{typeF32, typeF32}, f: func(m fpMode, a, b, _ uint32) uint32 {
		return uint32(cvtBF8F32(m, a, false)) | uint32(cvtBF8F32(m, b, false))<<8
	}, sat: func(m fpMode, a, b, _ uint32) uint32 {
		return uint32(cvtBF8F32(m, a, true)) | uint32(cvtBF8F32(m, b, true))<<8
	}},
	"v_cvt_pk_f32_fp8": {dst: typeU64, src: []valueType{typeU16}, g: func(_ fpMode, a, _, _ uint64) uint64 {
		return uint64(cvtF32FP8(uint8(a))) | uint64(cvtF32FP8(uint8(a>>8)))<<32
	}},
	"v_cvt_pk_f32_bf8": {dst: typeU64, src: []valueType{typeU16}, g: func(_ fpMode, a, _, _ uint64) uint64 {
		return uint64(cvtF32BF8(uint8(a))) | uint64(cvtF32BF8(uint8(a>>8)))<<32
	}},
	"v_cvt_f32_fp8": {dst: typeF32, src: []valueType{typeU32}, byteSelect: true, f: func(_ fpMode, a, _, _ uint32) uint32 { return cvtF32FP8(uint8(a)) }},
	"v_cvt_f32_bf8": {dst: typeF32, src: []valueType{typeU32}, byteSelect: true, f: func(_ fpMode, a, _, _ uint32) uint32 { return cvtF32BF8(uint8(a)) }},
}

func ubyte(n uint) valuSpec {
	return valuSpec{dst: typeF32, src: []valueType{typeU32}, f: func(_ fpMode, a, _, _ uint32) uint32 { return cvtF32UByte(a, n) }}
}
