package emit

import (
	"math"

	"kmx/cuda/ptx"
)

// constant is an immediate as the bits of a type, in two's complement of 64
// bits. ok is false where PTX gives the immediate no meaning in the type.
func constant(im *ptx.Immediate, t scalar) (bits int64, ok bool) {
	switch {
	case im.Kind == ptx.Int && t.class == boolean:
		return int64(im.Bits & 1), im.Bits <= 1
	case im.Kind == ptx.Int && t.class == floating && t.bits >= 32:
		return 0, false
	case im.Kind == ptx.Int:
		return cut(im.Bits, t.bits), true
	case im.Kind == ptx.F32 && t.bits == 32 && t.class != pair:
		return cut(im.Bits, 32), true
	case im.Kind == ptx.F32 && t.bits == 64 && t.class == floating:
		return int64(math.Float64bits(float64(math.Float32frombits(uint32(im.Bits))))), true
	case im.Kind == ptx.F64 && t.bits == 64:
		return int64(im.Bits), true
	case im.Kind == ptx.F64 && t.bits == 32 && t.class != pair && t.class != signed && t.class != unsigned:
		return int64(int32(math.Float32bits(float32(math.Float64frombits(im.Bits))))), true
	}
	return 0, false
}

func cut(bits uint64, n int) int64 {
	shift := 64 - n
	return int64(bits<<shift) >> shift
}

// read is an operand as bits of a type: an integer of LLVM of its size.
func (x *instruction) read(op ptx.Operand, t scalar) value {
	switch op := op.(type) {
	case *ptx.Register:
		if v, ok := x.special(op.Name); ok {
			return x.fit(op, v, t)
		}
		r := x.find(op.Name)
		if r == nil {
			x.no("%s is no register that the emitter knows", op.Name)
			return number(t.word(), 0)
		}
		v := x.do(r.typ.word(), "load %s, ptr addrspace(5) %s, align %d", r.typ.word(), r.pointer, max(r.typ.bits/8, 1))
		return x.fit(op, v, t)
	case *ptx.Immediate:
		bits, ok := constant(op, t)
		if !ok {
			x.no("the constant %s for the type .%s", op.Text, t.name)
		}
		if t.class == boolean {
			return []value{no, yes}[bits&1]
		}
		return number(t.word(), bits)
	case *ptx.Negated:
		if op.Sign == '!' && t.class == boolean {
			return x.do("i1", "xor %s, true", x.read(op.Operand, t))
		}
	case *ptx.Symbol:
		return x.fit(op, x.addressOf(op), t)
	}
	x.no("the operand %s is not translated here", x.module.Source(op.Range()))
	return number(t.word(), 0)
}

// fit makes bits of another size those of the type. Sizes must agree except
// where PTX lets registers be wider than the instruction's type.
func (x *instruction) fit(op ptx.Operand, v value, t scalar) value {
	have := bitsOf(v.typ)
	switch {
	case have == t.bits:
		return v
	case have > t.bits && t.bits > 1 && (x.loose || isSpecial(op)):
		return x.do(t.word(), "trunc %s to %s", v, t.word())
	case have < t.bits && have > 1 && isSpecial(op):
		return x.do(t.word(), "zext %s to %s", v, t.word())
	}
	x.no("%s has %d bits, the instruction wants %d", x.module.Source(op.Range()), have, t.bits)
	return number(t.word(), 0)
}

// isSpecial says that an operand is a special register or an address, which are
// read in whatever size is asked for.
func isSpecial(op ptx.Operand) bool {
	switch op := op.(type) {
	case *ptx.Symbol:
		return true
	case *ptx.Register:
		return specials[op.Name] != nil
	}
	return false
}

func bitsOf(typ string) int {
	switch typ {
	case "i1":
		return 1
	case "i8":
		return 8
	case "i16":
		return 16
	case "i64":
		return 64
	}
	return 32
}

// write sets a destination to bits of a type.
func (x *instruction) write(op ptx.Operand, v value, t scalar) {
	switch op := op.(type) {
	case *ptx.Sink:
		return
	case *ptx.Register:
		r := x.find(op.Name)
		if r == nil {
			x.no("%s is no register that may be written", op.Name)
			return
		}
		switch have := r.typ.bits; {
		case have == t.bits:
		case have > t.bits && t.bits > 1 && x.loose && t.class == signed:
			v = x.do(r.typ.word(), "sext %s to %s", v, r.typ.word())
		case have > t.bits && t.bits > 1 && x.loose:
			v = x.do(r.typ.word(), "zext %s to %s", v, r.typ.word())
		default:
			x.no("%s has %d bits, the result %d", op.Name, have, t.bits)
			return
		}
		x.say("store %s, ptr addrspace(5) %s, align %d", v, r.pointer, max(r.typ.bits/8, 1))
	default:
		x.no("the destination %s is not translated", x.module.Source(op.Range()))
	}
}

// arg reads the operand number i, or reports that it is missing.
func (x *instruction) arg(i int, t scalar) value {
	if i >= len(x.in.Operands) {
		x.no("an operand is missing")
		return number(t.word(), 0)
	}
	return x.read(x.in.Operands[i], t)
}

// float reads an operand as a number, flushed where .ftz asks for it and the
// mode of the kernel does not do it.
func (x *instruction) float(i int, t scalar) value {
	return x.flushed(x.toNumber(x.arg(i, t), t), t)
}

func (x *instruction) toNumber(v value, t scalar) value {
	if t.number() == v.typ {
		return v
	}
	return x.do(t.number(), "bitcast %s to %s", v, t.number())
}

func (x *instruction) toWord(v value, t scalar) value {
	if t.word() == v.typ {
		return v
	}
	return x.do(t.word(), "bitcast %s to %s", v, t.word())
}

// flushed is v with denormals made zeros of their sign, where .ftz asks for it
// and the mode of the kernel leaves them alone.
func (x *instruction) flushed(v value, t scalar) value {
	if !x.ftz || t.bits == 64 || t.half() && x.onlySingle || !t.half() && !x.options.Denormals {
		return v
	}
	return x.call(t.number(), "ptx.ftz."+t.suffix(), v)
}

// result writes operand 0. Numbers are flushed as inputs are.
func (x *instruction) result(v value, t scalar) {
	if len(x.in.Operands) == 0 {
		x.no("the destination is missing")
		return
	}
	if t.float() {
		v = x.flushed(v, t)
	}
	x.write(x.in.Operands[0], x.toWord(v, t), t)
}

// count checks the number of operands.
func (x *instruction) count(n int) bool {
	if len(x.in.Operands) != n {
		x.no("%d operands, where the emitter knows the form with %d", len(x.in.Operands), n)
		return false
	}
	return true
}
