package emu

import (
	"encoding/binary"
	"testing"
)

// TestLDSInstructions: LDS holds its own addresses, by words.
func TestLDSInstructions(t *testing.T) {
	for _, c := range []struct {
		text          string
		before, after registers
	}{
		{"ds_load_2addr_b32 v[2:3], v1 offset0:1 offset1:3", registers{"v1": 8}, registers{"v2.0": 12, "v3.0": 20}},
		{"ds_load_2addr_stride64_b32 v[2:3], v1 offset1:0", registers{"v1": 8}, registers{"v2.0": 8, "v3.0": 8}},
		{"ds_load_2addr_b64 v[1:4], v1 offset0:1 offset1:2", registers{"v1": 8}, registers{"v1.0": 16, "v2.0": 20, "v3.0": 24, "v4.0": 28}},
		{"ds_load_b96 v[1:3], v1 offset:4", registers{"v1": 8}, registers{"v1.0": 12, "v3.7": 20}},
		{"ds_load_u8_d16_hi v0, v1", registers{"v0": 0x1234, "v1": 16}, registers{"v0.0": 0x00101234}},
		{"ds_load_i8 v0, v1", registers{"v1": 252}, registers{"v0.0": 0xfffffffc}},
		{"ds_load_u16_d16 v0, v1 offset:2", registers{"v0": 0x12345678, "v1": 16}, registers{"v0.0": 0x12340000}},
		{"ds_store_b16_d16_hi v1, v2", registers{"v1": 16, "v2": 0xaaaabbbb}, registers{"l16": 0xaaaa}},
		{"ds_store_2addr_b32 v1, v2, v3 offset0:2 offset1:5", registers{"v1": 0, "v2": 1, "v3": 2}, registers{"l8": 1, "l20": 2, "l12": 12}},
		{"ds_store_b128 v1, v[2:5] offset:16", registers{"v1": 0, "v2": 1, "v3": 2, "v4": 3, "v5": 4}, registers{"l16": 1, "l28": 4}},
		{"ds_add_rtn_u32 v0, v1, v2 offset:4", registers{"v1": 0, "v2": 1}, registers{"v0.0": 4, "v0.31": 35, "l4": 36}},
		{"ds_cmpstore_rtn_b32 v0, v1, v2, v3", registers{"v1": 8, "v2": 99, "v3": 8}, registers{"v0.0": 8, "v0.1": 99, "l8": 99}},
		{"ds_storexchg_rtn_b64 v[4:5], v1, v[2:3]", registers{"v1": 8, "v2": 1, "v3": 2, "exec": 1}, registers{"v4.0": 8, "v5.0": 12, "l8": 1, "l12": 2}},
		{"ds_max_i32 v1, v2", registers{"v1": 8, "v2": 0xffffffff}, registers{"l8": 8}},
		{"ds_dec_u32 v1, v2", registers{"v1": 0, "v2": 7, "exec": 3}, registers{"l0": 6}},
		{"ds_rsub_u32 v1, v2", registers{"v1": 8, "v2": 10, "exec": 1}, registers{"l8": 2}},
		{"ds_pk_add_f16 v1, v2", registers{"v1": 0, "v2": 0x3c004000, "exec": 1}, registers{"l0": 0x3c004000}},
	} {
		m, err := newState(gfx12, false, c.text)
		if err != nil {
			t.Error(err)
			continue
		}
		for i := 0; i < 256; i += 4 {
			binary.LittleEndian.PutUint32(m.group.lds[i:], uint32(i))
		}
		for name, v := range c.before {
			m.set(name, v)
		}
		if m.execute(1 << 40); m.fault != nil {
			t.Error(m.fault)
			continue
		}
		for name, want := range c.after {
			if got := m.get(name); got != want {
				t.Errorf("%s: %s is %#x, want %#x", c.text, name, got, want)
			}
		}
	}
}

// TestModeInstructions: s_round_mode, s_denorm_mode and s_setreg change what
// arithmetic does.
func TestModeInstructions(t *testing.T) {
	for _, c := range []struct {
		first string
		want  uint32 // of 1 + 2^-30, and of the smallest denormal doubled
		tiny  uint32
	}{
		{"s_nop 0", 0x3f800000, 2},
		{"s_round_mode 0x1", 0x3f800001, 2},
		{"s_round_mode 0x3", 0x3f800000, 2},
		{"s_denorm_mode 0", 0x3f800000, 0},
		{"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1", 0x3f800001, 2},
		{"s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s0", 0x3f800000, 0},
	} {
		m, err := newState(gfx11, false, c.first, "v_add_f32_e32 v0, v1, v2", "v_add_f32_e32 v3, v4, v4", "s_getreg_b32 s1, hwreg(HW_REG_MODE, 0, 8)")
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range (registers{"v1": 0x3f800000, "v2": 0x30800000, "v4": 1, "s0": 0}) {
			m.set(name, v)
		}
		if m.execute(1 << 40); m.fault != nil {
			t.Fatal(m.fault)
		}
		if a, b := m.get("v0.0"), m.get("v3.0"); a != c.want || b != c.tiny {
			t.Errorf("%s: %#x and %#x, want %#x and %#x", c.first, a, b, c.want, c.tiny)
		}
		if got := m.get("s1"); got != uint32(m.mode)&0xff {
			t.Errorf("%s: MODE reads %#x, is %#x", c.first, got, m.mode)
		}
	}
}

