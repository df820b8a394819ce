package emu

import (
	"fmt"
	"math/bits"
	"strings"
)

// scalarSpec is a row of the table of scalar ALU instructions. Operands come as
// 64 bits; f returns the result and may set SCC and EXEC.
type scalarSpec struct {
	dst   valueType // typeNone: no result
	src   []valueType
	f     func(w *wave, a, b, c uint64) uint64
	fused bool // the destination is the last source too
}

type scalar struct {
	f   func(w *wave, a, b, c uint64) uint64
	n   int
	src [3]wideSource
	dst int
	out valueType
}

func buildScalar(d *decoded, spec *scalarSpec) (func(*wave), error) {
	ops := d.operands
	s := &scalar{f: spec.f, n: len(spec.src), out: spec.dst}
	want := len(spec.src)
	if spec.dst != typeNone {
		want++
		if spec.fused {
			want--
		}
	}
	if err := d.want(want); err != nil {
		return nil, err
	}
	if spec.dst != typeNone {
		o, n := ops[0], (spec.dst.bits()+31)/32
		if o.kind != sgpr || o.count != n && o.reg != regNull {
			return nil, fmt.Errorf("destination %s is not modelled", o.text)
		}
		s.dst = o.reg
		if !spec.fused {
			ops = ops[1:]
		} else {
			ops = append(ops[1:len(ops):len(ops)], ops[0])
		}
	}
	for i, t := range spec.src {
		if ops[i].kind == vgpr || ops[i].neg || ops[i].abs {
			return nil, fmt.Errorf("operand %s of a scalar instruction", ops[i].text)
		}
		var err error
		if s.src[i], err = makeWideSource(ops[i], t); err != nil {
			return nil, err
		}
	}
	return s.run, nil
}

func (s *scalar) run(w *wave) {
	var v [3]uint64
	for i := range s.n {
		v[i] = s.src[i].scalar(w)
	}
	r := s.f(w, v[0], v[1], v[2])
	switch {
	case s.out == typeNone:
	case s.out.bits() == 64:
		w.set64(s.dst, r)
	default:
		w.set32(s.dst, uint32(r))
	}
}

// scalarTable is filled by the groups below.
var scalarTable = map[string]*scalarSpec{}

var (
	u32x1 = []valueType{typeU32}
	u32x2 = []valueType{typeU32, typeU32}
	u64x1 = []valueType{typeU64}
	u64x2 = []valueType{typeU64, typeU64}
)

func init() {
	logic := map[string]func(a, b uint64) uint64{
		"s_and": func(a, b uint64) uint64 { return a & b }, "s_or": func(a, b uint64) uint64 { return a | b },
		"s_xor": func(a, b uint64) uint64 { return a ^ b }, "s_nand": func(a, b uint64) uint64 { return ^(a & b) },
		"s_nor": func(a, b uint64) uint64 { return ^(a | b) }, "s_xnor": func(a, b uint64) uint64 { return ^(a ^ b) },
		"s_and_not1": func(a, b uint64) uint64 { return a &^ b }, "s_or_not1": func(a, b uint64) uint64 { return a | ^b },
	}
	for name, f := range logic {
		scalarTable[name+"_b32"] = &scalarSpec{dst: typeU32, src: u32x2, f: nonZero(32, f)}
		scalarTable[name+"_b64"] = &scalarSpec{dst: typeU64, src: u64x2, f: nonZero(64, f)}
	}
	for name, f := range map[string]func(s0, exec uint64) uint64{
		"and": func(a, e uint64) uint64 { return a & e }, "or": func(a, e uint64) uint64 { return a | e },
		"xor": func(a, e uint64) uint64 { return a ^ e }, "nand": func(a, e uint64) uint64 { return ^(a & e) },
		"nor": func(a, e uint64) uint64 { return ^(a | e) }, "xnor": func(a, e uint64) uint64 { return ^(a ^ e) },
		"and_not0": func(a, e uint64) uint64 { return ^a & e }, "or_not0": func(a, e uint64) uint64 { return ^a | e },
		"and_not1": func(a, e uint64) uint64 { return a &^ e }, "or_not1": func(a, e uint64) uint64 { return a | ^e },
	} {
		scalarTable["s_"+name+"_saveexec_b32"] = &scalarSpec{dst: typeU32, src: u32x1, f: saveExec(32, f, false)}
		scalarTable["s_"+name+"_saveexec_b64"] = &scalarSpec{dst: typeU64, src: u64x1, f: saveExec(64, f, false)}
		if strings.HasPrefix(name, "and_not") {
			scalarTable["s_"+name+"_wrexec_b32"] = &scalarSpec{dst: typeU32, src: u32x1, f: saveExec(32, f, true)}
			scalarTable["s_"+name+"_wrexec_b64"] = &scalarSpec{dst: typeU64, src: u64x1, f: saveExec(64, f, true)}
		}
	}
	compares := map[string]outcomes{"eq": equal, "lg": less | greater, "gt": greater, "ge": greater | equal, "lt": less, "le": less | equal}
	for name, want := range compares {
		signed := func(w *wave, a, b, _ uint64) uint64 {
			w.setSCC(integerOrder(int64(int32(a)), int64(int32(b)))&want != 0)
			return 0
		}
		unsigned := func(w *wave, a, b, _ uint64) uint64 { w.setSCC(integerOrder(a, b)&want != 0); return 0 }
		scalarTable["s_cmp_"+name+"_i32"] = &scalarSpec{src: u32x2, f: signed}
		scalarTable["s_cmp_"+name+"_u32"] = &scalarSpec{src: u32x2, f: unsigned}
		scalarTable["s_cmpk_"+name+"_i32"] = &scalarSpec{src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return signed(w, a, imm16(b), 0) }}
		scalarTable["s_cmpk_"+name+"_u32"] = &scalarSpec{src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 { return unsigned(w, a, b&0xffff, 0) }}
		if name == "eq" || name == "lg" {
			scalarTable["s_cmp_"+name+"_u64"] = &scalarSpec{src: u64x2, f: unsigned}
		}
	}
	for name, spec := range scalarRows {
		scalarTable[name] = &spec
	}
}

