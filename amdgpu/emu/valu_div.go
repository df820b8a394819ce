package emu

import (
	"fmt"
	"math/bits"
)

// Steps of a division that use VCC, and v_mbcnt, which knows its lane.

// divScale is v_div_scale_f32 and _f64: dst, mask, a, b, c.
type divScale struct {
	src  [3]wideSource
	dst  int
	mask int
	wide bool
}

func buildDivScale(d *decoded, t valueType) (func(*wave), error) {
	if err := d.want(5); err != nil {
		return nil, err
	}
	v := &divScale{dst: d.operands[0].reg, mask: d.operands[1].reg, wide: t == typeF64}
	if o := d.operands[0]; o.kind != vgpr || o.count != t.bits()/32 {
		return nil, fmt.Errorf("destination %s is not modelled", o.text)
	}
	if err := checkMask(d, d.operands[1]); err != nil {
		return nil, err
	}
	var err error
	for i := range v.src {
		if v.src[i], err = makeWideSource(d.operands[i+2], t); err != nil {
			return nil, err
		}
	}
	return v.run, nil
}

func (v *divScale) run(w *wave) {
	var masks [2]uint32
	for h := range w.halves {
		for i := range v.src {
			v.src[i].read(w, h, &w.wide[i])
		}
		var mask uint32
		for rest := w.exec(h); rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			a, b, c := w.wide[0][l], w.wide[1][l], w.wide[2][l]
			var r uint64
			var flag bool
			if v.wide {
				r, flag = divScaleF64(w.mode, a, b, c)
				w.v[h][(v.dst+1)&255][l] = uint32(r >> 32)
			} else {
				var r32 uint32
				r32, flag = divScaleF32(w.mode, uint32(a), uint32(b), uint32(c))
				r = uint64(r32)
			}
			w.v[h][v.dst&255][l] = uint32(r)
			mask |= uint32(bit(flag)) << l
		}
		masks[h] = mask
	}
	w.setMask(v.mask, masks)
}

// divFmas is v_div_fmas_f32 and _f64, which scale where VCC says so.
type divFmas struct {
	src  [3]wideSource
	dst  int
	wide bool
}

func buildDivFmas(d *decoded, t valueType) (func(*wave), error) {
	if err := d.want(4); err != nil {
		return nil, err
	}
	v := &divFmas{dst: d.operands[0].reg, wide: t == typeF64}
	if o := d.operands[0]; o.kind != vgpr || o.count != t.bits()/32 {
		return nil, fmt.Errorf("destination %s is not modelled", o.text)
	}
	var err error
	for i := range v.src {
		if v.src[i], err = makeWideSource(d.operands[i+1], t); err != nil {
			return nil, err
		}
	}
	return v.run, nil
}

func (v *divFmas) run(w *wave) {
	for h := range w.halves {
		for i := range v.src {
			v.src[i].read(w, h, &w.wide[i])
		}
		vcc := w.mask(regVCC, h)
		for rest := w.exec(h); rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			a, b, c := w.wide[0][l], w.wide[1][l], w.wide[2][l]
			if v.wide {
				r := divFmasF64(w.mode, a, b, c, vcc>>l&1 != 0)
				w.v[h][(v.dst+1)&255][l] = uint32(r >> 32)
				w.v[h][v.dst&255][l] = uint32(r)
				continue
			}
			w.v[h][v.dst&255][l] = divFmasF32(w.mode, uint32(a), uint32(b), uint32(c), vcc>>l&1 != 0)
		}
	}
}

// buildLaneCount: v_mbcnt_lo_u32_b32 and _hi_: the bits of a mask below this
// lane, plus the second operand. lo counts lanes 0..31, hi lanes 32..63.
func buildLaneCount(d *decoded) (func(*wave), error) {
	if err := d.want(3); err != nil {
		return nil, err
	}
	mask, err := makeSource(d.operands[1], typeU32, false)
	if err != nil {
		return nil, err
	}
	add, err := makeSource(d.operands[2], typeU32, false)
	if err != nil {
		return nil, err
	}
	if o := d.operands[0]; o.kind != vgpr || o.count != 1 {
		return nil, fmt.Errorf("destination %s is not modelled", o.text)
	}
	dst, first := d.operands[0].reg, 0
	if d.name == "v_mbcnt_hi_u32_b32" {
		first = 32
	}
	return func(w *wave) {
		for h := range w.halves {
			a, b := mask.read(w, h, &w.tmp[0]), add.read(w, h, &w.tmp[1])
			r := &w.v[h][dst&255]
			for rest := w.exec(h); rest != 0; rest &= rest - 1 {
				l := bits.TrailingZeros32(rest) & 31
				below := max(0, min(32*h+l-first, 32))
				r[l] = uint32(bits.OnesCount32(a[l]&uint32(uint64(1)<<below-1))) + b[l]
			}
		}
	}, nil
}

// buildSwap exchanges two registers.
func buildSwap(d *decoded) (func(*wave), error) {
	if err := d.want(2); err != nil {
		return nil, err
	}
	a, b := d.operands[0], d.operands[1]
	if a.kind != vgpr || b.kind != vgpr || a.count != 1 || b.count != 1 || a.half != 0 || b.half != 0 {
		return nil, fmt.Errorf("these operands are not modelled")
	}
	return func(w *wave) {
		for h := range w.halves {
			x, y := &w.v[h][a.reg&255], &w.v[h][b.reg&255]
			old := *x
			store(x, y, w.exec(h))
			store(y, &old, w.exec(h))
		}
	}, nil
}
