package emit_test

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
)

var untypedWords = []string{"b16", "b32", "b64"}

// shifts: counts from the width on give zeros or signs.
func shiftRows() []row {
	var rows []row
	for _, t := range untypedWords {
		n := sizeOf(t)
		rows = append(rows, row{"shl." + t + " $d, $a, $b;", t, []string{t, "u32"}, two(func(a, b uint64) uint64 {
			if b >= uint64(n) {
				return 0
			}
			return a << b
		}), 0}, row{"shr." + t + " $d, $a, $b;", t, []string{t, "u32"}, two(func(a, b uint64) uint64 {
			if b >= uint64(n) {
				return 0
			}
			return a >> b
		}), 0}, row{fmt.Sprintf("shr.s%d $d, $a, $b;", n), t, []string{t, "u32"}, two(func(a, b uint64) uint64 {
			return uint64(sign(a, n) >> min(b, uint64(n-1)))
		}), 0}, row{fmt.Sprintf("shl.%s $d, $a, %d;", t, n), t, []string{t}, func([]uint64) uint64 { return 0 }, 0})
	}
	return rows
}

// bfe as the PTX manual states it, bit by bit.
func extract(a, pos, length uint64, n int, s bool) uint64 {
	pos, length = pos&255, length&255
	msb := uint64(n - 1)
	bit := func(i uint64) uint64 { return a >> i & 1 }
	fill := uint64(0)
	if s && length > 0 {
		fill = bit(min(pos+length-1, msb))
	}
	d := uint64(0)
	for i := uint64(0); i <= msb; i++ {
		if i < length && pos+i <= msb {
			d |= bit(pos+i) << i
		} else {
			d |= fill << i
		}
	}
	return d
}

func insert(a, b, pos, length uint64, n int) uint64 {
	pos, length = pos&255, length&255
	f := b
	for i := uint64(0); i < length && pos+i < uint64(n); i++ {
		f = f&^(1<<(pos+i)) | a>>i&1<<(pos+i)
	}
	return f
}

func permute(a, b, c uint64) uint64 {
	all := a | b<<32
	d := uint64(0)
	for i := range 4 {
		nibble := c >> (4 * i) & 15
		byt := all >> (8 * (nibble & 7)) & 255
		if nibble&8 != 0 {
			byt = byt >> 7 * 255
		}
		d |= byt << (8 * i)
	}
	return d
}

