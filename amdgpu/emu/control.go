package emu

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Program control: branches, calls, barriers, the MODE register, and what only
// concerns timing.

// branchConditions say when a conditional branch is taken.
var branchConditions = map[string]func(w *wave) bool{
	"s_branch":        func(*wave) bool { return true },
	"s_cbranch_scc0":  func(w *wave) bool { return w.scc == 0 },
	"s_cbranch_scc1":  func(w *wave) bool { return w.scc != 0 },
	"s_cbranch_vccz":  func(w *wave) bool { return w.get64(regVCC)&w.laneMask() == 0 },
	"s_cbranch_vccnz": func(w *wave) bool { return w.get64(regVCC)&w.laneMask() != 0 },
	"s_cbranch_execz": func(w *wave) bool { return w.exec64() == 0 }, "s_cbranch_execnz": func(w *wave) bool { return w.exec64() != 0 },
}

// buildBranch: the operand counts words from the next instruction.
func buildBranch(d *decoded, p *Program) (func(*wave), error) {
	if err := d.want(1); err != nil {
		return nil, err
	}
	taken := branchConditions[d.name]
	to := d.addr + uint64(d.size) + uint64(int64(int16(d.operands[0].integer))*4)
	index, ok := p.indexOf(to)
	if !ok || d.operands[0].kind != konst {
		return nil, fmt.Errorf("it branches to 0x%x, where no instruction begins", to)
	}
	return func(w *wave) {
		if taken(w) {
			w.next = index
		}
	}, nil
}

// timing are instructions without an effect on the architectural state as it is
// modelled: waves run one instruction after another, memory is coherent. Those
// that wait for LDS say so to the watch over it (wait.go).
var timing = map[string]bool{
	"s_nop": true, "s_delay_alu": true, "s_clause": true, "s_sleep": true, "s_setprio": true, "s_wait_idle": true,
	"s_waitcnt_vscnt": true, "s_waitcnt_vmcnt": true, "s_waitcnt_expcnt": true, "s_waitcnt_lgkmcnt": true,
	"s_wait_loadcnt": true, "s_wait_storecnt": true, "s_wait_dscnt": true, "s_wait_kmcnt": true, "s_wait_expcnt": true,
	"s_wait_samplecnt": true, "s_wait_bvhcnt": true, "s_wait_loadcnt_dscnt": true, "s_wait_storecnt_dscnt": true,
	"s_set_inst_prefetch_distance": true, "s_inst_prefetch": true, "s_icache_inv": true, "s_dcache_inv": true, "s_gl1_inv": true,
	"buffer_gl0_inv": true, "buffer_gl1_inv": true, "global_inv": true, "global_wb": true, "global_wbinv": true,
	"s_prefetch_inst": true, "s_prefetch_data": true, "s_prefetch_inst_pc_rel": true, "s_prefetch_data_pc_rel": true, "s_buffer_prefetch_data": true,
	"v_nop": true, "v_pipeflush": true, "ds_nop": true,
}

var (
	waitForm  = regexp.MustCompile(`^((vmcnt|expcnt|lgkmcnt)\(\d+\)( & |\s)?)+$|^0x[0-9a-f]+$|^\d+$`)
	delayForm = regexp.MustCompile(`^(instid[01]\(\w+\)|instskip\(\w+\)|0x[0-9a-f]+|\d+| \| )+$`)
	depForm   = regexp.MustCompile(`^(\w+\(\d+\)\s?|0x[0-9a-f]+|\d+)+$`)
)

func nothing(*wave) {}

// buildTiming validates the form of what it ignores.
func buildTiming(d *decoded) (func(*wave), error) {
	form := map[string]*regexp.Regexp{"s_waitcnt": waitForm, "s_delay_alu": delayForm, "s_waitcnt_depctr": depForm, "s_wait_alu": depForm, "s_wait_event": depForm}[d.name]
	if form != nil && !form.MatchString(d.rest) {
		return nil, fmt.Errorf("operands of %s are not modelled", d.name)
	}
	clear(d.mods) // cache policy
	return nothing, nil
}

// buildControl makes the rest of the SOPP, SOP1 and SOPK control instructions;
// known is false for others.
func buildControl(d *decoded, p *Program) (run func(*wave), known bool, err error) {
	if _, ok := branchConditions[d.name]; ok {
		run, err = buildBranch(d, p)
		return run, true, err
	}
	switch d.name {
	case "s_waitcnt":
		run, err = buildWait(d)
	case "s_delay_alu", "s_waitcnt_depctr", "s_wait_alu", "s_wait_event":
		run, err = buildTiming(d)
	case "s_endpgm", "s_endpgm_saved":
		run = func(w *wave) { w.state = waveEnded }
	case "s_code_end":
		run = func(w *wave) { w.fail(BadJump, -1, "execution ran past the end of the code") }
	case "s_barrier":
		run = func(w *wave) { w.signals++; w.state = waveAtBarrier }
	case "s_barrier_signal", "s_barrier_wait", "s_barrier_signal_isfirst", "s_barrier_leave":
		run, err = buildSplitBarrier(d)
	case "s_sendmsg":
		if d.rest != "sendmsg(MSG_DEALLOC_VGPRS)" && d.rest != "sendmsg(MSG_DEALLOC_VGPRS, 0, 0)" {
			return nil, true, fmt.Errorf("message %s is not modelled", d.rest)
		}
		run = nothing
	case "s_trap", "s_sethalt":
		run = func(w *wave) { w.fail(Trapped, -1, "the program asked for a trap") }
	case "s_getreg_b32", "s_setreg_b32", "s_setreg_imm32_b32":
		run, err = buildHardwareRegister(d)
	case "s_round_mode", "s_denorm_mode":
		run, err = buildModeField(d)
	case "s_getpc_b64", "s_setpc_b64", "s_swappc_b64", "s_call_b64":
		run, err = buildJump(d, p)
	default:
		if timing[d.name] {
			run, err = buildWait(d)
			break
		}
		return nil, false, nil
	}
	return run, true, err
}

