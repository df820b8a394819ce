package emit_test

import (
	"math"
	"math/big"
	"math/bits"
	"testing"
)

var integerEdges = []uint64{
	0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 255, 256, 0x7f, 0x80, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x7fffff, 0x800000, 0xffffff, 0x1000000, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000,
	0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, math.MaxUint64, math.MaxUint64 - 1,
	0xfffffffffffffff0, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 0xffffffff00000000, 0xffffffffffff8000, 0xffffffff80000000,
}

// sign extends an n-bit number.
func sign(v uint64, n int) int64 { return int64(v<<(64-n)) >> (64 - n) }

func two(f func(a, b uint64) uint64) func([]uint64) uint64 {
	return func(v []uint64) uint64 { return f(v[0], v[1]) }
}

func three(f func(a, b, c uint64) uint64) func([]uint64) uint64 {
	return func(v []uint64) uint64 { return f(v[0], v[1], v[2]) }
}

// ints makes the rows of an instruction for integer types: $t is the type.
func ints(text string, types []string, f func(a, b, c uint64, n int, signed bool) uint64) []row {
	var rows []row
	for _, t := range types {
		n := sizeOf(t)
		s := t[0] == 's'
		rows = append(rows, row{text: replace(text, "$t", t), result: t, types: []string{t, t, t},
			want: three(func(a, b, c uint64) uint64 {
				if s {
					a, b, c = uint64(sign(a, n)), uint64(sign(b, n)), uint64(sign(c, n))
				}
				return f(a, b, c, n, s)
			})})
	}
	return rows
}

var (
	every  = []string{"u16", "s16", "u32", "s32", "u64", "s64"}
	signed = []string{"s16", "s32", "s64"}
)

func high(a, b uint64, n int, s bool) uint64 {
	x, y := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
	if s {
		x, y = big.NewInt(int64(a)), big.NewInt(int64(b))
	}
	x.Mul(x, y)
	x.Rsh(x, uint(n)) // toward minus infinity, as bits do
	x.And(x, new(big.Int).SetUint64(math.MaxUint64))
	return x.Uint64()
}

func less(a, b uint64, s bool) bool {
	if s {
		return int64(a) < int64(b)
	}
	return a < b
}

func clamp32(v int64) uint64 { return uint64(max(math.MinInt32, min(v, math.MaxInt32))) }

