package emu

import (
	"fmt"
	"strings"
)

// The scalar float instructions of gfx12. A 16-bit result leaves the upper half
// of its register zero.

func scalarFloat(t valueType, sources int, f func(m fpMode, a, b, c uint64) uint64) *scalarSpec {
	src := []valueType{t, t, t}[:sources]
	return &scalarSpec{dst: typeU32, src: src, f: func(w *wave, a, b, c uint64) uint64 { return f(w.mode, a, b, c) }}
}

func scalarWord1(f func(fpMode, uint32) uint32) *scalarSpec {
	return scalarFloat(typeF32, 1, func(m fpMode, a, _, _ uint64) uint64 { return uint64(f(m, uint32(a))) })
}

func scalarWord2(f func(fpMode, uint32, uint32) uint32) *scalarSpec {
	return scalarFloat(typeF32, 2, func(m fpMode, a, b, _ uint64) uint64 { return uint64(f(m, uint32(a), uint32(b))) })
}

func scalarWord3(f func(fpMode, uint32, uint32, uint32) uint32) *scalarSpec {
	return scalarFloat(typeF32, 3, func(m fpMode, a, b, c uint64) uint64 { return uint64(f(m, uint32(a), uint32(b), uint32(c))) })
}

func scalarHalf1(f func(fpMode, uint16) uint16) *scalarSpec {
	return scalarFloat(typeF16, 1, func(m fpMode, a, _, _ uint64) uint64 { return uint64(f(m, uint16(a))) })
}

func scalarHalf2(f func(fpMode, uint16, uint16) uint16) *scalarSpec {
	return scalarFloat(typeF16, 2, func(m fpMode, a, b, _ uint64) uint64 { return uint64(f(m, uint16(a), uint16(b))) })
}

// accumulating makes the destination the last source too.
func accumulating(s *scalarSpec) *scalarSpec {
	s.fused = true
	return s
}

func init() {
	for name, spec := range map[string]*scalarSpec{
		"s_add_f32": scalarWord2(addF32), "s_sub_f32": scalarWord2(subF32), "s_mul_f32": scalarWord2(mulF32),
		"s_fmac_f32": accumulating(scalarWord3(fmaF32)), "s_fmaak_f32": scalarWord3(fmaF32), "s_fmamk_f32": scalarWord3(fmaF32),
		"s_min_num_f32": scalarWord2(minNumF32), "s_max_num_f32": scalarWord2(maxNumF32),
		"s_minimum_f32": scalarWord2(minimumF32), "s_maximum_f32": scalarWord2(maximumF32),
		"s_floor_f32": scalarWord1(floorF32), "s_ceil_f32": scalarWord1(ceilF32), "s_trunc_f32": scalarWord1(truncF32), "s_rndne_f32": scalarWord1(rndneF32),
		"s_cvt_i32_f32": scalarWord1(cvtI32F32), "s_cvt_u32_f32": scalarWord1(cvtU32F32),
		"s_cvt_pk_rtz_f16_f32": scalarWord2(cvtPkRtzF16F32),
		"s_cvt_f16_f32":        scalarWord1(func(m fpMode, x uint32) uint32 { return uint32(cvtF16F32(m, x)) }),
		"s_cvt_f32_i32":        {dst: typeU32, src: u32x1, f: func(w *wave, a, _, _ uint64) uint64 { return uint64(cvtF32I32(w.mode, uint32(a))) }},
		"s_cvt_f32_u32":        {dst: typeU32, src: u32x1, f: func(w *wave, a, _, _ uint64) uint64 { return uint64(cvtF32U32(w.mode, uint32(a))) }},
		"s_cvt_f32_f16":        scalarFloat(typeF16, 1, func(m fpMode, a, _, _ uint64) uint64 { return uint64(cvtF32F16(m, uint16(a))) }),
		"s_cvt_hi_f32_f16":     {dst: typeU32, src: u32x1, f: func(w *wave, a, _, _ uint64) uint64 { return uint64(cvtF32F16(w.mode, uint16(a>>16))) }},
		"s_add_f16":            scalarHalf2(addF16), "s_sub_f16": scalarHalf2(subF16), "s_mul_f16": scalarHalf2(mulF16),
		"s_fmac_f16": accumulating(scalarFloat(typeF16, 3, func(m fpMode, a, b, c uint64) uint64 {
			return uint64(fmaF16(m, uint16(a), uint16(b), uint16(c)))
		})),
		"s_min_num_f16": scalarHalf2(minNumF16), "s_max_num_f16": scalarHalf2(maxNumF16),
		"s_minimum_f16": scalarHalf2(minimumF16), "s_maximum_f16": scalarHalf2(maximumF16),
		"s_floor_f16": scalarHalf1(floorF16), "s_ceil_f16": scalarHalf1(ceilF16), "s_trunc_f16": scalarHalf1(truncF16), "s_rndne_f16": scalarHalf1(rndneF16),
	} {
		scalarTable[name] = spec
	}
	for name, want := range conditions {
		for suffix, t := range map[string]valueType{"_f32": typeF32, "_f16": typeF16} {
			if strings.HasPrefix(name, "t") || name == "f" || name == "ne" {
				continue
			}
			scalarTable["s_cmp_"+name+suffix] = &scalarSpec{src: []valueType{t, t}, f: func(w *wave, a, b, _ uint64) uint64 {
				w.setSCC(compare(w.mode, t, a, b)&want != 0)
				return 0
			}}
		}
	}
	for name, spec := range map[string]valuSpec{
		"rcp_f32": tableF32["v_rcp_f32"], "rsq_f32": tableF32["v_rsq_f32"], "sqrt_f32": tableF32["v_sqrt_f32"], "exp_f32": tableF32["v_exp_f32"], "log_f32": tableF32["v_log_f32"],
		"rcp_f16": tableF16["v_rcp_f16"], "rsq_f16": tableF16["v_rsq_f16"], "sqrt_f16": tableF16["v_sqrt_f16"], "exp_f16": tableF16["v_exp_f16"], "log_f16": tableF16["v_log_f16"],
	} {
		builders["v_s_"+name] = func(d *decoded) (func(*wave), error) { return buildScalarApprox(d, spec) }
	}
}

// scalarApprox is a transcendental instruction on scalar registers.
type scalarApprox struct {
	approx approximation
	src    source
	dst    int
	finish
}

func buildScalarApprox(d *decoded, spec valuSpec) (func(*wave), error) {
	if err := d.want(2); err != nil {
		return nil, err
	}
	to, from := d.operands[0], d.operands[1]
	if to.kind != sgpr || to.count != 1 || from.kind == vgpr {
		return nil, fmt.Errorf("%s of %s is not modelled", to.text, from.text)
	}
	s := &scalarApprox{approx: spec.approx, dst: to.reg}
	var err error
	if s.src, err = makeSource(from, spec.src[0], false); err != nil {
		return nil, err
	}
	s.typ = spec.dst
	if err := s.outputModifiers(d); err != nil {
		return nil, err
	}
	return s.run, nil
}

func (s *scalarApprox) run(w *wave) {
	result := &w.out[0]
	*result = vreg{s.approx(w.mode, s.src.scalar(w), w.group.ulp)}
	s.apply(w, result)
	w.set32(s.dst, result[0])
}
