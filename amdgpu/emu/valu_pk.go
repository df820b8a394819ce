package emu

import (
	"fmt"
	"math/bits"
)

// Packed instructions: the same operation on both 16-bit halves. op_sel and
// op_sel_hi pick which half of an operand feeds the low and the high result,
// neg_lo and neg_hi negate it.

type pair1 func(m fpMode, a, b, c uint16) uint16

// packedSpec is a row of the table.
type packedSpec struct {
	n     int // sources
	float bool
	f     pair1
	sat   pair1 // with clamp, for integers
	fused bool
}

type packed struct {
	f     pair1
	n     int
	src   [3]source
	lo    [3]uint8 // shift of the half that feeds the low result
	hi    [3]uint8
	negLo [3]uint32
	negHi [3]uint32
	dst   int
	clamp bool
}

func packedFloat2(f func(fpMode, uint16, uint16) uint16) packedSpec {
	return packedSpec{n: 2, float: true, f: func(m fpMode, a, b, _ uint16) uint16 { return f(m, a, b) }}
}

func packedInt2(f func(a, b uint16) uint16) packedSpec {
	return packedSpec{n: 2, f: func(_ fpMode, a, b, _ uint16) uint16 { return f(a, b) }}
}

func (s packedSpec) saturating(f func(a, b uint32) int64, lo, hi int64) packedSpec {
	s.sat = func(_ fpMode, a, b, _ uint16) uint16 { return uint16(max(lo, min(f(uint32(a), uint32(b)), hi))) }
	return s
}

var packedTable = map[string]packedSpec{
	"v_pk_add_f16": packedFloat2(addF16), "v_pk_mul_f16": packedFloat2(mulF16),
	"v_pk_min_f16": packedFloat2(minNumF16), "v_pk_max_f16": packedFloat2(maxNumF16),
	"v_pk_min_num_f16": packedFloat2(minNumF16), "v_pk_max_num_f16": packedFloat2(maxNumF16),
	"v_pk_minimum_f16": packedFloat2(minimumF16), "v_pk_maximum_f16": packedFloat2(maximumF16),
	"v_pk_fma_f16": {n: 3, float: true, f: fmaF16}, "v_pk_fmac_f16": {n: 3, float: true, f: fmaF16, fused: true},

	"v_pk_add_u16":    packedInt2(func(a, b uint16) uint16 { return a + b }).saturating(add64, 0, maxU16),
	"v_pk_sub_u16":    packedInt2(func(a, b uint16) uint16 { return a - b }).saturating(sub64, 0, maxU16),
	"v_pk_add_i16":    packedInt2(func(a, b uint16) uint16 { return a + b }).saturating(addS, minI16, maxI16),
	"v_pk_sub_i16":    packedInt2(func(a, b uint16) uint16 { return a - b }).saturating(subS, minI16, maxI16),
	"v_pk_mul_lo_u16": packedInt2(func(a, b uint16) uint16 { return a * b }),
	"v_pk_min_u16":    packedInt2(func(a, b uint16) uint16 { return min(a, b) }), "v_pk_max_u16": packedInt2(func(a, b uint16) uint16 { return max(a, b) }),
	"v_pk_min_i16":     packedInt2(func(a, b uint16) uint16 { return uint16(min(int16(a), int16(b))) }),
	"v_pk_max_i16":     packedInt2(func(a, b uint16) uint16 { return uint16(max(int16(a), int16(b))) }),
	"v_pk_lshlrev_b16": packedInt2(func(a, b uint16) uint16 { return b << (a & 15) }),
	"v_pk_lshrrev_b16": packedInt2(func(a, b uint16) uint16 { return b >> (a & 15) }),
	"v_pk_ashrrev_i16": packedInt2(func(a, b uint16) uint16 { return uint16(int16(b) >> (a & 15)) }),
	"v_pk_mad_u16":     {n: 3, f: func(_ fpMode, a, b, c uint16) uint16 { return a*b + c }},
	"v_pk_mad_i16":     {n: 3, f: func(_ fpMode, a, b, c uint16) uint16 { return a*b + c }},
}

// selectors are the four lists of a packed instruction, with their defaults.
type selectors struct{ sel, selHi, negLo, negHi []int }

func takeSelectors(d *decoded) (s selectors, err error) {
	for name, to := range map[string]*[]int{"op_sel": &s.sel, "op_sel_hi": &s.selHi, "neg_lo": &s.negLo, "neg_hi": &s.negHi} {
		if *to, err = d.mods.list(name); err != nil {
			return s, err
		}
	}
	return s, nil
}

// at is item i of a list, or what it is by default.
func at(list []int, i, otherwise int) int {
	if i < len(list) {
		return list[i]
	}
	return otherwise
}