// TestWave64Masks: a lane mask may overlap the scalar operand, and each half
// works on its own.
func TestWave64Masks(t *testing.T) {
	m, err := newState(gfx11, true, "v_cmp_lt_u32_e64 s[16:17], s16, v1", "v_permlane64_b32 v2, v1", "v_mbcnt_hi_u32_b32 v3, -1, 0", "v_readlane_b32 s20, v1, 40")
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range lanes(1, 0, 1) {
		m.set(name, v)
	}
	m.set("s16", 60)
	if m.execute(1 << 40); m.fault != nil {
		t.Fatal(m.fault)
	}
	for name, want := range (registers{"s16": 0, "s17": 0xe0000000, "v2.0": 32, "v2.63": 31, "v3.31": 0, "v3.40": 8, "s20": 40}) {
		if got := m.get(name); got != want {
			t.Errorf("%s is %#x, want %#x", name, got, want)
		}
	}
}

// TestNotModelled: forms that are not modelled are errors that say so, not
// approximations.
func TestNotModelled(t *testing.T) {
	for _, text := range []string{
		"image_load v0, v1, s[0:7]", "v_interp_p10_f32 v0, v1, v2, v3", "buffer_atomic_add_u32 v0, off, s[0:3], 0", "ds_append v0",
		"v_add_f32_e32 v0, v1", "v_add_f32_e32 v0, v1, v[2:3]", "v_add_f32_e32 v0, off, v1", "v_add_u32 v0, v1, v2", "v_add_nc_u32_e64 v0, -v1, v2",
		"v_add_f32_e32 v0, v1, v2 quickly", "v_mov_b32_dpp v0, v1 wave_shl:1", "v_pk_add_u16 v0, v1, v2 neg_lo:[1,0]", "s_add_u32 v0, s1, s2",
		"s_getreg_b32 s0, hwreg(HW_REG_SHADER_CYCLES, 0, 20)", "s_sendmsg sendmsg(MSG_GS)", "s_waitcnt lgkmcnt(everything)", "s_barrier_wait 3",
		"v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[24:31] neg_lo:[1,0,0]", "v_swmmac_f32_16x16x32_f16 v[0:7], v[8:11], v[12:19], v20",
		"global_load_b32 v0, v1, s[0:1] lds", "s_branch 4000", "v_fma_mix_f32 v0, 1.0, v1, v2 op_sel_hi:[1,0,0]", "v_readlane_b32 v0, v1, 3", ".long 0x12345678",
	} {
		for _, target := range []generation{gfx11, gfx12} {
			if m, err := newState(target, false, text); err == nil {
				t.Errorf("%s is accepted on gfx%d: %v", text, target, m.group.program.code[0].err)
			}
		}
	}
}

// TestScratchInstructions: each lane has a private segment of its own, which flat
// addresses reach too.
func TestScratchInstructions(t *testing.T) {
	m, err := newState(gfx12, false, "scratch_store_b32 v1, v2, s0 offset:4", "scratch_load_b32 v3, off, s0 offset:12", "scratch_load_u16 v4, v1, off offset:22",
		"v_mov_b32_e32 v6, src_private_base", "s_mov_b64 s[2:3], src_private_base", "v_mov_b32_e32 v6, s3", "v_mov_b32_e32 v5, 28", "flat_load_b32 v7, v[5:6]",
		"s_mov_b64 s[2:3], src_shared_base", "v_mov_b32_e32 v6, s3", "flat_store_b32 v[5:6], v7", "scratch_load_b32 v8, off, off offset:60")
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range with(registers{"v1": 8, "s0": 16}, lanes(2, 100, 1)) {
		m.set(name, v)
	}
	if m.execute(1 << 40); m.fault != nil {
		t.Fatal(m.fault)
	}
	for name, want := range (registers{"v3.5": 105, "v4.5": 0, "v7.5": 105, "l28": 131, "v8.5": DefaultPoison}) {
		if got := m.get(name); got != want {
			t.Errorf("%s is %#x, want %#x", name, got, want)
		}
	}
}
