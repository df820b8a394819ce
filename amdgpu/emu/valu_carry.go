package emu

import (
	"fmt"
	"math/bits"
)

// Instructions that read or write a lane mask besides vector registers.

// carry adds or subtracts with carry in and out.
type carry struct {
	src     [2]source
	in      int // lane mask, -1: none
	dst     int
	out     int // lane mask, null: dropped
	minus   bool
	reverse bool // second operand minus first
	dpp     *dpp
}

type carrySpec struct{ in, minus, reverse bool }

var carryTable = map[string]carrySpec{
	"v_add_co_u32": {}, "v_sub_co_u32": {minus: true}, "v_subrev_co_u32": {minus: true, reverse: true},
	"v_add_co_ci_u32": {in: true}, "v_sub_co_ci_u32": {in: true, minus: true}, "v_subrev_co_ci_u32": {in: true, minus: true, reverse: true},
}

// buildCarry: vdst, carry out, a, b and, for the ci forms, carry in.
func buildCarry(d *decoded, spec carrySpec) (func(*wave), error) {
	n := 4
	if spec.in {
		n = 5
	}
	if err := d.want(n); err != nil {
		return nil, err
	}
	c := &carry{minus: spec.minus, reverse: spec.reverse, in: -1}
	var err error
	for i := range c.src {
		if c.src[i], err = makeSource(d.operands[i+2], typeU32, false); err != nil {
			return nil, err
		}
	}
	if d.operands[0].kind != vgpr || d.operands[0].count != 1 {
		return nil, fmt.Errorf("destination %s is not modelled", d.operands[0].text)
	}
	c.dst, c.out = d.operands[0].reg, d.operands[1].reg
	if err := checkMask(d, d.operands[1]); err != nil {
		return nil, err
	}
	if spec.in {
		c.in = d.operands[4].reg
		if err := checkMask(d, d.operands[4]); err != nil {
			return nil, err
		}
	}
	if c.dpp, err = makeDPP(d); err == nil && c.dpp != nil && c.src[0].kind != vgpr {
		err = fmt.Errorf("DPP on a scalar operand")
	}
	return c.run, err
}

func (c *carry) run(w *wave) {
	var masks [2]uint32
	for h := range w.halves {
		exec := w.exec(h)
		live := exec
		a := &w.tmp[0]
		if c.dpp != nil {
			live = c.dpp.read(w, h, exec, &c.src[0], a)
		} else {
			a = c.src[0].read(w, h, a)
		}
		b := c.src[1].read(w, h, &w.tmp[1])
		in := uint32(0)
		if c.in >= 0 {
			in = w.mask(c.in, h)
		}
		d := &w.v[h][c.dst&255]
		var out uint32
		for rest := live; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			x, y := a[l], b[l]
			if c.reverse {
				x, y = y, x
			}
			var sum, carried uint32
			if c.minus {
				sum, carried = bits.Sub32(x, y, in>>l&1)
			} else {
				sum, carried = bits.Add32(x, y, in>>l&1)
			}
			d[l] = sum
			out |= carried << l
		}
		masks[h] = out
	}
	w.setMask(c.out, masks)
}

// select_ is v_cndmask: the second operand where the mask has a bit.
func selectLane(_ fpMode, a, b, c uint32) uint32 {
	if c != 0 {
		return b
	}
	return a
}

// makeSelect makes v_cndmask_b32 and _b16: dst, a, b, mask. The VOPD form and
// v_cndmask without a mask use VCC.
func makeSelect(d *decoded, t valueType) (*valu, error) {
	ops := d.operands
	if len(ops) == 3 {
		vcc := operand{kind: sgpr, reg: regVCC, count: 1, text: "vcc"}
		if d.wave64 {
			vcc.count = 2
		}
		ops = append(ops[:3:3], vcc)
	}
	if len(ops) != 4 {
		return nil, d.want(4)
	}
	// Sign modifiers act on these bits as on floats.
	float := typeF32
	if t.bits() == 16 {
		float = typeF16
	}
	read := func(o operand) valueType {
		if o.neg || o.abs {
			return float
		}
		return t
	}
	short := *d
	short.operands = ops[:3]
	v, err := makeVALU(&short, &valuSpec{dst: t, src: []valueType{read(ops[1]), read(ops[2])}, f: selectLane})
	if err != nil {
		return nil, err
	}
	if err := checkMask(d, ops[3]); err != nil {
		return nil, err
	}
	v.n, v.src[2] = 3, source{kind: sgpr, mask: true, reg: ops[3].reg}
	return v, nil
}

// mad64 is v_mad_u64_u32 and v_mad_i64_i32: dst, carry out, a, b, c.
type mad64 struct {
	signed bool
	src    [3]wideSource
	dst    int
	out    int
}

func buildMad64(d *decoded, signed bool) (func(*wave), error) {
	if err := d.want(5); err != nil {
		return nil, err
	}
	m := &mad64{signed: signed, dst: d.operands[0].reg, out: d.operands[1].reg}
	if d.operands[0].kind != vgpr || d.operands[0].count != 2 {
		return nil, fmt.Errorf("destination %s is not modelled", d.operands[0].text)
	}
	if err := checkMask(d, d.operands[1]); err != nil {
		return nil, err
	}
	types := [3]valueType{typeU32, typeU32, typeU64}
	if signed {
		types[2] = typeI64
	}
	var err error
	for i, t := range types {
		if m.src[i], err = makeWideSource(d.operands[i+2], t); err != nil {
			return nil, err
		}
	}
	return m.run, nil
}

func (m *mad64) run(w *wave) {
	var masks [2]uint32
	for h := range w.halves {
		exec := w.exec(h)
		for i := range m.src {
			m.src[i].read(w, h, &w.wide[i])
		}
		lo, hi := &w.v[h][m.dst&255], &w.v[h][(m.dst+1)&255]
		var out uint32
		for rest := exec; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			a, b, c := w.wide[0][l], w.wide[1][l], w.wide[2][l]
			var sum, carried uint64
			if m.signed {
				product := int64(int32(a)) * int64(int32(b))
				sum, carried = bits.Add64(uint64(product), c, 0)
				// the 65-bit result with its sign extended
				carried = carried ^ uint64(product)>>63 ^ c>>63
			} else {
				sum, carried = bits.Add64(a*b, c, 0)
			}
			lo[l], hi[l] = uint32(sum), uint32(sum>>32)
			out |= uint32(carried) << l
		}
		masks[h] = out
	}
	w.setMask(m.out, masks)
}
