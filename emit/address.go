package emit

import (
	"fmt"

	"kmx/cuda/ptx"
)

// Addresses of operands: symbols and registers, in the state space that an
// instruction names.

// place is a pointer of LLVM for an address.
type place struct {
	value
	invariant bool // a kernel parameter
}

// locate makes the pointer of an address in a space.
func (x *instruction) locate(op ptx.Operand, name string) (place, bool) {
	a, ok := op.(*ptx.Address)
	if !ok || len(a.More) > 0 {
		x.no("the address %s is not translated", x.module.Source(op.Range()))
		return place{}, false
	}
	offset := a.Offset
	switch base := a.Base.(type) {
	case *ptx.Symbol:
		s := x.lookup(base.Name)
		if s == nil {
			x.no("%s is nothing that the emitter knows", base.Name)
			return place{}, false
		}
		if name == "" && s.space.name == "global" {
			name = "global"
		}
		isParam := x.isParameter(base.Name)
		if isParam != (name == "param") || !isParam && s.space.name != name {
			x.no("%s lies in another state space than the instruction says", base.Name)
			return place{}, false
		}
		offset += base.Offset + int64(s.offset)
		p := place{value: value{s.space.pointer(), s.pointer}, invariant: s.fresh}
		if offset != 0 {
			p.value = x.do(p.typ, "getelementptr i8, %s, i64 %d", p.value, offset)
		}
		return p, true
	case *ptx.Register:
		sp := spaces["generic"]
		switch name {
		case "param":
			if !x.fn.Entry {
				x.no("a parameter of a function by address")
				return place{}, false
			}
			sp = spaces["const"]
		case "":
		default:
			sp = spaces[name]
		}
		p := place{value: x.pointer(base, sp), invariant: name == "param"}
		if offset != 0 {
			p.value = x.do(p.typ, "getelementptr i8, %s, i%d %d", p.value, sp.bits, offset)
		}
		return p, true
	}
	x.no("the address %s is not translated", x.module.Source(op.Range()))
	return place{}, false
}

// isParameter says whether a name is that of a parameter or of a .param variable
// of a call.
func (x *instruction) isParameter(name string) bool {
	for s := x.scope; s != nil; s = s.outer {
		if y, ok := s.symbols[name]; ok {
			return y != nil && y.param
		}
	}
	return x.params[name] != nil
}

// pointer is a register as a pointer into a space. Addresses of shared and local
// memory may be in registers of 32 or 64 bits.
func (x *instruction) pointer(r *ptx.Register, sp space) value {
	wide := scalars["b64"]
	if reg := x.find(r.Name); reg != nil && reg.typ.bits == 32 && sp.bits == 32 {
		wide = scalars["b32"]
	}
	v := x.read(r, wide)
	if wide.bits > sp.bits {
		v = x.do("i32", "trunc %s to i32", v)
	}
	return x.do(sp.pointer(), "inttoptr %s to %s", v, sp.pointer())
}

// addressOf is the address of a symbol in its own space, as an integer of 64
// bits.
func (x *instruction) addressOf(op *ptx.Symbol) value {
	s := x.lookup(op.Name)
	if s == nil {
		x.no("%s is nothing whose address the emitter knows", op.Name)
		return number("i64", 0)
	}
	if s.param && !s.fresh {
		x.no("the address of the parameter %s of a function", op.Name)
	}
	p := value{s.space.pointer(), s.pointer}
	if offset := op.Offset + int64(s.offset); offset != 0 {
		p = x.do(p.typ, "getelementptr i8, %s, i64 %d", p, offset)
	}
	v := x.do(fmt.Sprint("i", s.space.bits), "ptrtoint %s to i%d", p, s.space.bits)
	if s.space.bits == 32 {
		v = x.do("i64", "zext %s to i64", v)
	}
	return v
}
