package emu

// f64 instructions, and 64-bit integers.

func double1(f func(fpMode, uint64) uint64) valuSpec {
	return valuSpec{dst: typeF64, src: []valueType{typeF64}, g: func(m fpMode, a, _, _ uint64) uint64 { return f(m, a) }}
}

func double2(f func(fpMode, uint64, uint64) uint64) valuSpec {
	return valuSpec{dst: typeF64, src: []valueType{typeF64, typeF64}, g: func(m fpMode, a, b, _ uint64) uint64 { return f(m, a, b) }}
}

func double3(f lane64) valuSpec {
	return valuSpec{dst: typeF64, src: []valueType{typeF64, typeF64, typeF64}, g: f}
}

var tableF64 = map[string]valuSpec{
	"v_add_f64": double2(addF64), "v_mul_f64": double2(mulF64), "v_fma_f64": double3(fmaF64),
	"v_min_f64": double2(minNumF64), "v_max_f64": double2(maxNumF64), "v_min_num_f64": double2(minNumF64), "v_max_num_f64": double2(maxNumF64),
	"v_minimum_f64": double2(minimumF64), "v_maximum_f64": double2(maximumF64),
	"v_rcp_f64": double1(rcpF64), "v_rsq_f64": double1(rsqF64), "v_sqrt_f64": double1(sqrtF64),
	"v_floor_f64": double1(floorF64), "v_ceil_f64": double1(ceilF64), "v_trunc_f64": double1(truncF64), "v_rndne_f64": double1(rndneF64),
	"v_fract_f64": double1(fractF64), "v_frexp_mant_f64": double1(frexpMantF64), "v_div_fixup_f64": double3(divFixupF64),
	"v_frexp_exp_i32_f64": {dst: typeU32, src: []valueType{typeF64}, g: func(m fpMode, a, _, _ uint64) uint64 {
		return uint64(uint32(frexpExpF64(m, a)))
	}},
	"v_ldexp_f64": {dst: typeF64, src: []valueType{typeF64, typeI32}, g: func(m fpMode, a, b, _ uint64) uint64 {
		return ldexpF64(m, a, int32(b))
	}},
	"v_cvt_f64_i32": {dst: typeF64, src: []valueType{typeI32}, g: func(_ fpMode, a, _, _ uint64) uint64 { return cvtF64I32(uint32(a)) }},
	"v_cvt_f64_u32": {dst: typeF64, src: []valueType{typeU32}, g: func(_ fpMode, a, _, _ uint64) uint64 { return cvtF64U32(uint32(a)) }},
	"v_cvt_f64_f32": {dst: typeF64, src: []valueType{typeF32}, g: func(m fpMode, a, _, _ uint64) uint64 { return cvtF64F32(m, uint32(a)) }},
	"v_cvt_f32_f64": {dst: typeF32, src: []valueType{typeF64}, g: func(m fpMode, a, _, _ uint64) uint64 { return uint64(cvtF32F64(m, a)) }},
	"v_cvt_i32_f64": {dst: typeU32, src: []valueType{typeF64}, g: func(m fpMode, a, _, _ uint64) uint64 { return uint64(cvtI32F64(m, a)) }},
	"v_cvt_u32_f64": {dst: typeU32, src: []valueType{typeF64}, g: func(m fpMode, a, _, _ uint64) uint64 { return uint64(cvtU32F64(m, a)) }},

	"v_lshlrev_b64": {dst: typeU64, src: []valueType{typeU32, typeU64}, g: func(_ fpMode, a, b, _ uint64) uint64 { return b << (a & 63) }},
	"v_lshrrev_b64": {dst: typeU64, src: []valueType{typeU32, typeU64}, g: func(_ fpMode, a, b, _ uint64) uint64 { return b >> (a & 63) }},
	"v_ashrrev_i64": {dst: typeU64, src: []valueType{typeU32, typeI64}, g: func(_ fpMode, a, b, _ uint64) uint64 {
		return uint64(int64(b) >> (a & 63))
	}},
	"v_mov_b64": {dst: typeU64, src: []valueType{typeU64}, g: func(_ fpMode, a, _, _ uint64) uint64 { return a }},
}
