package emu

import (
	"fmt"
	"math/bits"
)

// wideSource is an operand of an instruction in which some operand has 64 bits.
type wideSource struct {
	kind  operandKind
	reg   int
	wide  bool // two registers
	mask  bool
	value uint64
	shift uint8
	and   uint64
	xor   uint64
}

func makeWideSource(o operand, t valueType) (wideSource, error) {
	s := wideSource{kind: o.kind, reg: o.reg, wide: t.bits() == 64, and: 1<<64 - 1}
	want := 1
	if s.wide {
		want = 2
	}
	switch {
	case o.kind == off:
		return s, fmt.Errorf("%q is no operand here", o.text)
	case (o.kind == vgpr || o.kind == sgpr && o.reg != regNull) && o.count != want:
		return s, fmt.Errorf("operand %s does not have the %d bits of %v", o.text, t.bits(), t)
	case (o.neg || o.abs) && !t.float():
		return s, fmt.Errorf("operand %s: a sign modifier on %v is not modelled", o.text, t)
	}
	if !s.wide {
		s.and = 1<<t.bits() - 1
	}
	if o.half == 2 {
		s.shift = 16
	}
	sign := uint64(1) << (t.bits() - 1)
	if o.abs {
		s.and &^= sign
	}
	if o.neg {
		s.xor = sign
	}
	if o.kind == konst {
		v, err := o.value(t)
		if err != nil {
			return s, err
		}
		s.value = v&s.and ^ s.xor
	}
	return s, nil
}

func (s *wideSource) read(w *wave, h int, buf *[32]uint64) {
	switch {
	case s.kind == vgpr && s.wide:
		lo, hi := &w.v[h][s.reg&255], &w.v[h][(s.reg+1)&255]
		for l := range buf {
			buf[l] = (uint64(lo[l])|uint64(hi[l])<<32)&s.and ^ s.xor
		}
	case s.kind == vgpr:
		r := &w.v[h][s.reg&255]
		for l := range buf {
			buf[l] = uint64(r[l]>>(s.shift&31))&s.and ^ s.xor
		}
	case s.mask:
		m := w.mask(s.reg, h)
		for l := range buf {
			buf[l] = uint64(m >> (l & 31) & 1)
		}
	default:
		v := s.scalar(w)
		for l := range buf {
			buf[l] = v
		}
	}
}

func (s *wideSource) scalar(w *wave) uint64 {
	switch {
	case s.kind == konst:
		return s.value
	case s.kind == special:
		return w.special(s.reg)&s.and ^ s.xor
	case s.reg == regNull:
		return s.xor
	case s.wide:
		return w.get64(s.reg)&s.and ^ s.xor
	}
	return uint64(w.s[s.reg&127]>>(s.shift&31))&s.and ^ s.xor
}

// wide is a vector instruction with 64-bit operands or results.
type wide struct {
	f   lane64
	n   int
	src [3]wideSource
	dst int
	finish
}

func buildWide(d *decoded, spec *valuSpec) (func(*wave), error) {
	ops := d.operands
	if spec.fused && len(ops) == len(spec.src) {
		ops = append(ops[:len(ops):len(ops)], ops[0])
	}
	if len(ops) != len(spec.src)+1 {
		return nil, d.want(len(spec.src) + 1)
	}
	v := &wide{f: spec.g, n: len(spec.src)}
	sel, err := d.mods.list("op_sel")
	if err != nil {
		return nil, err
	}
	for i, t := range spec.src {
		if i < len(sel) && sel[i] == 1 {
			if t.bits() != 16 || ops[i+1].kind != vgpr {
				return nil, fmt.Errorf("op_sel on a %v operand is not modelled", t)
			}
			ops[i+1].half = 2
		}
		if v.src[i], err = makeWideSource(ops[i+1], t); err != nil {
			return nil, err
		}
	}
	want := (spec.dst.bits() + 31) / 32
	if o := ops[0]; o.kind != vgpr || o.count != want || o.neg || o.abs || o.half != 0 {
		return nil, fmt.Errorf("destination %s is not modelled", o.text)
	}
	v.dst, v.typ = ops[0].reg, spec.dst
	if err := v.outputModifiers(d); err != nil {
		return nil, err
	}
	return v.run, nil
}

func (v *wide) run(w *wave) {
	for h := range w.halves {
		exec := w.exec(h)
		if exec == 0 {
			continue
		}
		for i := range v.n {
			v.src[i].read(w, h, &w.wide[i])
		}
		lo, hi := &w.v[h][v.dst&255], &w.v[h][(v.dst+1)&255]
		for rest := exec; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			r := v.f(w.mode, w.wide[0][l], w.wide[1][l], w.wide[2][l])
			switch v.typ {
			case typeF64:
				r = v.finish64(w, r)
			case typeF32:
				r = uint64(v.finish32(w, uint32(r)))
			}
			lo[l] = uint32(r)
			if v.typ.bits() == 64 {
				hi[l] = uint32(r >> 32)
			}
		}
	}
}

func (f *finish) finish64(w *wave, x uint64) uint64 {
	x = w.mode.omodF64(x, f.omod)
	if f.clamp {
		x = w.mode.clampF64(x)
	}
	return x
}

func (f *finish) finish32(w *wave, x uint32) uint32 {
	x = w.mode.omodF32(x, f.omod)
	if f.clamp {
		x = w.mode.clampF32(x)
	}
	return x
}
