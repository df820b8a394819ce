package emit

import (
	"fmt"

	"kmx/cuda/ptx"
)

// Logic, shifts and bit fields.
var bitOperations = map[string]func(*instruction){
	"and": func(x *instruction) { x.logic("and") },
	"or":  func(x *instruction) { x.logic("or") },
	"xor": func(x *instruction) { x.logic("xor") },
	"not": func(x *instruction) { x.invert() },
	"cnot": func(x *instruction) {
		t := x.typ("b16 b32 b64")
		if x.count(2) {
			z := x.do("i1", "icmp eq %s, 0", x.arg(1, t))
			x.result(x.do(t.word(), "zext %s to %s", z, t.word()), t)
		}
	},
	"shl": func(x *instruction) { x.shift("b16 b32 b64", "ptx.shl.b") },
	"shr": func(x *instruction) { x.shift("b16 b32 b64 u16 u32 u64 s16 s32 s64", "ptx.shr.") },
	"shf": funnel,
	"bfe": func(x *instruction) {
		t := x.typ(carryTypes)
		if x.count(4) {
			n := scalars["u32"]
			x.result(x.call(t.word(), "ptx.bfe."+t.name, x.arg(1, t), x.arg(2, n), x.arg(3, n)), t)
		}
	},
	"bfi": func(x *instruction) {
		t := x.typ("b32 b64")
		if x.count(5) {
			n := scalars["u32"]
			x.result(x.call(t.word(), "ptx.bfi."+t.name, x.arg(1, t), x.arg(2, t), x.arg(3, n), x.arg(4, n)), t)
		}
	},
	"prmt": func(x *instruction) {
		t := x.typ("b32")
		name := "ptx.prmt.b32"
		if mode := x.one("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"); mode != "" {
			name += "." + mode
		}
		if x.count(4) {
			x.result(x.call("i32", name, x.arg(1, t), x.arg(2, t), x.arg(3, t)), t)
		}
	},
	"lop3": logic3,
	"popc": func(x *instruction) { x.counted("llvm.ctpop.") },
	"clz":  func(x *instruction) { x.counted("llvm.ctlz.", no) },
	"brev": func(x *instruction) {
		t := x.typ("b32 b64")
		if x.count(2) {
			x.result(x.call(t.word(), "llvm.bitreverse."+t.word(), x.arg(1, t)), t)
		}
	},
	"bfind": func(x *instruction) {
		name := "ptx.bfind."
		if x.flag("shiftamt") {
			name = "ptx.bfind.shiftamt."
		}
		t := x.typ(carryTypes)
		if x.count(2) {
			x.result(x.call("i32", name+t.name, x.arg(1, t)), scalars["u32"])
		}
	},
}

func (x *instruction) logic(op string) {
	t := x.typ("pred b16 b32 b64")
	if x.count(3) {
		a, b := x.arg(1, t), x.arg(2, t)
		x.result(x.do(t.word(), "%s %s, %s", op, a, b.text), t)
	}
}

func (x *instruction) invert() {
	t := x.typ("pred b16 b32 b64")
	if !x.count(2) {
		return
	}
	ones := "-1"
	if t.bits == 1 {
		ones = "true"
	}
	x.result(x.do(t.word(), "xor %s, %s", x.arg(1, t), ones), t)
}

// shift shifts by an unsigned count that PTX clamps at the width.
func (x *instruction) shift(types, name string) {
	t := x.typ(types)
	if !x.count(3) {
		return
	}
	if name == "ptx.shl.b" {
		name = fmt.Sprint(name, t.bits)
	} else if t.class == signed {
		name = fmt.Sprint(name, "s", t.bits)
	} else {
		name = fmt.Sprint(name, "u", t.bits)
	}
	x.result(x.call(t.word(), name, x.arg(1, t), x.arg(2, scalars["u32"])), t)
}

// funnel is shf: 32 bits out of the 64 of b:a.
func funnel(x *instruction) {
	side, mode := x.one("l", "r"), x.one("clamp", "wrap")
	t := x.typ("b32")
	if side == "" || mode == "" || !x.count(4) {
		x.no("shf without .l or .r, .clamp or .wrap")
		return
	}
	x.result(x.call("i32", "ptx.shf."+side+"."+mode+".b32", x.arg(1, t), x.arg(2, t), x.arg(3, scalars["u32"])), t)
}

// logic3 is lop3: any function of three bits, as the OR of the rows of its table
// that are one. The optimiser makes instructions of it.
func logic3(x *instruction) {
	t := x.typ("b32")
	if !x.count(5) {
		return
	}
	table, ok := x.in.Operands[4].(*ptx.Immediate)
	if !ok || table.Kind != ptx.Int || table.Bits > 255 {
		x.no("lop3 with a table that is no constant of 8 bits")
		return
	}
	in := [3]value{x.arg(1, t), x.arg(2, t), x.arg(3, t)}
	var inverse [3]value
	for i, v := range in {
		inverse[i] = x.do("i32", "xor %s, -1", v)
	}
	sum := number("i32", 0)
	for row := range 8 {
		if table.Bits>>row&1 == 0 {
			continue
		}
		term := number("i32", -1)
		for i := range 3 {
			v := in[i]
			if row>>(2-i)&1 == 0 {
				v = inverse[i]
			}
			term = x.do("i32", "and %s, %s", term, v.text)
		}
		sum = x.do("i32", "or %s, %s", sum, term.text)
	}
	x.result(sum, t)
}

// counted is popc and clz, whose result has 32 bits.
func (x *instruction) counted(name string, more ...value) {
	t := x.typ("b32 b64")
	if !x.count(2) {
		return
	}
	v := x.call(t.word(), name+t.word(), append([]value{x.arg(1, t)}, more...)...)
	if t.bits == 64 {
		v = x.do("i32", "trunc %s to i32", v)
	}
	x.result(v, scalars["u32"])
}
