package emu

import (
	"fmt"
	"maps"
	"strings"
)

// valuTable joins the tables of vector instructions that are one function of a
// lane's operands.
var valuTable = map[string]valuSpec{}

func init() {
	for _, t := range []map[string]valuSpec{tableF32, tableF16, tableF64, tableInt} {
		maps.Copy(valuTable, t)
	}
}

// builders are the vector instructions with a form of their own.
var builders = map[string]func(d *decoded) (func(*wave), error){
	"v_readlane_b32": buildReadLane, "v_readfirstlane_b32": buildReadLane, "v_writelane_b32": buildWriteLane,
	"v_permlane64_b32":      buildPermlane64,
	"v_permlane16_b32":      func(d *decoded) (func(*wave), error) { return buildPermlane(d, false) },
	"v_permlanex16_b32":     func(d *decoded) (func(*wave), error) { return buildPermlane(d, true) },
	"v_permlane16_var_b32":  func(d *decoded) (func(*wave), error) { return buildPermlaneVar(d, false) },
	"v_permlanex16_var_b32": func(d *decoded) (func(*wave), error) { return buildPermlaneVar(d, true) },
	"v_mbcnt_lo_u32_b32":    buildLaneCount, "v_mbcnt_hi_u32_b32": buildLaneCount, "v_swap_b32": buildSwap,
	"v_mad_u64_u32":    func(d *decoded) (func(*wave), error) { return buildMad64(d, false) },
	"v_mad_co_u64_u32": func(d *decoded) (func(*wave), error) { return buildMad64(d, false) },
	"v_mad_i64_i32":    func(d *decoded) (func(*wave), error) { return buildMad64(d, true) },
	"v_mad_co_i64_i32": func(d *decoded) (func(*wave), error) { return buildMad64(d, true) },
	"v_div_scale_f32":  func(d *decoded) (func(*wave), error) { return buildDivScale(d, typeF32) },
	"v_div_scale_f64":  func(d *decoded) (func(*wave), error) { return buildDivScale(d, typeF64) },
	"v_div_fmas_f32":   func(d *decoded) (func(*wave), error) { return buildDivFmas(d, typeF32) },
	"v_div_fmas_f64":   func(d *decoded) (func(*wave), error) { return buildDivFmas(d, typeF64) },
	"v_fma_mix_f32":    buildMix, "v_fma_mixlo_f16": buildMix, "v_fma_mixhi_f16": buildMix,
	"v_movrels_b32": buildMoveRelative, "v_movreld_b32": buildMoveRelative, "v_movrelsd_b32": buildMoveRelative, "v_movrelsd_2_b32": buildMoveRelative,
	"s_movrels_b32": buildScalarMoveRelative, "s_movreld_b32": buildScalarMoveRelative, "s_movrels_b64": buildScalarMoveRelative, "s_movreld_b64": buildScalarMoveRelative,
	"v_cndmask_b32": func(d *decoded) (func(*wave), error) { return buildSelect(d, typeU32) },
	"v_cndmask_b16": func(d *decoded) (func(*wave), error) { return buildSelect(d, typeU16) },
}

func buildSelect(d *decoded, t valueType) (func(*wave), error) {
	v, err := makeSelect(d, t)
	if err != nil {
		return nil, err
	}
	return v.run, nil
}

// instruction finds what executes a decoded instruction.
func (p *Program) instruction(d *decoded) (func(*wave), error) {
	if run, known, err := buildControl(d, p); known {
		return run, err
	}
	if spec, ok := valuTable[d.name]; ok {
		return buildVALU(d, &spec)
	}
	if spec, ok := scalarTable[d.name]; ok {
		return buildScalar(d, spec)
	}
	if build, ok := builders[d.name]; ok {
		return build(d)
	}
	if spec, ok := carryTable[d.name]; ok {
		return buildCarry(d, spec)
	}
	if spec, ok := packedTable[d.name]; ok {
		return buildPacked(d, spec)
	}
	if run, known, err := buildDot(d); known {
		return run, err
	}
	has := func(prefix string) bool { return strings.HasPrefix(d.name, prefix) }
	switch {
	case has("v_dual_"):
		return p.buildDual(d)
	case has("v_cmp"):
		return buildCompare(d)
	case has("v_wmma_"):
		return buildWMMA(d)
	case has("s_load_"), has("s_buffer_load_"):
		return buildScalarLoad(d)
	case has("global_"), has("flat_"), has("scratch_"):
		return buildVMEM(d)
	case has("buffer_"):
		return buildBuffer(d)
	case has("image_"):
		return buildImage(d)
	case has("ds_"):
		return buildLDS(d)
	}
	return nil, fmt.Errorf("instruction %s is not modelled", d.mnemonic)
}
