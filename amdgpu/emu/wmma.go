package emu

import (
	"fmt"
	"math"
	"regexp"
)

// Matrix multiply: D = A*B + C on 16x16x16 tiles. Where the elements lie:
//
//	A, B gfx11   lane l holds row (A) or column (B) l%16, all 16 K in order;
//	             every group of 16 lanes must hold the same
//	     gfx12   lane l holds K 8*(l/16) .. +7 of row or column l%16 (wave32),
//	             or a quarter of them (wave64)
//	C, D gfx11   lane l holds column l%16; register i row 2*i + l/16 (wave32)
//	             or 4*i + l/16 (wave64); 16-bit results in one half of a register
//	     gfx12   register (16-bit: half register) i holds row i + 8*(l/16) (wave32)
//	             or i + 8*(l/16%2) + 4*(l/32) (wave64)
//
// Of gfx12 these are the tables "Matrix Element Storage in VGPRs" of AMD's RDNA4
// instruction set manual (7.12.2). They number K within A and B in another order
// than here, one for each size of element, but the same for both, so that no sum
// of products tells.
//
// The numbers are arith_wmma.go's.

// wmmaFormat is the type of a matrix.
type wmmaFormat uint8

const (
	wmmaTypeF32 wmmaFormat = iota
	wmmaTypeF16
	wmmaTypeBF16
	wmmaTypeFP8
	wmmaTypeBF8
	wmmaTypeI32
	wmmaTypeIU8
	wmmaTypeIU4
)

var wmmaFormats = map[string]wmmaFormat{
	"f32": wmmaTypeF32, "f16": wmmaTypeF16, "bf16": wmmaTypeBF16, "fp8": wmmaTypeFP8, "bf8": wmmaTypeBF8,
	"i32": wmmaTypeI32, "iu8": wmmaTypeIU8, "iu4": wmmaTypeIU4,
}

// bits of an element of A or B.
func (f wmmaFormat) bits() int {
	switch f {
	case wmmaTypeF16, wmmaTypeBF16:
		return 16
	case wmmaTypeIU4:
		return 4
	}
	return 8
}

type wmma struct {
	result         wmmaFormat
	formatA        wmmaFormat
	formatB        wmmaFormat
	k              int // 16, or 32 for the long form of iu4
	a, b, c, d     int // first registers; c -1: a constant
	constant       uint32
	high           bool // gfx11, 16-bit results: the upper halves
	signedA        bool
	signedB        bool
	clamp          bool
	target         generation
	halves         int
	registers      int // of C and D
	registersA     int
	dwords         int // of K in a row of A or B
	replicated     bool
	operandA       func(w *wave, first int, o *wmmaOperand)
	operandB       func(w *wave, first int, o *wmmaOperand)
	integer        bool
	sixteenBitWide bool
}

var wmmaName = regexp.MustCompile(`^v_wmma_(f32|f16|bf16|i32)_16x16x(16|32)_(f16|bf16|fp8|bf8|iu8|iu4)(?:_(fp8|bf8))?$`)

func buildWMMA(d *decoded) (func(*wave), error) {
	m := wmmaName.FindStringSubmatch(d.name)
	if m == nil {
		return nil, fmt.Errorf("matrix instruction %s is not modelled", d.name)
	}
	if err := d.want(4); err != nil {
		return nil, err
	}
	v := &wmma{result: wmmaFormats[m[1]], formatA: wmmaFormats[m[3]], k: 16, target: d.target, halves: 1}
	v.formatB = v.formatA
	if m[4] != "" {
		v.formatB = wmmaFormats[m[4]]
	}
	if m[2] == "32" {
		v.k = 32
	}
	if d.wave64 {
		v.halves = 2
	}
	v.integer = v.result == wmmaTypeI32
	v.sixteenBitWide = v.result == wmmaTypeF16 || v.result == wmmaTypeBF16
	if v.k == 32 && v.formatA != wmmaTypeIU4 {
		return nil, fmt.Errorf("matrix instruction %s is not modelled", d.name)
	}
	if err := v.registersOf(d); err != nil {
		return nil, err
	}
	if err := v.modifiers(d); err != nil {
		return nil, err
	}
	if v.integer {
		return v.runInteger, nil
	}
	v.operandA, v.operandB = v.reader(v.formatA), v.reader(v.formatB)
	if v.result == wmmaTypeF32 {
		return v.runF32, nil
	}
	return v.run, nil
}

