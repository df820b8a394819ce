package emu

import (
	"strings"
	"testing"

	"kmx/amdgpu/codeobj"
)

// FuzzInstruction: no text makes the decoder panic, and what it accepts does not
// panic when it runs.
func FuzzInstruction(f *testing.F) {
	for _, text := range []string{
		"v_add_f32_e32 v1, v2, v3", "v_fma_f32 v0, |v1|, -|v2|, v3 clamp mul:2", "v_pk_fma_f16 v127, 0x91d5, v127, 1.0 op_sel_hi:[0,1,0]",
		"v_cndmask_b32_e64 v65, 0x7060504, v1, s0", "v_dual_mov_b32 v5, 0x3080 :: v_dual_add_nc_u32 v4, -3, v2",
		"v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0x3 bound_ctrl:1", "v_add_f32_e64_dpp v0, v1, v2 row_share:3 row_mask:0xf bank_mask:0xf fi:1",
		"v_wmma_f32_16x16x16_f16 v[148:155], v[0:7], v[76:83], v[140:147]", "v_wmma_f32_16x16x16_fp8_fp8 v[74:81], v[24:25], v[48:49], 0",
		"v_permlanex16_b32 v157, v79, s12, 0xfedcba98 op_sel:[1,0]", "v_cvt_pk_fp8_f32 v48, v54, v32 op_sel:[0,0,1]",
		"v_mad_u64_u32 v[3:4], null, v2, s0, v[0:1]", "v_cmpx_lt_u32_e32 0xfff, v1", "v_cmp_class_f32_e64 s0, v1, 0x1f8",
		"v_div_scale_f32 v0, vcc_lo, v1, v2, v1", "v_readlane_b32 s0, v1, 31", "v_movrels_b32_e32 v1, v1",
		"s_and_saveexec_b32 s0, s2", "s_mov_b64 exec, s[0:1]", "s_bfe_u64 s[0:1], s[2:3], 0x180004", "s_getpc_b64 s[6:7]", "s_setpc_b64 s[30:31]",
		"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3", "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_barrier_wait 0xffff",
		"s_load_b256 s[12:19], s[38:39], null", "s_buffer_load_b32 s0, s[4:7], s9 offset:0x10",
		"global_load_b128 v[52:55], v71, s[42:43] offset:-16", "flat_store_b64 v[9:10], v[11:12]", "scratch_store_b32 off, v1, s33 offset:32",
		"global_atomic_cmpswap_b64 v[0:1], v2, v[4:7], s[0:1] th:TH_ATOMIC_RETURN scope:SCOPE_DEV", "buffer_load_b32 v1, v2, s[0:3], 0 offen offset:4",
		"ds_load_2addr_stride64_b64 v[0:3], v4 offset0:1 offset1:2", "ds_store_b128 v156, v[76:79]", "ds_add_rtn_u32 v0, v1, v2",
		`ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,"0p1i0")`, "ds_bpermute_b32 v0, v1, v2 offset:4", "global_load_tr_b128 v[0:3], v4, s[0:1]",
		"image_load v[4:7], [v9, v1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm", "image_store v[4:5], v1, s[0:7] dmask:0x7 dim:SQ_RSRC_IMG_2D_ARRAY a16 d16",
		"image_sample_l v4, v[1:3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D", "image_gather4 v[4:7], [v1, v2, v[3:3]], s[0:7], s[8:11] dmask:0x4 dim:SQ_RSRC_IMG_2D_ARRAY",
	} {
		f.Add(text, true, false)
		f.Add(text, false, true)
	}
	f.Fuzz(func(t *testing.T, text string, newer, wide bool) {
		if strings.ContainsAny(text, "\n\r") || len(text) > 300 {
			return
		}
		p := &Program{target: gfx11, wave64: wide, base: 0x1000, object: &codeobj.Object{}}
		if newer {
			p.target = gfx12
		}
		p.code = []inst{{addr: 0x1000, size: 8, text: text}, {addr: 0x1008, size: 4, text: "s_endpgm"}}
		p.index = []int32{0, -1, 1}
		for i := range p.code {
			p.build(&p.code[i])
		}
		waveSize := 32
		if wide {
			waveSize = 64
		}
		r := &dispatch{program: p, launch: Launch{Block: [3]uint32{64, 1, 1}, MaxInstructions: 100, Poison: DefaultPoison}, waves: 64 / waveSize, lds: 256}
		r.kernel.WaveSize, r.kernel.Scratch = waveSize, 64
		r.space.add(region{name: "memory", base: 0x10000, end: 0x10100, data: make([]byte, 256)})
		g := newGroup(r)
		for _, w := range g.waves {
			w.start()
			for i := range w.s[:106] {
				w.s[i] = uint32(0x10000 * (1 - i%2)) // pairs are addresses of memory
			}
			w.execute(50)
		}
	})
}