// imm16 extends the sign of a 16-bit immediate.
func imm16(v uint64) uint64 { return uint64(uint32(int32(int16(v)))) }

// nonZero makes an operation that sets SCC when its result is not 0.
func nonZero(width int, f func(a, b uint64) uint64) func(*wave, uint64, uint64, uint64) uint64 {
	keep := uint64(1<<width - 1)
	if width == 64 {
		keep = 1<<64 - 1
	}
	return func(w *wave, a, b, _ uint64) uint64 {
		r := f(a, b) & keep
		w.setSCC(r != 0)
		return r
	}
}

func saveExec(width int, f func(s0, exec uint64) uint64, write bool) func(*wave, uint64, uint64, uint64) uint64 {
	return func(w *wave, a, _, _ uint64) uint64 {
		var old, r uint64
		if width == 32 {
			old = uint64(w.s[regExec])
			r = f(a, old) & allLanes
			w.s[regExec] = uint32(r)
		} else {
			old = w.get64(regExec)
			r = f(a, old)
			w.set64(regExec, r)
		}
		w.setSCC(r != 0)
		if write {
			return r
		}
		return old
	}
}

func addSCC(w *wave, a, b, in uint64) uint64 {
	sum := a&allLanes + b&allLanes + in
	w.setSCC(sum>>32 != 0)
	return sum
}

func subSCC(w *wave, a, b, in uint64) uint64 {
	r := a&allLanes - b&allLanes - in
	w.setSCC(r>>32 != 0)
	return r
}

func addSigned(w *wave, a, b, _ uint64) uint64 {
	sum := int64(int32(a)) + int64(int32(b))
	w.setSCC(sum != int64(int32(sum)))
	return uint64(sum)
}

func subSigned(w *wave, a, b, _ uint64) uint64 {
	r := int64(int32(a)) - int64(int32(b))
	w.setSCC(r != int64(int32(r)))
	return uint64(r)
}

func scalarMin(w *wave, a, b uint64, first bool) uint64 {
	w.setSCC(first)
	if first {
		return a
	}
	return b
}

// shifted makes s_lshlN_add_u32.
func shifted(n int) scalarSpec {
	return scalarSpec{dst: typeU32, src: u32x2, f: func(w *wave, a, b, _ uint64) uint64 {
		sum := a<<n + b
		w.setSCC(sum>>32 != 0)
		return sum
	}}
}

// field is bits [offset, offset+width) of v: an operand with the offset in its
// low bits and the width from bit 16.
func field(v, control uint64, width int, signed bool) uint64 {
	offset, n := control&uint64(width-1), control>>16&0x7f
	if n == 0 {
		return 0
	}
	n = min(n, uint64(width)-offset)
	if signed {
		return uint64(int64(v<<(64-offset-n)) >> (64 - n))
	}
	return v << (64 - offset - n) >> (64 - n)
}

// firstBit counts from one side; none gives -1.
func firstBit(n, width int) uint64 {
	if n >= width {
		return allLanes
	}
	return uint64(n)
}

// signRun counts the bits that equal the sign before the first that differs; -1
// when all do.
func signRun(v int64, width int) uint64 {
	v <<= 64 - width
	if v < 0 {
		v = ^v
	}
	return firstBit(bits.LeadingZeros64(uint64(v)), width)
}

func quads(v uint64, whole bool) uint64 {
	var r uint64
	for q := range 16 {
		if v>>(4*q)&15 != 0 {
			if whole {
				r |= 15 << (4 * q)
			} else {
				r |= 1 << q
			}
		}
	}
	return r
}