func buildPacked(d *decoded, spec packedSpec) (func(*wave), error) {
	ops := d.operands
	if spec.fused && len(ops) == spec.n {
		ops = append(ops[:len(ops):len(ops)], ops[0])
	}
	if len(ops) != spec.n+1 {
		return nil, d.want(spec.n + 1)
	}
	s, err := takeSelectors(d)
	if err != nil {
		return nil, err
	}
	p := &packed{f: spec.f, n: spec.n}
	t := typePackedInt
	if spec.float {
		t = typePackedF16
	}
	for i := range p.n {
		if p.src[i], err = makeSource(ops[i+1], t, false); err != nil {
			return nil, err
		}
		p.lo[i], p.hi[i] = uint8(16*at(s.sel, i, 0)), uint8(16*at(s.selHi, i, 1))
		p.negLo[i], p.negHi[i] = uint32(signF16*at(s.negLo, i, 0)), uint32(signF16*at(s.negHi, i, 0))
		if !spec.float && p.negLo[i]|p.negHi[i] != 0 {
			return nil, fmt.Errorf("negation of a packed integer is not modelled")
		}
	}
	if o := ops[0]; o.kind != vgpr || o.count != 1 || o.neg || o.abs || o.half != 0 {
		return nil, fmt.Errorf("destination %s is not modelled", o.text)
	}
	p.dst = ops[0].reg
	if p.clamp = d.mods.flag("clamp"); p.clamp && !spec.float {
		if spec.sat == nil {
			return nil, fmt.Errorf("clamp of this integer instruction is not modelled")
		}
		p.f, p.clamp = spec.sat, false
	}
	return p.run, nil
}

func (p *packed) run(w *wave) {
	m, f := w.mode, p.f
	for h := range w.halves {
		exec := w.exec(h)
		if exec == 0 {
			continue
		}
		var x [3]*vreg
		for i := range x {
			x[i] = &w.tmp[i]
			if i < p.n {
				x[i] = p.src[i].read(w, h, &w.tmp[i])
			}
		}
		a, b, c := x[0], x[1], x[2]
		d := &w.out[0]
		for rest := exec; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			lo := f(m, uint16(a[l]>>(p.lo[0]&31)^p.negLo[0]), uint16(b[l]>>(p.lo[1]&31)^p.negLo[1]), uint16(c[l]>>(p.lo[2]&31)^p.negLo[2]))
			hi := f(m, uint16(a[l]>>(p.hi[0]&31)^p.negHi[0]), uint16(b[l]>>(p.hi[1]&31)^p.negHi[1]), uint16(c[l]>>(p.hi[2]&31)^p.negHi[2]))
			if p.clamp {
				lo, hi = m.clampF16(lo), m.clampF16(hi)
			}
			d[l] = uint32(lo) | uint32(hi)<<16
		}
		store(&w.v[h][p.dst&255], d, exec)
	}
}

// buildMix makes v_fma_mix_f32, v_fma_mixlo_f16 and v_fma_mixhi_f16: an f32 fma
// whose operands are f32 or, where op_sel_hi is set, the half of a register that
// op_sel picks, as f16.
func buildMix(d *decoded) (func(*wave), error) {
	if err := d.want(4); err != nil {
		return nil, err
	}
	s, err := takeSelectors(d)
	if err != nil {
		return nil, err
	}
	if s.negLo != nil || s.negHi != nil {
		return nil, fmt.Errorf("neg_lo and neg_hi are not modelled here")
	}
	v := &valu{n: 3}
	widened := 0
	for i := range v.src {
		o, t := d.operands[i+1], typeF32
		if at(s.selHi, i, 0) == 1 {
			t = typeF16
			widened |= 1 << i
			if o.kind == konst {
				return nil, fmt.Errorf("constant %s as an f16 operand is not modelled", o.text)
			}
		}
		if v.src[i], err = makeSource(o, t, at(s.sel, i, 0) == 1); err != nil {
			return nil, err
		}
		if t == typeF32 && at(s.sel, i, 0) == 1 {
			return nil, fmt.Errorf("op_sel on an f32 operand is not modelled")
		}
	}
	result := typeF16
	if d.name == "v_fma_mix_f32" {
		result = typeF32
	}
	if err := v.destination(d.operands[0], result); err != nil {
		return nil, err
	}
	v.high = d.name == "v_fma_mixhi_f16"
	v.f = mixed(widened, result)
	return v.run, v.outputModifiers(d)
}

func mixed(widened int, result valueType) lane32 {
	return func(m fpMode, a, b, c uint32) uint32 {
		if widened&1 != 0 {
			a = cvtF32F16(m, uint16(a))
		}
		if widened&2 != 0 {
			b = cvtF32F16(m, uint16(b))
		}
		if widened&4 != 0 {
			c = cvtF32F16(m, uint16(c))
		}
		if result == typeF32 {
			return fmaF32(m, a, b, c)
		}
		return uint32(fmaMixF16(m, a, b, c))
	}
}
