package emit_test

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// floatEdges hold an f32 in the lower half and pairs of f16 in both.
var floatEdges = func() []uint64 {
	singles := []uint32{
		0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f000000, 0x3effffff, 0xbf000000,
		0x3fc00000, 0x40200000, 0xc0200000, 0x4b000000, 0x4affffff, 0x4b800000, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000,
		0x5f000000, 0xdf000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x437f8000, 0x477fe000, 0x477ff000,
		0x38800000, 0x33800000, 0x33000000, 0x3f801000, 0x3f803000, 0x3eaaaaab, 0x40490fdb, 0x0d800000, 0x60000000, 0x7e800001, 0x43000000,
	}
	halves := []uint64{
		0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x8400, 0x3c00, 0xbc00, 0x3800, 0x37ff, 0xb800, 0x3e00, 0x4100, 0xc100, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
		0x7e00, 0x7c01, 0x6400, 0x57f8, 0x5bf8, 0x3555, 0x4248, 0x1000, 0x2000,
	}
	var all []uint64
	for i, s := range singles {
		all = append(all, uint64(s)|uint64(singles[(i*7+3)%len(singles)])<<32)
	}
	for i, h := range halves {
		all = append(all, h|halves[(i*5+1)%len(halves)]<<16|halves[(i*11+7)%len(halves)]<<32)
	}
	return all
}()

func f32(v uint64) float32    { return math.Float32frombits(uint32(v)) }
func bits32(f float32) uint64 { return uint64(math.Float32bits(f)) }

func flush(f float32) float32 {
	if math.Abs(float64(f)) < 0x1p-126 {
		return float32(math.Copysign(0, float64(f)))
	}
	return f
}

// fma32 rounds once: the sum in float64 is made odd where it is not exact.
func fma32(a, b, c float32) float32 {
	p, z := float64(a)*float64(b), float64(c)
	s := p + z
	if math.IsInf(s, 0) || math.IsNaN(s) || s == 0 {
		return float32(s)
	}
	bb := s - p
	if e := (p - (s - bb)) + (z - bb); e != 0 && math.Float64bits(s)&1 == 0 {
		if (e > 0) == (s > 0) {
			s = math.Float64frombits(math.Float64bits(s) + 1)
		} else {
			s = math.Float64frombits(math.Float64bits(s) - 1)
		}
	}
	return float32(s)
}

// min32 and max32: a number beats a NaN, -0 is less than 0.
func min32(a, b float32) float32 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	case a == 0 && b == 0:
		return math.Float32frombits(math.Float32bits(a) | math.Float32bits(b))
	}
	return min(a, b)
}

func max32(a, b float32) float32 { return -min32(-a, -b) }

func sat32(a float32) float32 {
	if !(a > 0) {
		return 0
	}
	return min(a, 1)
}

// single makes rows of an f32 instruction, as the machine's mode has it: with
// and without .ftz. keep says whether the kernel keeps denormals.
func single(keep bool, text string, n int, f func(v []float32) float32) []row {
	var rows []row
	for _, ftz := range []string{"", ".ftz"} {
		if ftz == "" && !strings.Contains(text, "$f") {
			continue
		}
		flushes := ftz != "" || !keep
		rows = append(rows, row{text: replace(text, "$f", ftz), result: "f32", types: []string{"f32", "f32", "f32"}[:n], want: func(v []uint64) uint64 {
			args := make([]float32, len(v))
			for i := range v {
				if args[i] = f32(v[i]); flushes {
					args[i] = flush(args[i])
				}
			}
			r := f(args)
			if flushes {
				r = flush(r)
			}
			return bits32(r)
		}})
	}
	return rows
}

// unary wraps a function of float64 as a correctly rounded one of f32.
func unary(f func(float64) float64) func([]float32) float32 {
	return func(v []float32) float32 { return float32(f(float64(v[0]))) }
}

