package tex

import (
	"fmt"
	"slices"

	"kmx/cuda/ptx"
)

// reason is why something is not what a recipe can rewrite, and the statement
// that shows it; the zero reason is none.
type reason struct {
	text string
	at   *ptx.Instruction
}

func because(at *ptx.Instruction, format string, a ...any) reason {
	return reason{fmt.Sprintf(format, a...), at}
}

// isHalf says why s, as add reads it, is not one half with the sign that x has
// there.
//
// It is when s comes, over copies, from a form A or B whose argument comes, over
// copies, from the same definitions as x, and when those instructions always
// run between such a definition and add: then all of them saw the same x, in
// loops too.
func (e *editor) isHalf(add *ptx.Instruction, s, x string) reason {
	s, last, chain, why := e.copies(add, s)
	if why.text != "" {
		return why
	}
	def, why := e.single(last, s)
	if why.text != "" {
		return why
	}
	var sign string // the register whose sign is taken, as def reads it
	switch def.Opcode {
	case "copysign.f32":
		if c, ok := e.constant(def, 2); !ok || c != half {
			return because(def, "the copysign in line %d does not make one half", e.line(def))
		}
		r, ok := e.reg(def, 1)
		if !ok {
			return because(def, "the copysign in line %d takes no register", e.line(def))
		}
		sign = r
		chain = append(chain, def)
	case "or.b32":
		masked, ok := e.withConstant(def, half)
		if !ok {
			return because(def, "the or in line %d does not put in one half", e.line(def))
		}
		chain = append(chain, def)
		var more []*ptx.Instruction
		masked, last, more, why = e.copies(def, masked)
		if why.text != "" {
			return why
		}
		chain = append(chain, more...)
		if def, why = e.single(last, masked); why.text != "" {
			return why
		}
		if def.Opcode != "and.b32" {
			return because(def, "%s in line %d, not and.b32, gives the sign", def.Opcode, e.line(def))
		}
		if sign, ok = e.withConstant(def, signBit); !ok {
			return because(def, "the and in line %d does not take the sign", e.line(def))
		}
		chain = append(chain, def)
	default:
		return because(def, "%s of line %d makes %s, neither of the two forms of one half with a sign", def.Opcode, e.line(def), s)
	}
	sign, signUse, more, why := e.copies(def, sign)
	if why.text != "" {
		return why
	}
	chain = append(chain, more...)
	x, xUse, xChain, why := e.copies(add, x)
	if why.text != "" {
		return why
	}
	from := e.flow.ReachingDefs(signUse, sign)
	if sign != x || len(from) == 0 || !sameSet(from, e.flow.ReachingDefs(xUse, x)) {
		return because(def, "the sign in line %d is not that of the number it is added to", e.line(def))
	}
	for _, c := range [][]*ptx.Instruction{chain, xChain} {
		if why := e.always(from, c, add); why.text != "" {
			return why
		}
	}
	return reason{}
}

// maxCopies bounds how many copies are followed; more than a compiler writes.
const maxCopies = 8

// copies follows a register from where use reads it back over unconditional
// copies. It returns the register at the other end, the instruction that reads
// it there, and the copies, last first.
func (e *editor) copies(use *ptx.Instruction, reg string) (string, *ptx.Instruction, []*ptx.Instruction, reason) {
	var chain []*ptx.Instruction
	for range maxCopies {
		defs := e.flow.ReachingDefs(use, reg)
		if len(defs) != 1 || defs[0].Guard != nil || !isCopy(defs[0]) {
			return reg, use, chain, reason{}
		}
		from, ok := e.reg(defs[0], 1)
		if !ok {
			return reg, use, chain, reason{}
		}
		chain = append(chain, defs[0])
		use, reg = defs[0], from
	}
	return "", nil, nil, because(use, "more than %d copies lead to line %d", maxCopies, e.line(use))
}

// isCopy reports whether an instruction copies one 32-bit register to another.
func isCopy(in *ptx.Instruction) bool {
	switch in.Opcode {
	case "mov.b32", "mov.u32", "mov.s32", "mov.f32":
		return len(in.Operands) == 2
	}
	return false
}

// single is the one instruction that sets reg as use reads it.
func (e *editor) single(use *ptx.Instruction, reg string) (*ptx.Instruction, reason) {
	defs := e.flow.ReachingDefs(use, reg)
	if len(defs) == 0 {
		return nil, because(use, "nothing sets %s before line %d", reg, e.line(use))
	}
	if len(defs) > 1 {
		return nil, because(defs[1], "%s comes from %s", reg, plural(len(defs), "place"))
	}
	if defs[0].Guard != nil {
		return nil, because(defs[0], "%s is set under a guard in line %d", reg, e.line(defs[0]))
	}
	return defs[0], reason{}
}

// constant is the value of an operand that is a constant, or a register that is
// set to one.
func (e *editor) constant(in *ptx.Instruction, i int) (uint32, bool) {
	if i >= len(in.Operands) {
		return 0, false
	}
	o := in.Operands[i]
	if r, ok := o.(*ptx.Register); ok {
		reg, use, _, why := e.copies(in, e.flow.Name(r))
		if why.text != "" {
			return 0, false
		}
		def, why := e.single(use, reg)
		if why.text != "" || !isCopy(def) {
			return 0, false
		}
		o = def.Operands[1]
	}
	c, ok := o.(*ptx.Immediate)
	if !ok || c.Kind == ptx.F64 {
		return 0, false
	}
	return uint32(c.Bits), true
}

// withConstant is the register that an instruction combines with a constant.
func (e *editor) withConstant(in *ptx.Instruction, want uint32) (string, bool) {
	for i := 1; i <= 2; i++ {
		if c, ok := e.constant(in, i); ok && c == want {
			return e.reg(in, 3-i)
		}
	}
	return "", false
}

// always says why control could reach add from one of from without running
// every instruction of chain (last first) in turn.
func (e *editor) always(from, chain []*ptx.Instruction, add *ptx.Instruction) reason {
	for _, via := range slices.Backward(chain) {
		if e.bypasses(from, via, add) {
			return because(via, "line %d does not always run before it", e.line(via))
		}
		from = []*ptx.Instruction{via}
	}
	return reason{}
}

func sameSet(a, b []*ptx.Instruction) bool {
	for _, in := range a {
		if !contains(b, in) {
			return false
		}
	}
	return len(a) == len(b)
}

// line is the line that an instruction begins in.
func (k *kernel) line(in *ptx.Instruction) int {
	n, _ := k.m.Line(in.Start)
	return n
}
