package emu

import "fmt"

// Dot products of packed operands. Their operands have no type of their own for
// modifiers; only the plain forms are modelled.

var dotTable = map[string]valuSpec{
	"v_dot2_f32_f16":  word3(nil).with(dot2F32F16),
	"v_dot2_f32_bf16": word3(nil).with(dot2F32BF16),
	"v_dot2_f16_f16": {dst: typeF16, src: []valueType{typeU32, typeU32, typeU16}, f: func(m fpMode, a, b, c uint32) uint32 {
		return uint32(dot2F16F16(m, a, b, uint16(c)))
	}},
	"v_dot2_bf16_bf16": {dst: typeU16, src: []valueType{typeU32, typeU32, typeU16}, f: func(m fpMode, a, b, c uint32) uint32 {
		return uint32(dot2BF16BF16(m, a, b, uint16(c)))
	}},
	"v_dot2c_f32_f16":    fusedTo(word3(nil).with(dot2F32F16)),
	"v_dot2acc_f32_f16":  fusedTo(word3(nil).with(dot2F32F16)),
	"v_dot4_f32_fp8_fp8": word3(nil).with(func(m fpMode, a, b, c uint32) uint32 { return dot4F32(m, false, false, a, b, c) }),
	"v_dot4_f32_fp8_bf8": word3(nil).with(func(m fpMode, a, b, c uint32) uint32 { return dot4F32(m, false, true, a, b, c) }),
	"v_dot4_f32_bf8_fp8": word3(nil).with(func(m fpMode, a, b, c uint32) uint32 { return dot4F32(m, true, false, a, b, c) }),
	"v_dot4_f32_bf8_bf8": word3(nil).with(func(m fpMode, a, b, c uint32) uint32 { return dot4F32(m, true, true, a, b, c) }),
	"v_dot4_u32_u8":      word3(func(a, b, c uint32) uint32 { return byteDot(a, b, 8, false, false, c, false) }),
	"v_dot8_u32_u4":      word3(func(a, b, c uint32) uint32 { return byteDot(a, b, 4, false, false, c, false) }),
}

// with puts a function in a row.
func (s valuSpec) with(f lane32) valuSpec {
	s.f = f
	return s
}

// byteDot is a dot product of the elements of two words.
func byteDot(a, b uint32, bits int, aSigned, bSigned bool, c uint32, clamp bool) uint32 {
	var x, y [8]uint8
	n := 32 / bits
	for i := range n {
		x[i], y[i] = uint8(a>>(i*bits))&uint8(1<<bits-1), uint8(b>>(i*bits))&uint8(1<<bits-1)
	}
	return integerDot(x[:n], y[:n], bits, aSigned, bSigned, c, clamp)
}

// buildDot makes the rows above, and the integer products whose operands are
// signed where neg_lo says so.
func buildDot(d *decoded) (run func(*wave), known bool, err error) {
	spec, ok := dotTable[d.name]
	if !ok {
		bits := map[string]int{"v_dot4_i32_iu8": 8, "v_dot8_i32_iu4": 4}[d.name]
		if bits == 0 {
			return nil, false, nil
		}
		negLo, err := d.mods.list("neg_lo")
		if err != nil {
			return nil, true, err
		}
		a, b, clamp := at(negLo, 0, 0) == 1, at(negLo, 1, 0) == 1, d.mods.flag("clamp")
		spec = word3(func(x, y, c uint32) uint32 { return byteDot(x, y, bits, a, b, c, clamp) })
	}
	for _, name := range []string{"op_sel_hi"} { // the default is to take all
		list, err := d.mods.list(name)
		if err != nil {
			return nil, true, err
		}
		for i := range 2 {
			if at(list, i, 1) != 1 {
				return nil, true, fmt.Errorf("op_sel_hi of a dot product is not modelled")
			}
		}
	}
	run, err = buildVALU(d, &spec)
	return run, true, err
}