// registersOf checks the operands' sizes.
func (v *wmma) registersOf(d *decoded) error {
	v.replicated = v.target == gfx11
	v.dwords = v.k * v.formatA.bits() / 32
	v.registersA = v.dwords
	if !v.replicated {
		v.registersA = max(1, v.registersA/(2*v.halves))
	}
	v.registers = 8 / v.halves
	if v.sixteenBitWide && v.target == gfx12 {
		v.registers /= 2
	}
	counts := []int{v.registers, v.registersA, v.registersA, v.registers}
	for i, to := range []*int{&v.d, &v.a, &v.b, &v.c} {
		o := d.operands[i]
		if i == 3 && o.kind == konst {
			t := typeF32
			if v.integer {
				t = typeU32
			} else if v.sixteenBitWide {
				t = typeF16
			}
			c, err := o.value(t)
			if err != nil {
				return err
			}
			if v.result == wmmaTypeBF16 && c != 0 {
				return fmt.Errorf("constant %s as bf16 is not modelled", o.text)
			}
			*to, v.constant = -1, uint32(c)
			continue
		}
		if o.kind != vgpr || o.count != counts[i] || o.neg || o.abs {
			return fmt.Errorf("matrix operand %s does not have %d registers", o.text, counts[i])
		}
		*to = o.reg
	}
	return nil
}

// modifiers: op_sel chooses halves of C and D on gfx11, neg_lo the signs of
// integers. Negated floats are not modelled.
func (v *wmma) modifiers(d *decoded) error {
	s, err := takeSelectors(d)
	if err != nil {
		return err
	}
	if v.target == gfx11 && v.sixteenBitWide {
		v.high = at(s.sel, 2, 0) == 1
		s.sel = nil
	}
	if v.integer {
		v.signedA, v.signedB = at(s.negLo, 0, 0) == 1, at(s.negLo, 1, 0) == 1
		v.clamp = d.mods.flag("clamp")
		s.negLo = nil
	}
	for _, list := range [][]int{s.sel, s.negLo, s.negHi} {
		for _, x := range list {
			if x != 0 {
				return fmt.Errorf("a modifier of this matrix instruction is not modelled")
			}
		}
	}
	return nil
}

// fullExec is a fault unless all lanes are active.
func (w *wave) fullExec() bool {
	if e := w.exec64(); e != w.laneMask() {
		w.fail(PartialExec, -1, "EXEC is 0x%x, it needs all lanes (0x%x)", e, w.laneMask())
		return false
	}
	return true
}

// ready makes the checks that every matrix instruction needs.
func (v *wmma) ready(w *wave) bool {
	return w.fullExec() && (!v.replicated || v.checkReplicated(w, "A", v.a) && v.checkReplicated(w, "B", v.b))
}

// runF32 is run for f32 results, which kernels spend most of their time on.
func (v *wmma) runF32(w *wave) {
	if !v.ready(w) {
		return
	}
	a, b := &w.matrixA, &w.matrixB
	v.operandA(w, v.a, a)
	v.operandB(w, v.b, b)
	constant := splat16(v.constant)
	for row := range 16 {
		reg, lane, _ := v.element(row, 0)
		h, l := lane>>5&1, lane&16
		d := (*[16]uint32)(w.matrixD[h][reg&7][l : l+16])
		c := &constant
		if v.c >= 0 {
			c = (*[16]uint32)(w.v[h][(v.c+reg)&255][l : l+16])
		}
		wmmaRowF32(a, row, b, c, d)
	}
	v.write(w)
}

func splat16(v uint32) [16]uint32 {
	var r [16]uint32
	for i := range r {
		r[i] = v
	}
	return r
}

// wmmaRowF32 is wmmaF32 for a row of D: the common case of its sum, in which
// products have a common unit, without calls.
func wmmaRowF32(a *wmmaOperand, row int, b *wmmaOperand, c, d *[16]uint32) {
	v := &a.rows[row]
	room := exactBits - int(v.high-v.low)
	for column := range d {
		u := &b.rows[column]
		addend := float64(math.Float32frombits(c[column]))
		if v.special || u.special || int(u.high-u.low) > room || addend-addend != 0 {
			d[column] = wmmaF32(a, row, b, column, c[column])
			continue
		}
		products := v.narrowSum(u)
		sum := products + addend
		t := sum - products
		if err := (products - (sum - t)) + (addend - t); err != 0 {
			sum = toOdd(sum, err)
		}
		d[column] = math.Float32bits(float32(sum))
	}
}

// run is for results of 16 bits.
func (v *wmma) run(w *wave) {
	if !v.ready(w) {
		return
	}
	a, b := &w.matrixA, &w.matrixB
	v.operandA(w, v.a, a)
	v.operandB(w, v.b, b)
	out := &w.matrixD
	for h := range v.halves {
		for r := range v.registers {
			out[h][r] = w.v[h][(v.d+r)&255] // on gfx11 the other halves stay
		}
	}
	for row := range 16 {
		for column := range 16 {
			reg, lane, shift := v.element(row, column)
			h, l := lane>>5&1, lane&31
			c := v.constant
			if v.c >= 0 {
				c = w.v[h][(v.c+reg)&255][l] >> shift
			}
			d := &out[h][reg&7][l]
			var r uint16
			if v.result == wmmaTypeF16 {
				r = wmmaF16(a, row, b, column, uint16(c))
			} else {
				r = wmmaBF16(a, row, b, column, uint16(c))
			}
			*d = *d&^(0xffff<<shift) | uint32(r)<<shift
		}
	}
	v.write(w)
}
