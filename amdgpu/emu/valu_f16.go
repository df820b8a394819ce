package emu

// f16 instructions on single values. Results go to the low half of a register,
// or to the half that op_sel or the register's name picks; the other half stays.

func half1(f func(fpMode, uint16) uint16) valuSpec {
	return valuSpec{dst: typeF16, src: []valueType{typeF16}, f: func(m fpMode, a, _, _ uint32) uint32 { return uint32(f(m, uint16(a))) }}
}

func half2(f func(fpMode, uint16, uint16) uint16) valuSpec {
	return valuSpec{dst: typeF16, src: []valueType{typeF16, typeF16}, f: func(m fpMode, a, b, _ uint32) uint32 {
		return uint32(f(m, uint16(a), uint16(b)))
	}}
}

func half3(f func(fpMode, uint16, uint16, uint16) uint16) valuSpec {
	return valuSpec{dst: typeF16, src: []valueType{typeF16, typeF16, typeF16}, f: func(m fpMode, a, b, c uint32) uint32 {
		return uint32(f(m, uint16(a), uint16(b), uint16(c)))
	}}
}

func approximateHalf(f func(m fpMode, x uint16, ulp int) uint16) valuSpec {
	return valuSpec{dst: typeF16, src: []valueType{typeF16}, approx: func(m fpMode, x uint32, ulp int) uint32 { return uint32(f(m, uint16(x), ulp)) }}
}

func halves3(f, g func(fpMode, uint16, uint16) uint16) valuSpec {
	return half3(func(m fpMode, a, b, c uint16) uint16 { return g(m, f(m, a, b), c) })
}

var tableF16 = map[string]valuSpec{
	"v_add_f16": half2(addF16), "v_sub_f16": half2(subF16), "v_mul_f16": half2(mulF16),
	"v_subrev_f16": half2(func(m fpMode, a, b uint16) uint16 { return subF16(m, b, a) }),
	"v_fma_f16":    half3(fmaF16), "v_fmac_f16": fusedTo(half3(fmaF16)), "v_fmaak_f16": half3(fmaF16), "v_fmamk_f16": half3(fmaF16),
	"v_min_f16": half2(minNumF16), "v_max_f16": half2(maxNumF16), "v_min_num_f16": half2(minNumF16), "v_max_num_f16": half2(maxNumF16),
	"v_minimum_f16": half2(minimumF16), "v_maximum_f16": half2(maximumF16),
	"v_min3_f16": halves3(minNumF16, minNumF16), "v_max3_f16": halves3(maxNumF16, maxNumF16), "v_med3_f16": half3(med3F16),
	"v_min3_num_f16": halves3(minNumF16, minNumF16), "v_max3_num_f16": halves3(maxNumF16, maxNumF16), "v_med3_num_f16": half3(med3F16),
	"v_minimum3_f16": halves3(minimumF16, minimumF16), "v_maximum3_f16": halves3(maximumF16, maximumF16),
	"v_minmax_f16": halves3(minNumF16, maxNumF16), "v_maxmin_f16": halves3(maxNumF16, minNumF16),
	"v_minmax_num_f16": halves3(minNumF16, maxNumF16), "v_maxmin_num_f16": halves3(maxNumF16, minNumF16),
	"v_minimummaximum_f16": halves3(minimumF16, maximumF16), "v_maximumminimum_f16": halves3(maximumF16, minimumF16),
	"v_rcp_f16": approximateHalf(rcpF16), "v_rsq_f16": approximateHalf(rsqF16), "v_sqrt_f16": approximateHalf(sqrtF16),
	"v_exp_f16": approximateHalf(exp2F16), "v_log_f16": approximateHalf(log2F16), "v_sin_f16": approximateHalf(sinF16), "v_cos_f16": approximateHalf(cosF16),
	"v_floor_f16": half1(floorF16), "v_ceil_f16": half1(ceilF16), "v_trunc_f16": half1(truncF16), "v_rndne_f16": half1(rndneF16),
	"v_fract_f16": half1(fractF16), "v_frexp_mant_f16": half1(frexpMantF16),
	"v_frexp_exp_i16_f16": {dst: typeU16, src: []valueType{typeF16}, f: func(m fpMode, a, _, _ uint32) uint32 {
		return uint32(uint16(frexpExpF16(m, uint16(a))))
	}},
	"v_ldexp_f16": {dst: typeF16, src: []valueType{typeF16, typeI16}, f: func(m fpMode, a, b, _ uint32) uint32 {
		return uint32(ldexpF16(m, uint16(a), int16(b)))
	}},
	"v_div_fixup_f16": half3(divFixupF16),
	"v_cvt_f16_i16":   {dst: typeF16, src: []valueType{typeI16}, f: func(m fpMode, a, _, _ uint32) uint32 { return uint32(cvtF16I16(m, uint16(a))) }},
	"v_cvt_f16_u16":   {dst: typeF16, src: []valueType{typeU16}, f: func(m fpMode, a, _, _ uint32) uint32 { return uint32(cvtF16U16(m, uint16(a))) }},
	"v_cvt_i16_f16":   {dst: typeU16, src: []valueType{typeF16}, f: func(m fpMode, a, _, _ uint32) uint32 { return uint32(cvtI16F16(m, uint16(a))) }},
	"v_cvt_u16_f16":   {dst: typeU16, src: []valueType{typeF16}, f: func(m fpMode, a, _, _ uint32) uint32 { return uint32(cvtU16F16(m, uint16(a))) }},
	"v_pack_b32_f16":  {dst: typeU32, src: []valueType{typeF16, typeF16}, f: func(_ fpMode, a, b, _ uint32) uint32 { return a&0xffff | b<<16 }},
}