func singles(keep bool) []row {
	var rows []row
	add := func(text string, n int, f func(v []float32) float32) {
		rows = append(rows, single(keep, text, n, f)...)
	}
	add("add$f.f32 $d, $a, $b;", 2, func(v []float32) float32 { return v[0] + v[1] })
	add("sub.rn$f.f32 $d, $a, $b;", 2, func(v []float32) float32 { return v[0] - v[1] })
	add("mul$f.f32 $d, $a, $b;", 2, func(v []float32) float32 { return v[0] * v[1] })
	add("add$f.sat.f32 $d, $a, $b;", 2, func(v []float32) float32 { return sat32(v[0] + v[1]) })
	add("mul.rn$f.sat.f32 $d, $a, $b;", 2, func(v []float32) float32 { return sat32(v[0] * v[1]) })
	add("fma.rn$f.f32 $d, $a, $b, $c;", 3, func(v []float32) float32 { return fma32(v[0], v[1], v[2]) })
	add("fma.rn$f.sat.f32 $d, $a, $b, $c;", 3, func(v []float32) float32 { return sat32(fma32(v[0], v[1], v[2])) })
	add("mad.rn$f.f32 $d, $a, $b, $c;", 3, func(v []float32) float32 { return fma32(v[0], v[1], v[2]) })
	// A product and a sum are not fused.
	add("{ .reg .f32 %x; mul.ftz.f32 %x, $a, $b; add.ftz.f32 $d, %x, $c; }", 3, func(v []float32) float32 {
		return flush(flush(flush(v[0])*flush(v[1])) + flush(v[2]))
	})
	add("min$f.f32 $d, $a, $b;", 2, func(v []float32) float32 { return min32(v[0], v[1]) })
	add("max$f.f32 $d, $a, $b;", 2, func(v []float32) float32 { return max32(v[0], v[1]) })
	add("min$f.NaN.f32 $d, $a, $b;", 2, func(v []float32) float32 {
		if v[0] != v[0] || v[1] != v[1] {
			return float32(math.NaN())
		}
		return min32(v[0], v[1])
	})
	add("div.rn$f.f32 $d, $a, $b;", 2, func(v []float32) float32 { return float32(float64(v[0]) / float64(v[1])) })
	add("div.full$f.f32 $d, $a, $b;", 2, func(v []float32) float32 { return float32(float64(v[0]) / float64(v[1])) })
	add("rcp.rn$f.f32 $d, $a;", 1, unary(func(x float64) float64 { return 1 / x }))
	add("sqrt.rn$f.f32 $d, $a;", 1, unary(math.Sqrt))
	add("add$f.f32 $d, $a, 0f3F800000;", 1, func(v []float32) float32 { return v[0] + 1 })
	// the emulator's instructions are correctly rounded, the hardware's are not
	add("rcp.approx$f.f32 $d, $a;", 1, unary(func(x float64) float64 { return 1 / x }))
	add("sqrt.approx$f.f32 $d, $a;", 1, unary(math.Sqrt))
	add("rsqrt.approx$f.f32 $d, $a;", 1, unary(func(x float64) float64 { return 1 / math.Sqrt(x) }))
	add("lg2.approx$f.f32 $d, $a;", 1, unary(math.Log2))
	add("ex2.approx$f.f32 $d, $a;", 1, unary(math.Exp2))
	for i := range rows {
		if slices.Contains([]string{"rcp.approx", "sqrt.approx", "rsqrt.approx", "lg2.approx", "ex2.approx"}, beforeType(rows[i].text)) {
			rows[i].near = 2
		}
	}
	// These move bits: only .ftz, and no mode, changes them.
	for _, ftz := range []string{"", ".ftz"} {
		of := func(v uint64) float32 {
			if ftz != "" {
				return flush(f32(v))
			}
			return f32(v)
		}
		rows = append(rows,
			row{"abs" + ftz + ".f32 $d, $a;", "f32", []string{"f32"}, func(v []uint64) uint64 { return bits32(of(v[0])) &^ (1 << 31) }, 0},
			row{"neg" + ftz + ".f32 $d, $a;", "f32", []string{"f32"}, func(v []uint64) uint64 { return bits32(of(v[0])) ^ 1<<31 }, 0})
	}
	return append(rows,
		row{"copysign.f32 $d, $a, $b;", "f32", []string{"f32", "f32"}, two(func(a, b uint64) uint64 { return a&(1<<31) | b&(1<<31-1) }), 0},
		row{"mov.f32 $d, $a;", "f32", []string{"f32"}, func(v []uint64) uint64 { return v[0] }, 0},
		row{"tanh.approx.f32 $d, $a;", "f32", []string{"f32"}, func(v []uint64) uint64 {
			x := f32(v[0])
			if !keep {
				x = flush(x)
			}
			return bits32(float32(math.Tanh(float64(x))))
		}, 64},
	)
}

// beforeType is the first two parts of an opcode.
func beforeType(text string) string {
	dots := 0
	for i, r := range text {
		if r == '.' {
			if dots++; dots == 2 {
				return text[:i]
			}
		}
	}
	return text
}

func TestSingles(t *testing.T) {
	runTable(t, singles(false), floatEdges, some()...)
}

func TestSinglesWithDenormals(t *testing.T) {
	keep := some()
	for i := range keep {
		keep[i].Denormals = true
	}
	runTable(t, singles(true), floatEdges, keep...)
}
