package emit

import (
	"strings"

	"kmx/cuda/ptx"
)

// Comparison and selection.
var comparisons = map[string]func(*instruction){
	"setp": setPredicate,
	"set":  setNumber,
	"selp": func(x *instruction) {
		t := x.typ("b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64")
		if x.count(4) {
			a, b, p := x.arg(1, t), x.arg(2, t), x.arg(3, scalars["pred"])
			x.store(0, x.do(t.word(), "select %s, %s, %s", p, a, b), t)
		}
	},
	"slct": func(x *instruction) {
		x.flushing()
		t := x.typ("b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64")
		c := x.typ("s32 f32")
		if !x.count(4) {
			return
		}
		a, b := x.arg(1, t), x.arg(2, t)
		var p value
		if c.class == floating {
			p = x.do("i1", "fcmp oge %s, 0.0", x.float(3, c))
		} else {
			p = x.do("i1", "icmp sge %s, 0", x.arg(3, c))
		}
		x.store(0, x.do(t.word(), "select %s, %s, %s", p, a, b), t)
	},
	"testp": func(x *instruction) {
		// the classes of llvm.is.fpclass; PTX counts zeros as normal
		classes := map[string]int64{"notanumber": 0x3, "number": 0x3fc, "finite": 0x1f8, "infinite": 0x204, "normal": 0x168, "subnormal": 0x090}
		which := x.one("finite", "infinite", "number", "notanumber", "normal", "subnormal")
		t := x.typ("f32 f64")
		if which == "" || !x.count(2) {
			x.no("testp without a class")
			return
		}
		v := x.call("i1", "llvm.is.fpclass."+t.suffix(), x.toNumber(x.arg(1, t), t), number("i32", classes[which]))
		x.store(0, v, scalars["pred"])
	},
}

// store writes operand i without touching its bits.
func (x *instruction) store(i int, v value, t scalar) {
	if i < len(x.in.Operands) {
		x.write(x.in.Operands[i], v, t)
	}
}

var orders = map[string]string{
	"eq": "oeq", "ne": "one", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge",
	"equ": "ueq", "neu": "une", "ltu": "ult", "leu": "ule", "gtu": "ugt", "geu": "uge", "num": "ord", "nan": "uno",
}

const compareTypes = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f16x2 f32 f64"

// comparison is a test as it stands in the opcode of setp and set: the comparison
// and the combination with another predicate.
type comparison struct{ test, combine string }

func (x *instruction) comparison() comparison {
	var c comparison
	c.test = x.one("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
		"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
	c.combine = x.one("and", "or", "xor")
	x.flushing()
	if c.test == "" {
		x.no("%s without a comparison", x.in.Parts[0])
		c.test = "eq"
	}
	return c
}

// compare gives i1, for pairs <2 x i1>.
func (x *instruction) compare(test string, t scalar) value {
	if t.float() {
		a, b := x.float(1, t), x.float(2, t)
		order, ok := orders[test]
		if !ok {
			x.no("the comparison .%s with the type .%s", test, t.name)
		}
		typ := "i1"
		if t.class == pair {
			typ = "<2 x i1>"
		}
		return x.do(typ, "fcmp %s %s, %s", order, a, b.text)
	}
	a, b := x.arg(1, t), x.arg(2, t)
	op := ""
	switch {
	case test == "eq" || test == "ne":
		op = test
	case t.class == untyped:
	case strings.Contains("lo ls hi hs", test):
		if t.class == unsigned {
			op = map[string]string{"lo": "ult", "ls": "ule", "hi": "ugt", "hs": "uge"}[test]
		}
	case orders[test] != "" && len(test) == 2:
		op = "u" + test
		if t.class == signed {
			op = "s" + test
		}
	}
	if op == "" {
		x.no("the comparison .%s with the type .%s", test, t.name)
		op = "eq"
	}
	return x.do("i1", "icmp %s %s, %s", op, a, b.text)
}

// combined joins a test with the predicate operand 3, where one is asked for.
func (x *instruction) combined(c comparison, v value) value {
	if c.combine == "" {
		return v
	}
	p := x.arg(3, scalars["pred"])
	return x.do("i1", "%s %s, %s", c.combine, v, p.text)
}

// setPredicate is setp. The second destination of a pair gets the opposite test;
// for pairs of f16 it gets that of the upper halves.
func setPredicate(x *instruction) {
	c := x.comparison()
	t := x.typ(compareTypes)
	n := 3
	if c.combine != "" {
		n = 4
	}
	if !x.count(n) {
		return
	}
	first, second := x.in.Operands[0], ptx.Operand(nil)
	if p, ok := first.(*ptx.Pair); ok {
		first, second = p.First, p.Second
	}
	v := x.compare(c.test, t)
	pred := scalars["pred"]
	if t.class == pair {
		if second == nil {
			x.no("setp with pairs has two destinations")
			return
		}
		low := x.do("i1", "extractelement %s, i32 0", v)
		high := x.do("i1", "extractelement %s, i32 1", v)
		low, high = x.combined(c, low), x.combined(c, high)
		x.write(first, low, pred)
		x.write(second, high, pred)
		return
	}
	r := x.combined(c, v)
	if second != nil {
		opposite := x.do("i1", "xor %s, true", v)
		opposite = x.combined(c, opposite)
		x.write(second, opposite, pred)
	}
	x.write(first, r, pred)
}

// setNumber is set: all ones or 1.0 where the test holds.
func setNumber(x *instruction) {
	c := x.comparison()
	d := x.typ("u32 s32 f32 u16 s16 f16 f16x2")
	t := x.typ(compareTypes)
	n := 3
	if c.combine != "" {
		n = 4
	}
	if (t.class == pair) != (d.class == pair) || t.class == pair && c.combine != "" {
		x.no("set between .%s and .%s", t.name, d.name)
		return
	}
	if !x.count(n) {
		return
	}
	v := x.compare(c.test, t)
	if t.class == pair {
		x.store(0, x.toWord(x.do("<2 x half>", "uitofp %s to <2 x half>", v), d), d)
		return
	}
	v = x.combined(c, v)
	if d.class == floating {
		x.store(0, x.toWord(x.do(d.number(), "uitofp %s to %s", v, d.number()), d), d)
		return
	}
	x.store(0, x.do(d.word(), "sext %s to %s", v, d.word()), d)
}
