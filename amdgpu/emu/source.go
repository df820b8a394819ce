package emu

import "fmt"

// source is a 32-bit operand of a vector instruction, ready to be read.
type source struct {
	kind  operandKind
	mask  bool // one bit a lane, in a scalar register
	plain bool // a whole register as it is
	reg   int
	value *vreg // of a constant
	shift uint8 // 16: the high half
	and   uint32
	xor   uint32
}

// makeSource prepares an operand of a type. high chooses the upper half of a
// 16-bit operand.
func makeSource(o operand, t valueType, high bool) (source, error) {
	s := source{kind: o.kind, reg: o.reg, and: 0xffffffff}
	if o.kind == off {
		return s, fmt.Errorf("%q is no operand here", o.text)
	}
	if (o.neg || o.abs) && !t.float() {
		return s, fmt.Errorf("operand %s: a sign modifier on %v is not modelled", o.text, t)
	}
	if t.bits() == 64 || o.count != 1 && o.kind != special {
		return s, fmt.Errorf("operand %s does not have 32 bits", o.text)
	}
	sign := uint32(signF32)
	if t.bits() == 16 {
		s.and, sign = 0xffff, signF16
		if high || o.half == 2 {
			s.shift = 16
		}
	}
	if o.abs {
		s.and &^= sign
	}
	if o.neg {
		s.xor = sign
	}
	if o.kind == konst {
		raw, err := o.value(t)
		if err != nil {
			return s, err
		}
		// op_sel does not choose a half of a 16-bit constant: there is one
		v := uint32(raw)&s.and ^ s.xor
		s.value = splat(v)
	}
	s.plain = s.kind == vgpr && s.and == 0xffffffff && s.xor == 0
	return s, nil
}

func splat(v uint32) *vreg {
	var r vreg
	for l := range r {
		r[l] = v
	}
	return &r
}

// read gives the 32 values of an operand, in buf unless they lie in a register.
func (s *source) read(w *wave, h int, buf *vreg) *vreg {
	switch {
	case s.plain:
		return &w.v[h][s.reg&255]
	case s.kind == vgpr:
		p := &w.v[h][s.reg&255]
		for l := range buf {
			buf[l] = p[l]>>(s.shift&31)&s.and ^ s.xor
		}
		return buf
	case s.kind == konst:
		return s.value
	case s.mask:
		m := w.mask(s.reg, h)
		for l := range buf {
			buf[l] = m >> (l & 31) & 1
		}
		return buf
	}
	v := s.scalar(w)
	for l := range buf {
		buf[l] = v
	}
	return buf
}

// scalar is the value of an operand that all lanes share.
func (s *source) scalar(w *wave) uint32 {
	switch s.kind {
	case konst:
		return s.value[0]
	case special:
		return uint32(w.special(s.reg))&s.and ^ s.xor
	}
	if s.reg == regNull {
		return s.xor
	}
	return w.s[s.reg&127]>>(s.shift&31)&s.and ^ s.xor
}
