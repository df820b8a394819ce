package emu

import (
	"maps"
	"slices"
	"testing"
)

// Instructions that compilers seldom emit, one at a time: registers before, the
// text, registers after. What they must do is taken from AMD's RDNA3 and RDNA4
// instruction set manuals.

func TestInstructions(t *testing.T) {
	const f16One, f16Two, f16Three, f16Half = 0x3c00, 0x4000, 0x4200, 0x3800
	memory := registers{"s0": testMemory, "s1": 0, "v1": testMemory, "v2": 0}
	raw := registers{"s4": testMemory, "s5": 0, "s6": 64, "s7": 0x31004000} // 64 bytes, raw
	for _, c := range []struct {
		text   string
		before registers
		after  registers
		only   generation
	}{
		// halves of registers
		{text: "v_add_f16_e64 v0, v1, v2 op_sel:[1,0,0]", before: registers{"v0": 0xaaaabbbb, "v1": f16Two<<16 | f16One, "v2": f16One}, after: registers{"v0.0": 0xaaaa<<16 | f16Three}},
		{text: "v_add_f16_e64 v0, v1, v2 op_sel:[0,0,1]", before: registers{"v0": 0xaaaabbbb, "v1": f16Two, "v2": f16One}, after: registers{"v0.0": f16Three<<16 | 0xbbbb}},
		{text: "v_add_f16_e32 v0.h, v1.l, v2.h", before: registers{"v0": 0xaaaabbbb, "v1": f16Two, "v2": f16One << 16}, after: registers{"v0.5": f16Three<<16 | 0xbbbb}},
		{text: "v_cvt_f32_f16_e32 v0, v1.h", before: registers{"v1": f16Two<<16 | f16One}, after: registers{"v0.0": 0x40000000}},
		{text: "v_mov_b16_e32 v0.l, v1.h", before: registers{"v0": 0x11112222, "v1": 0x33334444}, after: registers{"v0.0": 0x11113333}},
		{text: "v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]", before: registers{"v1": f16Two<<16 | f16One, "v2": f16Half<<16 | f16One}, after: registers{"v0.0": 0x3e00<<16 | f16Three}},
		{text: "v_pk_add_f16 v0, v1, v2 neg_lo:[1,0] neg_hi:[0,1]", before: registers{"v1": f16Two<<16 | f16Two, "v2": f16One<<16 | f16Three}, after: registers{"v0.0": f16One<<16 | f16One}},
		{text: "v_pk_mul_f16 v0, v1, 2.0 op_sel_hi:[1,0]", before: registers{"v1": f16One<<16 | f16Half}, after: registers{"v0.0": f16Two<<16 | f16One}},
		{text: "v_pk_add_u16 v0, v1, v2 clamp", before: registers{"v1": 0xfff0_0001, "v2": 0x0020_0002}, after: registers{"v0.0": 0xffff_0003}},
		{text: "v_pk_sub_i16 v0, v1, v2 clamp", before: registers{"v1": 0x8000_0001, "v2": 0x0001_0002}, after: registers{"v0.0": 0x8000_ffff}},
		{text: "v_pk_lshlrev_b16 v0, 4, v1 op_sel_hi:[0,1]", before: registers{"v1": 0x1234_5678}, after: registers{"v0.0": 0x2340_6780}},
		{text: "v_fma_mix_f32 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,1,0]", before: registers{"v1": f16Two << 16, "v2": f16Three, "v3": 0x3f800000}, after: registers{"v0.0": 0x40e00000}},
		{text: "v_fma_mixhi_f16 v0, -v1, v2, v3 op_sel_hi:[1,0,0]", before: registers{"v0": 0x5555, "v1": f16Two, "v2": 0x3f800000, "v3": 0x40400000}, after: registers{"v0.0": f16One<<16 | 0x5555}},
		{text: "v_cvt_pk_f32_fp8_e64 v[0:1], v2 op_sel:[1,0]", only: gfx12, before: registers{"v2": 0x38400000}, after: registers{"v0.0": 0x40000000, "v1.0": 0x3f800000}},
		{text: "v_cvt_f32_fp8_e64 v0, v2 byte_sel:3", only: gfx12, before: registers{"v2": 0x38000000}, after: registers{"v0.0": 0x3f800000}},

		// output modifiers
		{text: "v_add_f32_e64 v0, v1, v2 clamp", before: registers{"v1": 0x40000000, "v2": 0x3f800000}, after: registers{"v0.0": 0x3f800000}},
		{text: "v_mul_f32_e64 v0, v1, v2 mul:4", before: registers{"v1": 0x40000000, "v2": 0x3f800000}, after: registers{"v0.0": 0x41000000}},
		{text: "v_add_f32_e64 v0, |v1|, -v2 div:2", before: registers{"v1": 0xc0400000, "v2": 0x3f800000}, after: registers{"v0.0": 0x3f800000}},
		{text: "v_add_nc_u32_e64 v0, v1, v2 clamp", before: registers{"v1": 0xfffffff0, "v2": 0x20}, after: registers{"v0.0": 0xffffffff}},
		{text: "v_sub_nc_i32 v0, v1, v2 clamp", before: registers{"v1": 0x80000000, "v2": 1}, after: registers{"v0.0": 0x80000000}},

		// dual issue: both halves read before either writes
		{text: "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0", before: registers{"v0": 5, "v1": 7}, after: registers{"v0.9": 7, "v1.9": 5}},
		{text: "v_dual_fmac_f32 v0, v2, v3 :: v_dual_cndmask_b32 v1, v4, v0", before: registers{"v0": 0x3f800000, "v2": 0x40000000, "v3": 0x40000000, "v4": 9, "vcc": 2}, after: registers{"v0.0": 0x40a00000, "v1.0": 9, "v1.1": 0x3f800000}},

		// DPP
		{text: "v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf", before: lanes(1, 100, 1), after: registers{"v0.0": 103, "v0.5": 106}},
		{text: "v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf", before: with(registers{"v0": 9}, lanes(1, 100, 1)), after: registers{"v0.0": 9, "v0.1": 100, "v0.16": 9, "v0.17": 116}},
		{text: "v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1", before: with(registers{"v0": 9}, lanes(1, 100, 1)), after: registers{"v0.0": 0, "v0.1": 100}},
		{text: "v_mov_b32_dpp v0, v1 row_shl:2 row_mask:0x1 bank_mask:0xe", before: with(registers{"v0": 9}, lanes(1, 100, 1)), after: registers{"v0.1": 9, "v0.4": 106, "v0.14": 9, "v0.20": 9}},
		{text: "v_mov_b32_dpp v0, v1 row_ror:3 row_mask:0xf bank_mask:0xf", before: lanes(1, 100, 1), after: registers{"v0.0": 113, "v0.3": 100, "v0.16": 129}},
		{text: "v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf", before: lanes(1, 100, 1), after: registers{"v0.0": 115, "v0.17": 130}},
		{text: "v_mov_b32_dpp v0, v1 row_half_mirror row_mask:0xf bank_mask:0xf", before: lanes(1, 100, 1), after: registers{"v0.0": 107, "v0.9": 114}},
		{text: "v_mov_b32_dpp v0, v1 row_share:5 row_mask:0xf bank_mask:0xf", before: lanes(1, 100, 1), after: registers{"v0.0": 105, "v0.31": 121}},
		{text: "v_mov_b32_dpp v0, v1 row_xmask:6 row_mask:0xf bank_mask:0xf", before: lanes(1, 100, 1), after: registers{"v0.0": 106, "v0.21": 119}},
		{text: "v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0]", before: lanes(1, 100, 1), after: registers{"v0.0": 107, "v0.8": 115}},
		{text: "v_add_f32_e64_dpp v0, -v1, |v2| row_share:0 row_mask:0xf bank_mask:0xf", before: registers{"v1": 0x3f800000, "v2": 0xc0000000}, after: registers{"v0.7": 0x3f800000}},
		{text: "v_mov_b32_dpp v0, v1 quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf", before: with(registers{"v0": 9, "exec": 1}, lanes(1, 100, 1)), after: registers{"v0.0": 9}}, // lane 1 is inactive
		{text: "v_mov_b32_dpp v0, v1 quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf fi:1", before: with(registers{"v0": 9, "exec": 1}, lanes(1, 100, 1)), after: registers{"v0.0": 101, "v0.1": 9}},

		// between lanes
		{text: "v_permlane16_b32 v0, v1, s0, s1", before: with(registers{"s0": 0x76543210, "s1": 0x01234567}, lanes(1, 100, 1)), after: registers{"v0.3": 103, "v0.8": 107, "v0.31": 116}},
		{text: "v_permlanex16_b32 v0, v1, s0, s1 op_sel:[0,1]", before: with(registers{"s0": 0x76543210, "s1": 0xfedcba98, "exec": 0xffff}, lanes(1, 100, 1)), after: registers{"v0.3": 0}},
		{text: "v_permlanex16_b32 v0, v1, s0, s1 op_sel:[1,0]", before: with(registers{"s0": 0x76543210, "s1": 0xfedcba98, "exec": 0xffff}, lanes(1, 100, 1)), after: registers{"v0.3": 119}},
		{text: "v_permlane16_var_b32 v0, v1, v2", only: gfx12, before: with(registers{"v2": 4}, lanes(1, 100, 1)), after: registers{"v0.0": 104, "v0.20": 120}},
		{text: "v_readlane_b32 s0, v1, 33", before: lanes(1, 100, 1), after: registers{"s0": 101}},
		{text: "v_readfirstlane_b32 s0, v1", before: with(registers{"exec": 0xff00}, lanes(1, 100, 1)), after: registers{"s0": 108}},
		{text: "v_writelane_b32 v1, s0, 5", before: registers{"s0": 77, "v1": 1, "exec": 0}, after: registers{"v1.5": 77, "v1.4": 1}},
		{text: "v_mbcnt_lo_u32_b32 v0, -1, 10", after: registers{"v0.0": 10, "v0.31": 41}},
		{text: "v_mbcnt_hi_u32_b32 v0, -1, 10", after: registers{"v0.31": 10}},
		{text: "ds_bpermute_b32 v0, v1, v2 offset:4", before: with(lanes(1, 0, 4), lanes(2, 100, 1)), after: registers{"v0.0": 101, "v0.31": 100}},
		{text: "ds_permute_b32 v0, v1, v2", before: with(lanes(1, 0, 8), lanes(2, 100, 1)), after: registers{"v0.0": 116, "v0.1": 0, "v0.2": 117}},
		{text: "ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,16)", before: lanes(1, 100, 1), after: registers{"v0.0": 116}},
		{text: "ds_swizzle_b32 v0, v1 offset:swizzle(REVERSE,8)", before: lanes(1, 100, 1), after: registers{"v0.9": 114}},
		{text: "ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,8,3)", before: lanes(1, 100, 1), after: registers{"v0.9": 111}},
		{text: `ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,"0p1i0")`, before: lanes(1, 100, 1), after: registers{"v0.0": 106, "v0.10": 112}},
		{text: "ds_swizzle_b32 v0, v1 offset:swizzle(QUAD_PERM,2,2,0,1)", before: lanes(1, 100, 1), after: registers{"v0.4": 106, "v0.7": 105}},

		// integers
		{text: "v_mad_u64_u32 v[0:1], vcc_lo, v2, s0, v[3:4]", before: registers{"v2": 0xffffffff, "s0": 0xffffffff, "v3": 0xffffffff, "v4": 0xffffffff}, after: registers{"v0.0": 0, "v1.0": 0xfffffffe, "vcc": 0xffffffff}},
		{text: "v_mad_i64_i32 v[0:1], null, v2, s0, v[3:4]", before: registers{"v2": 0xffffffff, "s0": 3, "v3": 1, "v4": 0}, after: registers{"v0.0": 0xfffffffe, "v1.0": 0xffffffff}},
		{text: "v_sub_co_ci_u32_e32 v0, vcc_lo, v1, v2, vcc_lo", before: registers{"v1": 5, "v2": 5, "vcc": 0x00000001}, after: registers{"v0.0": 0xffffffff, "v0.1": 0, "vcc": 1}},
		{text: "v_subrev_co_u32 v0, s0, v1, v2", before: registers{"v1": 5, "v2": 3}, after: registers{"v0.0": 0xfffffffe, "s0": 0xffffffff}},
		{text: "v_perm_b32 v0, v1, v2, v3", before: registers{"v1": 0x80112233, "v2": 0x44556677, "v3": 0x0d0c0b04}, after: registers{"v0.0": 0xff00ff33}},
		{text: "v_bfe_i32 v0, v1, 4, 8", before: registers{"v1": 0xf8f}, after: registers{"v0.0": 0xfffffff8}},
		{text: "v_med3_i32 v0, v1, v2, v3", before: registers{"v1": 0xfffffff0, "v2": 5, "v3": 1}, after: registers{"v0.0": 1}},
		{text: "v_sad_u16 v0, v1, v2, v3", before: registers{"v1": 0x0005_0001, "v2": 0x0003_0009, "v3": 100}, after: registers{"v0.0": 110}},
		{text: "v_mul_hi_i32_i24_e32 v0, v1, v2", before: registers{"v1": 0x00ffffff, "v2": 2}, after: registers{"v0.0": 0xffffffff}},
		{text: "v_cls_i32_e32 v0, v1", before: registers{"v1": 0xfff00000}, after: registers{"v0.0": 12}},
		{text: "v_cls_i32_e32 v0, v1", before: registers{"v1": 0xffffffff}, after: registers{"v0.0": 0xffffffff}},
		{text: "v_movreld_b32_e32 v0, v1", before: registers{"m0": 5, "v1": 42, "v5": 0}, after: registers{"v5.0": 42}},
		{text: "v_movrels_b32_e32 v0, v1", before: registers{"m0": 5, "v6": 42}, after: registers{"v0.0": 42}},
		{text: "v_swap_b32 v0, v1", before: registers{"v0": 1, "v1": 2, "exec": 1}, after: registers{"v0.0": 2, "v1.0": 1, "v0.1": 1}},
		{text: "v_cndmask_b32_e64 v0, -v1, |v2|, s0", before: registers{"v1": 0x3f800000, "v2": 0xc0000000, "s0": 2}, after: registers{"v0.0": 0xbf800000, "v0.1": 0x40000000}},
		{text: "v_cmp_class_f32_e64 s0, v1, 0x3", before: registers{"v1": 0x7f800001, "v1.1": 0x3f800000}, after: registers{"s0": 0xfffffffd}},
		{text: "v_cmpx_ngt_f32_e32 v1, v2", before: registers{"v1": 0x7fc00000, "v2": 0, "v1.3": 0x3f800000}, after: registers{"exec": 0xfffffff7}},
		{text: "v_cmp_t_i32_e64 s0, v1, v2", before: registers{"exec": 0xf0}, after: registers{"s0": 0xf0}},

		// scalar
		{text: "s_bfe_i64 s[0:1], s[2:3], 0x80004", before: registers{"s2": 0x800, "s3": 0}, after: registers{"s0": 0xffffff80, "s1": 0xffffffff, "scc": 1}},
		{text: "s_bfm_b64 s[0:1], 33, 4", after: registers{"s0": 0xfffffff0, "s1": 0x1f}},
		{text: "s_cls_i32_i64 s0, s[2:3]", before: registers{"s2": 0, "s3": 1}, after: registers{"s0": 31}},
		{text: "s_ctz_i32_b64 s0, s[2:3]", before: registers{"s2": 0, "s3": 0}, after: registers{"s0": 0xffffffff}},
		{text: "s_quadmask_b32 s0, s1", before: registers{"s1": 0x00f00108}, after: registers{"s0": 0x25, "scc": 1}},
		{text: "s_wqm_b32 s0, s1", before: registers{"s1": 0x00100108}, after: registers{"s0": 0x00f00f0f}},
		{text: "s_bitreplicate_b64_b32 s[0:1], s2", before: registers{"s2": 0x80000005}, after: registers{"s0": 0x33, "s1": 0xc0000000}},
		{text: "s_and_not0_saveexec_b32 s0, s1", before: registers{"exec": 0xff, "s1": 0x0f}, after: registers{"s0": 0xff, "exec": 0xf0, "scc": 1}},
		{text: "s_and_not1_wrexec_b32 s0, s1", before: registers{"exec": 0xff, "s1": 0xf0f}, after: registers{"s0": 0xf00, "exec": 0xf00}},
		{text: "s_or_not1_saveexec_b32 s0, s1", before: registers{"exec": 0xffffff00, "s1": 0x100}, after: registers{"s0": 0xffffff00, "exec": 0x1ff}},
		{text: "s_absdiff_i32 s0, s1, s2", before: registers{"s1": 3, "s2": 10}, after: registers{"s0": 7, "scc": 1}},
		{text: "s_pack_hl_b32_b16 s0, s1, s2", before: registers{"s1": 0x11112222, "s2": 0x33334444}, after: registers{"s0": 0x44441111}},
		{text: "s_lshl3_add_u32 s0, s1, s2", before: registers{"s1": 0x20000000, "s2": 5}, after: registers{"s0": 5, "scc": 1}},
		{text: "s_mul_hi_i32 s0, s1, s2", before: registers{"s1": 0xffffffff, "s2": 2}, after: registers{"s0": 0xffffffff}},
		{text: "s_cmovk_i32 s0, 0xfff0", before: registers{"s0": 3, "scc": 1}, after: registers{"s0": 0xfffffff0}},
		{text: "s_cmpk_ge_i32 s0, 0xffff", before: registers{"s0": 0}, after: registers{"scc": 1}},
		{text: "s_cmpk_ge_u32 s0, 0xffff", before: registers{"s0": 5}, after: registers{"scc": 0}},
		{text: "s_bitset0_b64 s[0:1], 33", before: registers{"s0": 0xffffffff, "s1": 0xffffffff}, after: registers{"s1": 0xfffffffd}},
		{text: "s_mov_b64 s[0:1], 0xffffffff", after: registers{"s0": 0xffffffff, "s1": 0}},
		{text: "s_mov_b64 s[0:1], -2", after: registers{"s0": 0xfffffffe, "s1": 0xffffffff}},
		{text: "s_movreld_b32 s0, s1", before: registers{"m0": 9, "s1": 4}, after: registers{"s9": 4}},
		{text: "s_mul_u64 s[0:1], s[2:3], s[4:5]", only: gfx12, before: registers{"s2": 0xffffffff, "s3": 1, "s4": 3, "s5": 0}, after: registers{"s0": 0xfffffffd, "s1": 5}},
		{text: "s_fmac_f32 s0, s1, s2", only: gfx12, before: registers{"s0": 0x3f800000, "s1": 0x40000000, "s2": 0x40000000}, after: registers{"s0": 0x40a00000}},

		// memory
		{text: "global_load_d16_hi_b16 v0, v3, s[0:1] offset:4", before: with(memory, registers{"v0": 0x1234, "v3": 0}), after: registers{"v0.0": 0x05041234}},
		{text: "global_load_d16_i8 v0, v3, s[0:1] offset:200", before: with(memory, registers{"v0": 0x12345678, "v3": 0}), after: registers{"v0.0": 0x1234ffc8}},
		{text: "global_load_i16 v0, v3, s[0:1] offset:-2", before: with(memory, registers{"v3": 202}), after: registers{"v0.0": 0xffffc9c8}},
		{text: "global_load_b96 v[4:6], v[1:2], off offset:16", before: memory, after: registers{"v4.0": 0x13121110, "v6.31": 0x1b1a1918}},
		{text: "flat_load_u8 v0, v[1:2] offset:7", before: memory, after: registers{"v0.2": 7}},
		{text: "global_store_d16_hi_b8 v3, v4, s[0:1]", before: with(memory, registers{"v4": 0xaabbccdd}, lanes(3, 0, 4)), after: registers{"m0": 0x030201bb, "m124": 0x7f7e7dbb}},
		{text: "global_atomic_inc_u32 v0, v3, v4, s[0:1] glc", only: gfx11, before: with(memory, registers{"v3": 0, "v4": 0x03020102}), after: registers{"v0.0": 0x03020100, "v0.2": 0x03020102, "v0.3": 0, "m0": 29}},
		{text: "global_atomic_cmpswap_b32 v0, v3, v[4:5], s[0:1] th:TH_ATOMIC_RETURN", only: gfx12, before: with(memory, registers{"v3": 8, "v4": 77, "v5": 0x0b0a0908}), after: registers{"v0.0": 0x0b0a0908, "v0.1": 77, "m8": 77}},
		{text: "global_atomic_add_f32 v3, v4, s[0:1]", before: with(memory, registers{"v3": 0, "v4": 0, "exec": 3}), after: registers{"m0": 0x03020100}},
		{text: "global_atomic_max_i32 v3, v4, s[0:1]", before: with(memory, registers{"v3": 128, "v4": 5}), after: registers{"m128": 5}},
		{text: "s_load_b64 s[4:5], s[0:1], 0x8", before: memory, after: registers{"s4": 0x0b0a0908, "s5": 0x0f0e0d0c}},
		{text: "s_load_b32 s4, s[0:1], s6 offset:0x10", before: with(memory, registers{"s6": 4}), after: registers{"s4": 0x17161514}},
		{text: "s_load_b32 s4, s[0:1], -0x4", before: registers{"s0": testMemory + 8, "s1": 0}, after: registers{"s4": 0x07060504}},
		{text: "s_load_i8 s4, s[0:1], 0xf1", only: gfx12, before: memory, after: registers{"s4": 0xfffffff1}},
		{text: "s_buffer_load_b64 s[8:9], s[4:7], 0x38", before: raw, after: registers{"s8": 0x3b3a3938, "s9": 0x3f3e3d3c}},
		{text: "s_buffer_load_b64 s[8:9], s[4:7], 0x3c", before: raw, after: registers{"s8": 0, "s9": 0}},
		{text: "buffer_load_b32 v0, v3, s[4:7], 0 offen offset:8", before: with(raw, lanes(3, 0, 4)), after: registers{"v0.0": 0x0b0a0908, "v0.13": 0x3f3e3d3c, "v0.14": 0}},
		{text: "buffer_load_b64 v[0:1], off, s[4:7], s8", before: with(raw, registers{"s8": 16}), after: registers{"v0.0": 0x13121110, "v1.4": 0x17161514}},
		{text: "buffer_store_b32 v0, v3, s[4:7], 0 offen", before: with(raw, registers{"v0": 0}, lanes(3, 0, 4)), after: registers{"m60": 0, "m64": 0x43424140}},
		{text: "buffer_load_b32 v0, v3, s[4:7], 0 idxen", before: with(lanes(3, 0, 1), registers{"s4": testMemory, "s5": 16 << 16, "s6": 3, "s7": 0x01004000}), after: registers{"v0.2": 0x23222120, "v0.3": 0}},
	} {
		for _, target := range []generation{gfx11, gfx12} {
			if c.only != 0 && c.only != target {
				continue
			}
			m, err := newState(target, false, c.text)
			if err != nil {
				t.Errorf("gfx%d: %v", target, err)
				continue
			}
			// whole registers before single lanes
			for _, name := range slices.SortedFunc(maps.Keys(c.before), func(a, b string) int { return len(a) - len(b) }) {
				m.set(name, c.before[name])
			}
			if m.execute(1 << 40); m.fault != nil {
				t.Errorf("gfx%d: %v", target, m.fault)
				continue
			}
			for name, want := range c.after {
				if got := m.get(name); got != want {
					t.Errorf("gfx%d: %s: %s is %#x, want %#x", target, c.text, name, got, want)
				}
			}
		}
	}
}
