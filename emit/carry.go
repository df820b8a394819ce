package emit

import "fmt"

// Extended-precision arithmetic through the condition code, a bit that .cc
// instructions set: the carry of additions, the borrow of subtractions.
var carryOperations = map[string]func(*instruction){
	"addc": func(x *instruction) { x.carrying("add", true) },
	"subc": func(x *instruction) { x.carrying("sub", true) },
	"madc": func(x *instruction) {
		part := x.one("lo", "hi")
		if part == "" {
			x.no("madc without .lo or .hi")
			return
		}
		x.multiplyCarry(part, true)
	},
}

const carryTypes = "u32 s32 u64 s64"

// condition is the place of the condition code.
func (x *instruction) condition() *register {
	outer := x.scope
	for outer.outer != nil {
		outer = outer.outer
	}
	const name = ".cc" // no PTX name begins with a dot
	if outer.registers[name] == nil {
		outer.registers[name] = x.register("cc", scalars["pred"])
	}
	return outer.registers[name]
}

// carrying is add, sub, addc and subc with .cc, and addc and subc without.
func (x *instruction) carrying(op string, in bool) {
	out := !in || x.flag("cc")
	t := x.typ(carryTypes)
	if x.count(3) {
		x.result(x.withCarry(op, t, x.arg(1, t), x.arg(2, t), in, out), t)
	}
}

// withCarry adds or subtracts two numbers and, with in, the condition code;
// with out it sets that.
func (x *instruction) withCarry(op string, t scalar, a, b value, in, out bool) value {
	cc := x.condition()
	both := fmt.Sprintf("{ %s, i1 }", t.word())
	name := fmt.Sprintf("llvm.u%s.with.overflow.%s", op, t.word())
	r := x.call(both, name, a, b)
	sum := x.do(t.word(), "extractvalue %s, 0", r)
	carry := x.do("i1", "extractvalue %s, 1", r)
	if in {
		c := x.do("i1", "load i1, ptr addrspace(5) %s, align 1", cc.pointer)
		c = x.do(t.word(), "zext %s to %s", c, t.word())
		r = x.call(both, name, sum, c)
		sum = x.do(t.word(), "extractvalue %s, 0", r)
		second := x.do("i1", "extractvalue %s, 1", r)
		carry = x.do("i1", "or %s, %s", carry, second.text)
	}
	if out {
		x.say("store %s, ptr addrspace(5) %s, align 1", carry, cc.pointer)
	}
	return sum
}

// multiplyCarry is mad.cc and madc.
func (x *instruction) multiplyCarry(part string, in bool) {
	out := !in || x.flag("cc")
	if part == "wide" {
		x.no("mad.wide with .cc")
		return
	}
	t := x.typ(carryTypes)
	if x.count(4) {
		p := x.product(part, t, x.arg(1, t), x.arg(2, t))
		x.result(x.withCarry("add", t, p, x.arg(3, t), in, out), t)
	}
}
