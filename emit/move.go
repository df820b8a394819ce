package emit

import (
	"fmt"

	"kmx/cuda/ptx"
)

// Moves: copies, packing and unpacking, addresses of symbols.
var moves = map[string]func(*instruction){"mov": move}

func move(x *instruction) {
	t := x.typ("pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f32 f64")
	if !x.count(2) {
		return
	}
	from, isFrom := x.in.Operands[1].(*ptx.Vector)
	to, isTo := x.in.Operands[0].(*ptx.Vector)
	switch {
	case isFrom && isTo:
		x.no("mov between two vectors")
	case isFrom:
		part, ok := x.share(t, len(from.Elems))
		if !ok {
			return
		}
		word := number(t.word(), 0)
		for i, op := range from.Elems {
			v := x.do(t.word(), "zext %s to %s", x.read(op, part), t.word())
			if i > 0 {
				v = x.do(t.word(), "shl %s, %d", v, i*part.bits)
			}
			word = x.do(t.word(), "or %s, %s", word, v.text)
		}
		x.store(0, word, t)
	case isTo:
		part, ok := x.share(t, len(to.Elems))
		if !ok {
			return
		}
		word := x.arg(1, t)
		for i, op := range to.Elems {
			v := word
			if i > 0 {
				v = x.do(t.word(), "lshr %s, %d", v, i*part.bits)
			}
			x.write(op, x.do(part.word(), "trunc %s to %s", v, part.word()), part)
		}
	default:
		x.store(0, x.arg(1, t), t)
	}
}

// share is the type of one of n parts of a type.
func (x *instruction) share(t scalar, n int) (scalar, bool) {
	if t.bits == 1 || n < 2 || t.bits%n != 0 || t.bits/n < 8 {
		x.no("a vector of %d parts of the type .%s", n, t.name)
		return t, false
	}
	return scalars[fmt.Sprint("b", t.bits/n)], true
}
