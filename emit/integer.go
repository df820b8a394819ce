package emit

import (
	"fmt"
	"strconv"
	"strings"
)

func parseInt(s string) (int, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 0, 32)
	return int(n), err
}

const (
	integers = "u16 s16 u32 s32 u64 s64"
	words    = "u32 s32"
)

// Integer arithmetic. add, sub, mul, fma, min, max, abs, neg, div and mad are
// shared with floating point: the type decides.
var integerOperations = map[string]func(*instruction){
	"add": func(x *instruction) { x.arithmetic("add") },
	"sub": func(x *instruction) { x.arithmetic("sub") },
	"mul": func(x *instruction) { x.multiply(false) },
	"mad": func(x *instruction) { x.multiply(true) },
	"mul24": func(x *instruction) {
		x.multiply24(false)
	},
	"mad24": func(x *instruction) { x.multiply24(true) },
	"div":   divide,
	"rem": func(x *instruction) {
		t := x.typ(integers)
		if x.count(3) {
			x.result(x.call(t.word(), fmt.Sprintf("ptx.rem.%s", t.name), x.arg(1, t), x.arg(2, t)), t)
		}
	},
	"min": func(x *instruction) { x.extreme("min") },
	"max": func(x *instruction) { x.extreme("max") },
	"abs": absolute,
	"neg": negate,
	"sad": func(x *instruction) {
		t := x.typ(integers)
		if !x.count(4) {
			return
		}
		a, b, c := x.arg(1, t), x.arg(2, t), x.arg(3, t)
		sign := "u"
		if t.class == signed {
			sign = "s"
		}
		low := x.call(t.word(), "llvm."+sign+"min."+t.word(), a, b)
		high := x.call(t.word(), "llvm."+sign+"max."+t.word(), a, b)
		d := x.do(t.word(), "sub %s, %s", high, low.text)
		x.result(x.do(t.word(), "add %s, %s", c, d.text), t)
	},
	"dp4a": func(x *instruction) { x.dot(4) },
}

// isFloat says whether the next type is a floating one.
func (x *instruction) isFloat() bool {
	switch x.nextType() {
	case "f16", "f16x2", "f32", "f64", "bf16", "bf16x2", "tf32":
		return true
	}
	return false
}

// arithmetic is add and sub.
func (x *instruction) arithmetic(op string) {
	if x.flag("cc") {
		x.carrying(op, false)
		return
	}
	if x.isFloat() {
		x.floating(op)
		return
	}
	sat := x.flag("sat")
	t := x.typ(integers)
	if !x.count(3) {
		return
	}
	a, b := x.arg(1, t), x.arg(2, t)
	if !sat {
		x.result(x.do(t.word(), "%s %s, %s", op, a, b.text), t)
		return
	}
	if t.name != "s32" {
		x.no("%s.sat with the type .%s", op, t.name)
		return
	}
	x.result(x.call("i32", "llvm.s"+op+".sat.i32", a, b), t)
}

// product is the low, high or whole product of two integers.
func (x *instruction) product(part string, t scalar, a, b value) value {
	if part == "lo" {
		return x.do(t.word(), "mul %s, %s", a, b.text)
	}
	extend, wide := "zext", fmt.Sprint("i", 2*t.bits)
	if t.class == signed {
		extend = "sext"
	}
	a = x.do(wide, "%s %s to %s", extend, a, wide)
	b = x.do(wide, "%s %s to %s", extend, b, wide)
	p := x.do(wide, "mul %s, %s", a, b.text)
	if part == "wide" {
		return p
	}
	p = x.do(wide, "lshr %s, %d", p, t.bits)
	return x.do(t.word(), "trunc %s to %s", p, t.word())
}

