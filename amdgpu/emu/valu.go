package emu

import (
	"fmt"
	"math/bits"
)

// A lane function computes one lane of a vector instruction. Operands come with
// their modifiers applied; 16-bit ones in the low bits.
type (
	lane32 func(m fpMode, a, b, c uint32) uint32
	lane64 func(m fpMode, a, b, c uint64) uint64
)

// valuSpec is a row of an instruction table.
type valuSpec struct {
	dst    valueType
	src    []valueType
	f      lane32 // when no operand has 64 bits
	g      lane64
	approx approximation
	sat    lane32 // with the clamp modifier, where that saturates
	fused  bool   // the destination is the last source too
	// byteSelect: byte_sel picks a byte of the operand
	byteSelect bool
}

// An approximation is a function of one operand that the hardware computes to
// about an ulp; Launch.ULP moves its results.
type approximation func(m fpMode, x uint32, ulp int) uint32

// valu is a vector instruction without 64-bit operands.
type valu struct {
	f      lane32
	approx approximation // in place of f
	n      int           // sources
	src    [3]source
	dst    int
	dpp    *dpp
	finish
}

func (v *valu) run(w *wave) {
	for h := range w.halves {
		exec := w.exec(h)
		if exec == 0 {
			continue
		}
		d := &w.out[0]
		exec = v.compute(w, h, exec, d)
		v.write(w, h, exec, d)
	}
}

// compute leaves results in d and returns the lanes that may be written.
func (v *valu) compute(w *wave, h int, exec uint32, d *vreg) uint32 {
	var a, b, c *vreg
	a, b, c = &w.tmp[0], &w.tmp[1], &w.tmp[2]
	if v.dpp != nil {
		exec = v.dpp.read(w, h, exec, &v.src[0], a)
	} else if v.n > 0 {
		a = v.src[0].read(w, h, a)
	}
	if v.n > 1 {
		b = v.src[1].read(w, h, b)
	}
	if v.n > 2 {
		c = v.src[2].read(w, h, c)
	}
	f, m := v.f, w.mode
	if v.approx != nil {
		for rest := exec; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			d[l] = v.approx(m, a[l], w.group.ulp)
		}
	} else if exec == allLanes {
		for l := range d {
			d[l] = f(m, a[l], b[l], c[l])
		}
	} else {
		for rest := exec; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			d[l] = f(m, a[l], b[l], c[l])
		}
	}
	if !v.trivial() {
		v.apply(w, d)
	}
	return exec
}

// write merges results into the destination register.
func (v *valu) write(w *wave, h int, exec uint32, d *vreg) {
	r := &w.v[h][v.dst&255]
	if v.typ.bits() == 16 {
		shift, keep := 0, uint32(0xffff0000)
		if v.high {
			shift, keep = 16, 0xffff
		}
		for rest := exec; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			r[l] = r[l]&keep | d[l]&0xffff<<(shift&31)
		}
		return
	}
	store(r, d, exec)
}

// store writes the active lanes of a register.
func store(r, d *vreg, exec uint32) {
	if exec == allLanes {
		*r = *d
		return
	}
	for rest := exec; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest) & 31
		r[l] = d[l]
	}
}

// buildVALU makes an instruction of a table row.
func buildVALU(d *decoded, spec *valuSpec) (func(*wave), error) {
	if spec.g != nil {
		return buildWide(d, spec)
	}
	v, err := makeVALU(d, spec)
	if err != nil {
		return nil, err
	}
	return v.run, nil
}

func makeVALU(d *decoded, spec *valuSpec) (*valu, error) {
	ops := d.operands
	if spec.fused {
		if len(ops) == len(spec.src) {
			ops = append(ops[:len(ops):len(ops)], ops[0])
		}
	}
	if len(ops) != len(spec.src)+1 {
		return nil, d.want(len(spec.src) + 1)
	}
	v := &valu{f: spec.f, approx: spec.approx, n: len(spec.src)}
	sel, err := d.mods.list("op_sel")
	if err != nil {
		return nil, err
	}
	if spec.sat != nil && d.mods.flag("clamp") {
		v.f = spec.sat
	}
	for i, t := range spec.src {
		high := i < len(sel) && sel[i] == 1
		if high && t.bits() != 16 && !spec.byteSelect {
			return nil, fmt.Errorf("op_sel on a %v operand is not modelled", t)
		}
		if v.src[i], err = makeSource(ops[i+1], t, high); err != nil {
			return nil, err
		}
		if ops[i+1].half != 0 && t.bits() != 16 {
			return nil, fmt.Errorf("operand %s: half a register as %v", ops[i+1].text, t)
		}
	}
	if spec.byteSelect {
		if err := v.selectByte(d, sel); err != nil {
			return nil, err
		}
		sel = nil
	}
	if err := v.destination(ops[0], spec.dst); err != nil {
		return nil, err
	}
	v.high = v.high || len(sel) > len(spec.src) && sel[len(spec.src)] == 1 || spec.fused && len(sel) == len(spec.src) && sel[len(sel)-1] == 1 && spec.dst.bits() == 16
	if v.high && spec.dst.bits() != 16 {
		return nil, fmt.Errorf("op_sel on a %v result is not modelled", spec.dst)
	}
	if err := v.outputModifiers(d); err != nil {
		return nil, err
	}
	v.dpp, err = makeDPP(d)
	if err == nil && v.dpp != nil && v.src[0].kind != vgpr {
		err = fmt.Errorf("DPP on operand %s, which is no vector register", ops[1].text)
	}
	return v, err
}

// selectByte: byte_sel:N, or op_sel in older text, picks a byte of operand 0.
func (v *valu) selectByte(d *decoded, sel []int) error {
	n, err := d.mods.number("byte_sel")
	if err != nil {
		return err
	}
	if len(sel) >= 2 { // op_sel[0] has weight 2, op_sel[1] weight 1
		n = 2*sel[0] + sel[1]
	}
	if n < 0 || n > 3 || n != 0 && v.src[0].kind != vgpr {
		return fmt.Errorf("byte %d of this operand is not modelled", n)
	}
	v.src[0].shift, v.src[0].and, v.src[0].plain = uint8(8*n), 0xff, false
	return nil
}

// destination checks and takes the result register.
func (v *valu) destination(o operand, t valueType) error {
	if o.kind != vgpr || o.count != 1 || o.neg || o.abs || o.half != 0 && t.bits() != 16 {
		return fmt.Errorf("destination %s is not modelled", o.text)
	}
	v.dst, v.typ, v.high = o.reg, t, o.half == 2
	return nil
}
