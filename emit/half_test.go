package emit_test

import (
	"math"
	"testing"

	"kmx/internal/num"
)

func TestHalves(t *testing.T) {
	h := func(v uint64) num.F16 { return num.F16(v) }
	flush := func(x num.F16) num.F16 {
		if x&0x7c00 == 0 {
			return x & 0x8000
		}
		return x
	}
	sat := func(x num.F16) num.F16 {
		if x.IsNaN() || x>>15 != 0 {
			return 0
		}
		return num.Min(x, 0x3c00)
	}
	third := func(f func(a, b, c num.F16) num.F16) func([]uint64) uint64 {
		return func(v []uint64) uint64 {
			for len(v) < 3 {
				v = append(v, 0)
			}
			return uint64(f(h(v[0]), h(v[1]), h(v[2])))
		}
	}
	type op struct {
		text string
		n    int
		f    func(a, b, c num.F16) num.F16
	}
	ops := []op{
		{"add.$t", 2, func(a, b, _ num.F16) num.F16 { return num.Add(a, b) }},
		{"sub.rn.$t", 2, func(a, b, _ num.F16) num.F16 { return num.Sub(a, b) }},
		{"mul.$t", 2, func(a, b, _ num.F16) num.F16 { return num.Mul(a, b) }},
		{"fma.rn.$t", 3, num.FMA},
		{"add.ftz.$t", 2, func(a, b, _ num.F16) num.F16 { return flush(num.Add(flush(a), flush(b))) }},
		{"add.sat.$t", 2, func(a, b, _ num.F16) num.F16 { return sat(num.Add(a, b)) }},
		{"fma.rn.sat.$t", 3, func(a, b, c num.F16) num.F16 { return sat(num.FMA(a, b, c)) }},
		{"fma.rn.relu.$t", 3, func(a, b, c num.F16) num.F16 {
			r := num.FMA(a, b, c)
			if !r.IsNaN() && r>>15 != 0 {
				return 0
			}
			return r
		}},
		{"min.$t", 2, func(a, b, _ num.F16) num.F16 { return num.Min(a, b) }},
		{"max.$t", 2, func(a, b, _ num.F16) num.F16 { return num.Max(a, b) }},
		{"max.NaN.$t", 2, func(a, b, _ num.F16) num.F16 {
			if a.IsNaN() || b.IsNaN() {
				return 0x7e00
			}
			return num.Max(a, b)
		}},
		{"abs.$t", 1, func(a, _, _ num.F16) num.F16 { return a.Abs() }},
		{"neg.$t", 1, func(a, _, _ num.F16) num.F16 { return a.Neg() }},
		{"ex2.approx.$t", 1, func(a, _, _ num.F16) num.F16 { return num.F16FromFloat64(math.Exp2(a.Float64())) }},
		{"tanh.approx.$t", 1, func(a, _, _ num.F16) num.F16 { return num.F16FromFloat64(math.Tanh(a.Float64())) }},
	}
	var rows []row
	for _, o := range ops {
		text := replace(o.text, "$t", "f16") + " $d, $a, $b, $c;"[:3+4*o.n] + ";"
		one := third(o.f)
		near := 0
		if o.text[:3] == "ex2" || o.text[:4] == "tanh" {
			near = 1
		}
		rows = append(rows,
			row{text, "f16", []string{"f16", "f16", "f16"}[:o.n], one, near},
			row{replace(text, "f16", "f16x2"), "f16x2", []string{"f16x2", "f16x2", "f16x2"}[:o.n], func(v []uint64) uint64 {
				var low, high []uint64
				for _, x := range v {
					low, high = append(low, x&0xffff), append(high, x>>16)
				}
				return one(low) | one(high)<<16
			}, near})
	}
	runTable(t, rows, floatEdges, some()...)
}
