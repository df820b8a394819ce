package emit_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"kmx/internal/num"
)

// truths are the tests of setp on an order: -1, 0, 1, or 2 where an operand is
// NaN.
var truths = map[string]func(order int) bool{
	"eq": func(o int) bool { return o == 0 }, "ne": func(o int) bool { return o == -1 || o == 1 },
	"lt": func(o int) bool { return o == -1 }, "le": func(o int) bool { return o == -1 || o == 0 },
	"gt": func(o int) bool { return o == 1 }, "ge": func(o int) bool { return o == 1 || o == 0 },
	"equ": func(o int) bool { return o == 0 || o == 2 }, "neu": func(o int) bool { return o != 0 },
	"ltu": func(o int) bool { return o == -1 || o == 2 }, "leu": func(o int) bool { return o != 1 },
	"gtu": func(o int) bool { return o >= 1 }, "geu": func(o int) bool { return o != -1 },
	"num": func(o int) bool { return o != 2 }, "nan": func(o int) bool { return o == 2 },
}

func order[T float32 | float64 | int64 | uint64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return 2
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func TestComparisons(t *testing.T) {
	var rows []row
	for _, test := range slices.Sorted(maps.Keys(truths)) {
		f := truths[test]
		single := func(a, b uint64) bool { return f(order(flush(f32(a)), flush(f32(b)))) }
		half := func(a, b uint64) bool { return f(order(num.F16(a).Float32(), num.F16(b).Float32())) }
		rows = append(rows,
			row{"setp." + test + ".ftz.f32 $d, $a, $b;", "pred", []string{"f32", "f32"}, two(func(a, b uint64) uint64 { return truth(single(a, b)) }), 0},
			row{"setp." + test + ".f16 $d, $a, $b;", "pred", []string{"f16", "f16"}, two(func(a, b uint64) uint64 { return truth(half(a, b)) }), 0},
			row{"{ .reg .pred %q; setp." + test + ".f16x2 %q|$d, $a, $b; }", "pred", []string{"f16x2", "f16x2"}, two(func(a, b uint64) uint64 { return truth(half(a>>16, b>>16)) }), 0},
			row{"set." + test + ".f16x2.f16x2 $d, $a, $b;", "f16x2", []string{"f16x2", "f16x2"}, two(func(a, b uint64) uint64 {
				return truth(half(a&0xffff, b&0xffff))*0x3c00 | truth(half(a>>16, b>>16))*0x3c00<<16
			}), 0},
			row{"set." + test + ".f32.f32 $d, $a, $b;", "f32", []string{"f32", "f32"}, two(func(a, b uint64) uint64 { return truth(single(a, b)) * 0x3f800000 }), 0},
			row{"setp." + test + ".or.f32 $d, $a, $b, $c;", "pred", []string{"f32", "f32", "pred"}, three(func(a, b, c uint64) uint64 { return truth(single(a, b)) | c }), 0},
			row{"{ .reg .pred %q; setp." + test + ".and.f32 %q|$d, $a, $b, !$c; }", "pred", []string{"f32", "f32", "pred"}, three(func(a, b, c uint64) uint64 { return truth(!single(a, b)) & (c ^ 1) }), 0})
		if len(test) == 3 {
			continue
		}
		for _, n := range []int{16, 32, 64} {
			rows = append(rows,
				row{fmt.Sprintf("setp.%s.s%d $d, $a, $b;", test, n), "pred", []string{fmt.Sprint("s", n), fmt.Sprint("s", n)}, two(func(a, b uint64) uint64 {
					return truth(f(order(sign(a, n), sign(b, n))))
				}), 0},
				row{fmt.Sprintf("setp.%s.u%d $d, $a, $b;", test, n), "pred", []string{fmt.Sprint("u", n), fmt.Sprint("u", n)}, two(func(a, b uint64) uint64 {
					return truth(f(order(a, b)))
				}), 0},
				row{fmt.Sprintf("set.%s.xor.u32.s%d $d, $a, $b, $c;", test, n), "b32", []string{fmt.Sprint("s", n), fmt.Sprint("s", n), "pred"}, three(func(a, b, c uint64) uint64 {
					return -(truth(f(order(sign(a, n), sign(b, n)))) ^ c)
				}), 0})
		}
	}
	for test, like := range map[string]string{"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"} {
		f := truths[like]
		rows = append(rows, row{"setp." + test + ".u32 $d, $a, $b;", "pred", []string{"u32", "u32"}, two(func(a, b uint64) uint64 { return truth(f(order(a, b))) }), 0})
	}
	class := func(v uint64) (nan, infinite, subnormal bool) {
		e, m := v>>23&255, v&(1<<23-1)
		return e == 255 && m != 0, e == 255 && m == 0, e == 0 && m != 0
	}
	for test, f := range map[string]func(nan, infinite, subnormal bool) bool{
		"finite": func(n, i, _ bool) bool { return !n && !i }, "infinite": func(_, i, _ bool) bool { return i },
		"number": func(n, _, _ bool) bool { return !n }, "notanumber": func(n, _, _ bool) bool { return n },
		"normal": func(n, i, s bool) bool { return !n && !i && !s }, "subnormal": func(_, _, s bool) bool { return s },
	} {
		rows = append(rows, row{"testp." + test + ".f32 $d, $a;", "pred", []string{"f32"}, func(v []uint64) uint64 { return truth(f(class(v[0]))) }, 0})
	}
	rows = append(rows, row{"slct.f32.f32 $d, $a, $b, $c;", "f32", []string{"f32", "f32", "f32"}, three(func(a, b, c uint64) uint64 {
		if flush(f32(c)) >= 0 {
			return a
		}
		return b
	}), 0})
	slices.SortStableFunc(rows, func(a, b row) int {
		if a.text < b.text {
			return -1
		}
		return 1
	})
	runTable(t, rows, append(slices.Clone(floatEdges), integerEdges...), some()...)
}