// multiply is mul and mad.
func (x *instruction) multiply(add bool) {
	if x.isFloat() {
		if add {
			x.fused()
		} else {
			x.floating("mul")
		}
		return
	}
	part := x.one("lo", "hi", "wide")
	if part == "" {
		x.no("%s without .lo, .hi or .wide", x.in.Parts[0])
		return
	}
	if add && x.flag("cc") {
		x.multiplyCarry(part, false)
		return
	}
	sat := add && part == "hi" && x.flag("sat")
	t := x.typ(integers)
	if part == "wide" && t.bits == 64 || sat && t.name != "s32" {
		x.no("this form with the type .%s", t.name)
		return
	}
	if n := 3; add && !x.count(n+1) || !add && !x.count(n) {
		return
	}
	r := t
	if part == "wide" {
		r = scalars[fmt.Sprint(t.name[:1], 2*t.bits)]
	}
	p := x.product(part, t, x.arg(1, t), x.arg(2, t))
	if add {
		c := x.arg(3, r)
		if sat {
			p = x.call("i32", "llvm.sadd.sat.i32", p, c)
		} else {
			p = x.do(r.word(), "add %s, %s", p, c.text)
		}
	}
	x.result(p, r)
}

// multiply24 is mul24 and mad24: products of the lower 24 bits, of whose 48 .lo
// gives the lower and .hi the upper 32.
func (x *instruction) multiply24(add bool) {
	part := x.one("lo", "hi")
	t := x.typ(words)
	n := 3
	if add {
		n = 4
	}
	if part == "" || !x.count(n) {
		x.no("%s without .lo or .hi", x.in.Parts[0])
		return
	}
	p := x.call("i32", "ptx.mul24."+part+"."+t.name, x.arg(1, t), x.arg(2, t))
	if add {
		p = x.do("i32", "add %s, %s", p, x.arg(3, t).text)
	}
	x.result(p, t)
}

// extreme is min and max.
func (x *instruction) extreme(op string) {
	if x.isFloat() {
		x.floatExtreme(op)
		return
	}
	t := x.typ(integers)
	if !x.count(3) {
		return
	}
	sign := "u"
	if t.class == signed {
		sign = "s"
	}
	x.result(x.call(t.word(), "llvm."+sign+op+"."+t.word(), x.arg(1, t), x.arg(2, t)), t)
}

func absolute(x *instruction) {
	if x.isFloat() {
		x.sign("fabs")
		return
	}
	t := x.typ("s16 s32 s64")
	if x.count(2) {
		x.result(x.call(t.word(), "llvm.abs."+t.word(), x.arg(1, t), no), t)
	}
}

func negate(x *instruction) {
	if x.isFloat() {
		x.sign("neg")
		return
	}
	t := x.typ("s16 s32 s64")
	if x.count(2) {
		x.result(x.do(t.word(), "sub %s 0, %s", t.word(), x.arg(1, t).text), t)
	}
}

// divide is div.
func divide(x *instruction) {
	if x.isFloat() {
		x.quotient()
		return
	}
	t := x.typ(integers)
	if x.count(3) {
		x.result(x.call(t.word(), "ptx.div."+t.name, x.arg(1, t), x.arg(2, t)), t)
	}
}

// dot is dp4a: four products of bytes, summed with c.
func (x *instruction) dot(n int) {
	a, b := x.typ(words), x.typ(words)
	if !x.count(4) {
		return
	}
	av, bv, sum := x.arg(1, a), x.arg(2, b), x.arg(3, scalars["b32"])
	for i := range n {
		p := x.do("i32", "mul %s, %s", x.byteOf(av, i, a), x.byteOf(bv, i, b).text)
		sum = x.do("i32", "add %s, %s", sum, p.text)
	}
	x.result(sum, scalars["b32"])
}

// byteOf is a byte of a word, extended as the type says.
func (x *instruction) byteOf(v value, i int, t scalar) value {
	v = x.do("i32", "shl %s, %d", v, 24-8*i)
	if t.class == signed {
		return x.do("i32", "ashr %s, 24", v)
	}
	return x.do("i32", "lshr %s, 24", v)
}