func TestBits(t *testing.T) {
	rows := shiftRows()
	for _, t := range untypedWords {
		in := []string{t, t}
		rows = append(rows,
			row{"and." + t + " $d, $a, $b;", t, in, two(func(a, b uint64) uint64 { return a & b }), 0},
			row{"or." + t + " $d, $a, $b;", t, in, two(func(a, b uint64) uint64 { return a | b }), 0},
			row{"xor." + t + " $d, $a, $b;", t, in, two(func(a, b uint64) uint64 { return a ^ b }), 0},
			row{"not." + t + " $d, $a;", t, in, func(v []uint64) uint64 { return ^v[0] }, 0},
			row{"cnot." + t + " $d, $a;", t, in, func(v []uint64) uint64 {
				if v[0] == 0 {
					return 1
				}
				return 0
			}, 0})
	}
	for _, n := range []int{32, 64} {
		b := fmt.Sprint("b", n)
		for _, s := range []bool{false, true} {
			ty := fmt.Sprint(map[bool]string{false: "u", true: "s"}[s], n)
			top := func(v uint64) uint64 {
				if s && v>>(n-1)&1 != 0 {
					v = ^v & (math.MaxUint64 >> (64 - n))
				}
				if v == 0 {
					return math.MaxUint32
				}
				return uint64(bits.Len64(v) - 1)
			}
			rows = append(rows,
				row{"bfe." + ty + " $d, $a, $b, $c;", ty, []string{ty, "u32", "u32"}, three(func(a, p, l uint64) uint64 { return extract(a, p, l, n, s) }), 0},
				row{"bfe." + ty + " $d, $a, 5, 9;", ty, []string{ty}, func(v []uint64) uint64 { return extract(v[0], 5, 9, n, s) }, 0},
				row{"bfind." + ty + " $d, $a;", "u32", []string{ty}, func(v []uint64) uint64 { return top(v[0]) }, 0},
				row{"bfind.shiftamt." + ty + " $d, $a;", "u32", []string{ty}, func(v []uint64) uint64 {
					if x := top(v[0]); x != math.MaxUint32 {
						return uint64(n-1) - x
					}
					return math.MaxUint32
				}, 0})
		}
		rows = append(rows,
			row{"bfi." + b + " $d, $a, $b, $c, $e;", b, []string{b, b, "u32", "u32"}, func(v []uint64) uint64 { return insert(v[0], v[1], v[2], v[3], n) }, 0},
			row{"bfi." + b + " $d, $a, $b, 16, 16;", b, []string{b, b}, func(v []uint64) uint64 { return insert(v[0], v[1], 16, 16, n) }, 0},
			row{"popc." + b + " $d, $a;", "u32", []string{b}, func(v []uint64) uint64 { return uint64(bits.OnesCount64(v[0])) }, 0},
			row{"clz." + b + " $d, $a;", "u32", []string{b}, func(v []uint64) uint64 { return uint64(bits.LeadingZeros64(v[0]) - (64 - n)) }, 0},
			row{"brev." + b + " $d, $a;", b, []string{b}, func(v []uint64) uint64 { return bits.Reverse64(v[0]) >> (64 - n) }, 0})
	}
	w3 := []string{"b32", "b32", "b32"}
	rows = append(rows,
		row{"prmt.b32 $d, $a, $b, $c;", "b32", w3, three(permute), 0},
		row{"prmt.b32 $d, $a, $b, 0x5410;", "b32", w3, three(func(a, b, _ uint64) uint64 { return permute(a, b, 0x5410) }), 0},
		row{"prmt.b32 $d, $a, $b, 0xba98;", "b32", w3, three(func(a, b, _ uint64) uint64 { return permute(a, b, 0xba98) }), 0},
		row{"prmt.b32 $d, $a, 0, 0x4440;", "b32", w3, three(func(a, _, _ uint64) uint64 { return permute(a, 0, 0x4440) }), 0},
		row{"mov.b32 $d, {$a, $b};", "b32", []string{"b16", "b16"}, two(func(a, b uint64) uint64 { return a | b<<16 }), 0},
		row{"mov.b64 $d, {$a, $b};", "b64", []string{"b32", "b32"}, two(func(a, b uint64) uint64 { return a | b<<32 }), 0},
		row{"mov.b64 $d, {$a, $b, $c, $e};", "b64", []string{"b16", "b16", "b16", "b16"}, func(v []uint64) uint64 { return v[0] | v[1]<<16 | v[2]<<32 | v[3]<<48 }, 0},
		row{"mov.b32 {_, $d}, $a;", "b16", []string{"b32"}, func(v []uint64) uint64 { return v[0] >> 16 }, 0},
		row{"mov.b64 {$d, _}, $a;", "b32", []string{"b64"}, func(v []uint64) uint64 { return v[0] }, 0},
		row{"selp.b32 $d, $a, $b, $c;", "b32", []string{"b32", "b32", "pred"}, three(func(a, b, p uint64) uint64 { return b ^ (a^b)*p }), 0},
		row{"selp.b64 $d, $a, 5, $c;", "b64", []string{"b64", "b64", "pred"}, three(func(a, _, p uint64) uint64 { return 5 ^ (a^5)*p }), 0},
		row{"slct.b32.s32 $d, $a, $b, $c;", "b32", w3, three(func(a, b, c uint64) uint64 {
			if int32(c) >= 0 {
				return a
			}
			return b
		}), 0},
		row{"and.pred $d, $a, $b;", "pred", []string{"pred", "pred"}, two(func(a, b uint64) uint64 { return a & b }), 0},
		row{"xor.pred $d, $a, $b;", "pred", []string{"pred", "pred"}, two(func(a, b uint64) uint64 { return a ^ b }), 0},
		row{"not.pred $d, $a;", "pred", []string{"pred"}, func(v []uint64) uint64 { return v[0] ^ 1 }, 0},
		row{"mov.u32 $d, 7; @$a mov.u32 $d, $b;", "u32", []string{"pred", "u32"}, two(func(p, b uint64) uint64 { return 7 ^ (b^7)*p }), 0},
		row{"mov.u32 $d, 7; @!$a add.u32 $d, $d, $b;", "u32", []string{"pred", "u32"}, two(func(p, b uint64) uint64 { return 7 + b*(1-p) }), 0},
	)
	for _, table := range []uint64{0x00, 0xff, 0x80, 0xea, 0x96, 0xca, 0x1b, 0x3f} {
		rows = append(rows, row{fmt.Sprintf("lop3.b32 $d, $a, $b, $c, %#x;", table), "b32", w3, three(func(a, b, c uint64) uint64 {
			d := uint64(0)
			for i := range 32 {
				d |= table >> (a>>i&1<<2 | b>>i&1<<1 | c>>i&1) & 1 << i
			}
			return d
		}), 0})
	}
	for _, side := range []string{"l", "r"} {
		for _, mode := range []string{"wrap", "clamp"} {
			rows = append(rows, row{"shf." + side + "." + mode + ".b32 $d, $a, $b, $c;", "b32", w3, three(func(a, b, c uint64) uint64 {
				n := c & 31
				if mode == "clamp" {
					n = min(c, 32)
				}
				both := a | b<<32
				if side == "l" {
					return both << n >> 32
				}
				return both >> n
			}), 0})
		}
	}
	runTable(t, rows, integerEdges, some()...)
}