// buildSplitBarrier: gfx12 signals and waits apart. -1 is the work-group's
// barrier, the only one there is without dispatching named ones.
func buildSplitBarrier(d *decoded) (func(*wave), error) {
	if err := d.want(1); err != nil {
		return nil, err
	}
	o := d.operands[0]
	if v := int16(o.integer); o.kind != konst || v != -1 {
		return nil, fmt.Errorf("barrier %s is not modelled, only -1 is", o.text)
	}
	switch d.name {
	case "s_barrier_signal":
		return func(w *wave) { w.signal() }, nil
	case "s_barrier_signal_isfirst":
		return func(w *wave) {
			first := true
			for _, other := range w.group.waves {
				first = first && other.signals <= w.signals
			}
			w.setSCC(first)
			w.signal()
		}, nil
	case "s_barrier_wait":
		return func(w *wave) {
			if w.signals <= w.waits {
				w.fail(Deadlock, -1, "it waits at a barrier that this wave has not signalled")
				return
			}
			w.state = waveAtBarrier
		}, nil
	}
	return nil, fmt.Errorf("%s is not modelled", d.name)
}

func (w *wave) signal() {
	if w.signals > w.waits {
		w.fail(Deadlock, -1, "it signals a barrier a second time without waiting")
		return
	}
	w.signals++
}

var hardwareRegister = regexp.MustCompile(`hwreg\(HW_REG_(?:WAVE_)?MODE(?:, (\d+), (\d+))?\)`)

// buildHardwareRegister reads and writes fields of the MODE register; no other
// hardware register is modelled.
func buildHardwareRegister(d *decoded) (func(*wave), error) {
	m := hardwareRegister.FindStringSubmatch(d.rest)
	if m == nil {
		return nil, fmt.Errorf("this hardware register is not modelled")
	}
	offset, size := 0, 32
	if m[1] != "" {
		offset, _ = strconv.Atoi(m[1])
		size, _ = strconv.Atoi(m[2])
	}
	if offset > 31 || size < 1 || offset+size > 32 {
		return nil, fmt.Errorf("bits %d to %d of a register of 32", offset, offset+size-1)
	}
	field := uint32(1<<size-1) << offset
	before, after, _ := strings.Cut(d.rest, m[0])
	o, err := parseOperand(strings.Trim(before+after, ", "))
	if err != nil {
		return nil, err
	}
	if d.name == "s_getreg_b32" {
		if o.kind != sgpr || o.count != 1 {
			return nil, fmt.Errorf("destination %s is not modelled", o.text)
		}
		return func(w *wave) { w.set32(o.reg, uint32(w.mode)&field>>offset) }, nil
	}
	s, err := makeWideSource(o, typeU32)
	if err != nil {
		return nil, err
	}
	if s.kind == vgpr {
		return nil, fmt.Errorf("a vector register here")
	}
	return func(w *wave) { w.mode = fpMode(uint32(w.mode)&^field | uint32(s.scalar(w))<<offset&field) }, nil
}

// buildModeField: s_round_mode sets MODE bits 0..3, s_denorm_mode bits 4..7.
func buildModeField(d *decoded) (func(*wave), error) {
	if err := d.want(1); err != nil {
		return nil, err
	}
	v := d.operands[0].integer
	if d.operands[0].kind != konst || v < 0 || v > 15 {
		return nil, fmt.Errorf("mode %s is not modelled", d.operands[0].text)
	}
	shift := 0
	if d.name == "s_denorm_mode" {
		shift = 4
	}
	return func(w *wave) { w.mode = w.mode&^(15<<shift) | fpMode(v)<<shift }, nil
}

// buildJump: addresses are those of the loaded code.
func buildJump(d *decoded, p *Program) (func(*wave), error) {
	after := d.addr + uint64(d.size)
	pair := func(o operand) bool { return o.kind == sgpr && o.count == 2 }
	for i, o := range d.operands {
		if !pair(o) && !(d.name == "s_call_b64" && i == 1) {
			return nil, fmt.Errorf("operand %s is not modelled", o.text)
		}
	}
	switch {
	case d.name == "s_getpc_b64" && len(d.operands) == 1:
		to := d.operands[0].reg
		return func(w *wave) { w.set64(to, w.group.base+after) }, nil
	case d.name == "s_setpc_b64" && len(d.operands) == 1:
		from := d.operands[0].reg
		return func(w *wave) { w.jump(w.get64(from)) }, nil
	case d.name == "s_swappc_b64" && len(d.operands) == 2:
		to, from := d.operands[0].reg, d.operands[1].reg
		return func(w *wave) {
			target := w.get64(from)
			w.set64(to, w.group.base+after)
			w.jump(target)
		}, nil
	case d.name == "s_call_b64" && len(d.operands) == 2:
		to, offset := d.operands[0].reg, int64(int16(d.operands[1].integer))
		index, ok := p.indexOf(after + uint64(offset*4))
		if !ok {
			return nil, fmt.Errorf("it calls 0x%x, where no instruction begins", after+uint64(offset*4))
		}
		return func(w *wave) {
			w.set64(to, w.group.base+after)
			w.next = index
		}, nil
	}
	return nil, fmt.Errorf("%d operands are not modelled", len(d.operands))
}