func TestIntegers(t *testing.T) {
	var rows []row
	add := func(r ...row) { rows = append(rows, r...) }
	add(ints("add.$t $d, $a, $b;", every, func(a, b, _ uint64, _ int, _ bool) uint64 { return a + b })...)
	add(ints("sub.$t $d, $a, $b;", every, func(a, b, _ uint64, _ int, _ bool) uint64 { return a - b })...)
	add(ints("mul.lo.$t $d, $a, $b;", every, func(a, b, _ uint64, _ int, _ bool) uint64 { return a * b })...)
	add(ints("mul.hi.$t $d, $a, $b;", every, func(a, b, _ uint64, n int, s bool) uint64 { return high(a, b, n, s) })...)
	add(ints("mad.lo.$t $d, $a, $b, $c;", every, func(a, b, c uint64, _ int, _ bool) uint64 { return a*b + c })...)
	add(ints("mad.hi.$t $d, $a, $b, $c;", every, func(a, b, c uint64, n int, s bool) uint64 { return high(a, b, n, s) + c })...)
	add(ints("min.$t $d, $a, $b;", every, func(a, b, _ uint64, _ int, s bool) uint64 {
		if less(a, b, s) {
			return a
		}
		return b
	})...)
	add(ints("max.$t $d, $a, $b;", every, func(a, b, _ uint64, _ int, s bool) uint64 {
		if less(a, b, s) {
			return b
		}
		return a
	})...)
	add(ints("abs.$t $d, $a;", signed, func(a, _, _ uint64, _ int, _ bool) uint64 {
		if int64(a) < 0 {
			return -a
		}
		return a
	})...)
	add(ints("neg.$t $d, $a;", signed, func(a, _, _ uint64, _ int, _ bool) uint64 { return -a })...)
	add(ints("sad.$t $d, $a, $b, $c;", every, func(a, b, c uint64, _ int, s bool) uint64 {
		if less(a, b, s) {
			a, b = b, a
		}
		return c + a - b
	})...)
	add(ints("div.$t $d, $a, $b;", every, func(a, b, _ uint64, n int, s bool) uint64 {
		switch {
		case b == 0:
			return math.MaxUint64
		case s && int64(b) == -1:
			return -a
		case s:
			return uint64(int64(a) / int64(b))
		}
		return a / b
	})...)
	add(ints("rem.$t $d, $a, $b;", every, func(a, b, _ uint64, _ int, s bool) uint64 {
		switch {
		case b == 0:
			return math.MaxUint64
		case s && int64(b) == -1:
			return 0
		case s:
			return uint64(int64(a) % int64(b))
		}
		return a % b
	})...)
	add(ints("set.lt.u32.$t $d, $a, $b;", []string{"u32", "s32"}, func(a, b, _ uint64, _ int, s bool) uint64 {
		if less(a, b, s) {
			return math.MaxUint64
		}
		return 0
	})...)
	s3, u3 := []string{"s32", "s32", "s32"}, []string{"u32", "u32", "u32"}
	sx := func(v uint64) int64 { return sign(v, 32) }
	s24 := func(v uint64) int64 { return sign(v, 24) }
	u24 := func(v uint64) uint64 { return v & 0xffffff }
	add(
		row{"add.sat.s32 $d, $a, $b;", "s32", s3, two(func(a, b uint64) uint64 { return clamp32(sx(a) + sx(b)) }), 0},
		row{"sub.sat.s32 $d, $a, $b;", "s32", s3, two(func(a, b uint64) uint64 { return clamp32(sx(a) - sx(b)) }), 0},
		row{"mad.hi.sat.s32 $d, $a, $b, $c;", "s32", s3, three(func(a, b, c uint64) uint64 { return clamp32(sx(a)*sx(b)>>32 + sx(c)) }), 0},
		row{"mul.wide.u32 $d, $a, $b;", "u64", u3, two(func(a, b uint64) uint64 { return a * b }), 0},
		row{"mul.wide.s32 $d, $a, $b;", "s64", s3, two(func(a, b uint64) uint64 { return uint64(sx(a) * sx(b)) }), 0},
		row{"mul.wide.u16 $d, $a, $b;", "u32", []string{"u16", "u16"}, two(func(a, b uint64) uint64 { return a * b }), 0},
		row{"mul.wide.s16 $d, $a, $b;", "s32", []string{"s16", "s16"}, two(func(a, b uint64) uint64 { return uint64(sign(a, 16) * sign(b, 16)) }), 0},
		row{"mad.wide.s32 $d, $a, $b, $c;", "s64", []string{"s32", "s32", "s64"}, three(func(a, b, c uint64) uint64 { return uint64(sx(a)*sx(b)) + c }), 0},
		row{"mad.wide.u16 $d, $a, $b, $c;", "u32", []string{"u16", "u16", "u32"}, three(func(a, b, c uint64) uint64 { return a*b + c }), 0},
		row{"mul24.lo.u32 $d, $a, $b;", "u32", u3, two(func(a, b uint64) uint64 { return u24(a) * u24(b) }), 0},
		row{"mul24.lo.s32 $d, $a, $b;", "s32", s3, two(func(a, b uint64) uint64 { return uint64(s24(a) * s24(b)) }), 0},
		row{"mul24.hi.u32 $d, $a, $b;", "u32", u3, two(func(a, b uint64) uint64 { return u24(a) * u24(b) >> 16 }), 0},
		row{"mul24.hi.s32 $d, $a, $b;", "s32", s3, two(func(a, b uint64) uint64 { return uint64(s24(a) * s24(b) >> 16) }), 0},
		row{"mad24.lo.u32 $d, $a, $b, $c;", "u32", u3, three(func(a, b, c uint64) uint64 { return u24(a)*u24(b) + c }), 0},
		row{"add.u32 $d, $a, -7;", "u32", u3, func(v []uint64) uint64 { return v[0] - 7 }, 0},
		row{"add.s64 $d, $a, 0x123456789;", "s64", []string{"s64"}, func(v []uint64) uint64 { return v[0] + 0x123456789 }, 0},
		row{"dp4a.u32.s32 $d, $a, $b, $c;", "u32", u3, three(func(a, b, c uint64) uint64 {
			for i := range 4 {
				c += uint64(int64(a>>(8*i)&255) * sign(b>>(8*i), 8))
			}
			return c
		}), 0},
		row{"{ .reg .u32 %x; add.cc.u32 %x, $a, $b; addc.u32 $d, $c, 0; }", "u32", u3, three(func(a, b, c uint64) uint64 { return c + (a+b)>>32 }), 0},
		row{"{ .reg .u32 %x; sub.cc.u32 %x, $a, $b; subc.cc.u32 %x, $c, $a; subc.u32 $d, $b, 0; }", "u32", u3, three(func(a, b, c uint64) uint64 {
			_, first := bits.Sub32(uint32(a), uint32(b), 0)
			_, second := bits.Sub32(uint32(c), uint32(a), first)
			return b - uint64(second)
		}), 0},
		row{"{ .reg .u64 %x; mad.lo.cc.u64 %x, $a, $b, $c; madc.hi.u64 $d, $a, $b, $c; }", "u64", []string{"u64", "u64", "u64"}, three(func(a, b, c uint64) uint64 {
			h, l := bits.Mul64(a, b)
			_, carry := bits.Add64(l, c, 0)
			return h + c + carry
		}), 0},
	)
	runTable(t, rows, integerEdges, some()...)
}
