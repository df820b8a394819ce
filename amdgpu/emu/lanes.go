package emu

import (
	"fmt"
	"math/bits"
)

// Operations between lanes that are no DPP: scalar reads and writes of a lane,
// and permutations of rows.

// buildReadLane: v_readlane_b32 sdst, v, lane and v_readfirstlane_b32 sdst, v.
// Both ignore EXEC, except that readfirstlane picks the first active lane, or
// lane 0 when there is none.
func buildReadLane(d *decoded) (func(*wave), error) {
	first := d.name == "v_readfirstlane_b32"
	n := 3
	if first {
		n = 2
	}
	if err := d.want(n); err != nil {
		return nil, err
	}
	to, from := d.operands[0], d.operands[1]
	if to.kind != sgpr || to.count != 1 || from.count != 1 || from.kind != vgpr && !(first && from.kind == sgpr) {
		return nil, fmt.Errorf("operands %s, %s are not modelled", to.text, from.text)
	}
	if from.kind == sgpr {
		return func(w *wave) { w.set32(to.reg, w.s[from.reg]) }, nil
	}
	if first {
		return func(w *wave) {
			l := 0
			if e := w.exec64(); e != 0 {
				l = bits.TrailingZeros64(e)
			}
			w.set32(to.reg, w.v[l>>5&1][from.reg&255][l&31])
		}, nil
	}
	lane, err := makeSource(d.operands[2], typeU32, false)
	if err != nil {
		return nil, err
	}
	if lane.kind == vgpr {
		return nil, fmt.Errorf("a lane number in a vector register")
	}
	return func(w *wave) {
		l := int(lane.scalar(w)) & (32*w.halves - 1)
		w.set32(to.reg, w.v[l>>5&1][from.reg&255][l&31])
	}, nil
}

// buildWriteLane: v_writelane_b32 v, value, lane.
func buildWriteLane(d *decoded) (func(*wave), error) {
	if err := d.want(3); err != nil {
		return nil, err
	}
	to := d.operands[0]
	value, err := makeSource(d.operands[1], typeU32, false)
	if err != nil {
		return nil, err
	}
	lane, err := makeSource(d.operands[2], typeU32, false)
	if err != nil {
		return nil, err
	}
	if to.kind != vgpr || to.count != 1 || value.kind == vgpr || lane.kind == vgpr {
		return nil, fmt.Errorf("these operands are not modelled")
	}
	return func(w *wave) {
		l := int(lane.scalar(w)) & (32*w.halves - 1)
		w.v[l>>5&1][to.reg&255][l&31] = value.scalar(w)
	}, nil
}

// permlane is v_permlane16_b32 and v_permlanex16_b32: lane i of a row takes the
// lane of this or the other row of its pair that nibble i of two scalars names.
type permlane struct {
	across  bool
	dst     int
	from    int
	lo, hi  source
	fetch   bool // op_sel[0]: inactive lanes are read
	zero    bool // op_sel[1], bound_ctrl: what is not read is 0
	perLane bool // the _var forms: each lane names its source
	index   int
}

func buildPermlane(d *decoded, across bool) (func(*wave), error) {
	if err := d.want(4); err != nil {
		return nil, err
	}
	p := &permlane{across: across, dst: d.operands[0].reg, from: d.operands[1].reg}
	if d.operands[0].kind != vgpr || d.operands[1].kind != vgpr {
		return nil, fmt.Errorf("these operands are not modelled")
	}
	sel, err := d.mods.list("op_sel")
	if err != nil {
		return nil, err
	}
	p.fetch = len(sel) > 0 && sel[0] == 1
	p.zero = len(sel) > 1 && sel[1] == 1
	if p.lo, err = makeSource(d.operands[2], typeU32, false); err != nil {
		return nil, err
	}
	if p.hi, err = makeSource(d.operands[3], typeU32, false); err != nil {
		return nil, err
	}
	if p.lo.kind == vgpr || p.hi.kind == vgpr {
		return nil, fmt.Errorf("lane selectors in vector registers")
	}
	return p.run, nil
}

// buildPermlaneVar: v_permlane16_var_b32 and v_permlanex16_var_b32 of gfx12.
func buildPermlaneVar(d *decoded, across bool) (func(*wave), error) {
	if err := d.want(3); err != nil {
		return nil, err
	}
	for _, o := range d.operands {
		if o.kind != vgpr || o.count != 1 {
			return nil, fmt.Errorf("operand %s is not modelled", o.text)
		}
	}
	sel, err := d.mods.list("op_sel")
	p := &permlane{across: across, perLane: true, dst: d.operands[0].reg, from: d.operands[1].reg, index: d.operands[2].reg}
	p.fetch = len(sel) > 0 && sel[0] == 1
	p.zero = len(sel) > 1 && sel[1] == 1
	return p.run, err
}

func (p *permlane) run(w *wave) {
	var selectors uint64
	if !p.perLane {
		selectors = uint64(p.lo.scalar(w)) | uint64(p.hi.scalar(w))<<32
	}
	for h := range w.halves {
		exec := w.exec(h)
		r, d := &w.v[h][p.from&255], &w.out[0]
		write := exec
		for rest := exec; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			row := l &^ 15
			if p.across {
				row ^= 16
			}
			pick := int(selectors >> (4 * (l & 15)) & 15)
			if p.perLane {
				pick = int(w.v[h][p.index&255][l] & 15)
			}
			from := row + pick
			switch {
			case p.fetch || exec>>from&1 != 0:
				d[l] = r[from&31]
			case p.zero:
				d[l] = 0
			default:
				w.fail(InactiveLane, h*32+l, "it reads lane %d, which is not active (EXEC 0x%08x)", h*32+from, exec)
				return
			}
		}
		store(&w.v[h][p.dst&255], d, write)
	}
}

// buildPermlane64 exchanges the halves of a wave64; in wave32 it does nothing.
func buildPermlane64(d *decoded) (func(*wave), error) {
	if err := d.want(2); err != nil {
		return nil, err
	}
	to, from := d.operands[0].reg, d.operands[1].reg
	if d.operands[0].kind != vgpr || d.operands[1].kind != vgpr {
		return nil, fmt.Errorf("these operands are not modelled")
	}
	return func(w *wave) {
		if w.halves == 1 {
			return
		}
		a, b := w.v[1][from&255], w.v[0][from&255]
		store(&w.v[0][to&255], &a, w.exec(0))
		store(&w.v[1][to&255], &b, w.exec(1))
	}, nil
}
