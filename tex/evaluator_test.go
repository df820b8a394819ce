package tex

import (
	"math"
	"testing"

	"kmx/cuda/ptx"
)

// machine runs one kernel with one number, as far as the rounding idiom and
// its rewrite go: loads of parameters give the number, the first global store
// is the result, memory is not modelled. It is written from the PTX manual's
// description of each instruction, apart from the recipes.
type machine struct {
	steps  []func(*state)
	result int
}

type state struct {
	r [64]uint32
	x uint32
}

// newMachine compiles a kernel without branches.
func newMachine(t testing.TB, m *ptx.Module, name string) *machine {
	t.Helper()
	c := &machine{result: -1}
	number := map[string]int{}
	at := func(o ptx.Operand) int {
		r, ok := o.(*ptx.Register)
		if !ok {
			t.Fatalf("%s: not a register", m.Source(o.Range()))
		}
		if _, known := number[r.Name]; !known {
			number[r.Name] = len(number)
		}
		return number[r.Name]
	}
	value := func(o ptx.Operand) func(*state) uint32 {
		if i, ok := o.(*ptx.Immediate); ok {
			return func(*state) uint32 { return uint32(i.Bits) }
		}
		n := at(o)
		return func(s *state) uint32 { return s.r[n] }
	}
	for in := range m.Instructions(m.Function(name)) {
		if c.result >= 0 {
			break
		}
		ftz := in.Has("ftz")
		three := func(do func(a, b uint32) uint32) {
			d, a, b := at(in.Operands[0]), value(in.Operands[1]), value(in.Operands[2])
			c.steps = append(c.steps, func(s *state) { s.r[d] = do(a(s), b(s)) })
		}
		two := func(do func(a uint32) uint32) {
			d, a := at(in.Operands[0]), value(in.Operands[1])
			c.steps = append(c.steps, func(s *state) { s.r[d] = do(a(s)) })
		}
		arith := func(do func(a, b float32) float32) {
			three(func(a, b uint32) uint32 { return flush(math.Float32bits(do(float(a, ftz), float(b, ftz))), ftz) })
		}
		switch in.Op() {
		case "ld":
			if in.Parts[len(in.Parts)-1] == "f32" {
				d := at(in.Operands[0])
				c.steps = append(c.steps, func(s *state) { s.r[d] = s.x })
			}
		case "mov":
			two(func(a uint32) uint32 { return a })
		case "and":
			three(func(a, b uint32) uint32 { return a & b })
		case "or":
			three(func(a, b uint32) uint32 { return a | b })
		case "copysign":
			three(func(a, b uint32) uint32 { return a&signBit | b&^uint32(signBit) })
		case "add":
			if in.Has("rz") {
				arith(addTowardsZero)
			} else {
				arith(func(a, b float32) float32 { return a + b })
			}
		case "sub":
			arith(func(a, b float32) float32 { return a - b })
		case "abs":
			two(func(a uint32) uint32 { return flush(a, ftz) &^ uint32(signBit) })
		case "setp":
			three(func(a, b uint32) uint32 {
				if float(a, ftz) >= float(b, ftz) {
					return 1
				}
				return 0
			})
		case "selp":
			d, a, b, p := at(in.Operands[0]), value(in.Operands[1]), value(in.Operands[2]), value(in.Operands[3])
			c.steps = append(c.steps, func(s *state) {
				if p(s) != 0 {
					s.r[d] = a(s)
				} else {
					s.r[d] = b(s)
				}
			})
		case "cvt":
			if in.Parts[1] != "rzi" || in.Parts[len(in.Parts)-1] != "f32" || in.Parts[len(in.Parts)-2] != "f32" {
				t.Fatalf("%s is not modelled", in.Opcode)
			}
			two(func(a uint32) uint32 {
				return math.Float32bits(float32(math.Trunc(float64(float(a, ftz)))))
			})
		case "st":
			c.result = at(in.Operands[1])
		default:
			t.Fatalf("%s is not modelled", in.Opcode)
		}
	}
	if c.result < 0 || len(number) > len(state{}.r) {
		t.Fatalf("no result, or %d registers", len(number))
	}
	return c
}

func (c *machine) run(x uint32) uint32 {
	s := state{x: x}
	for _, step := range c.steps {
		step(&s)
	}
	return s.r[c.result]
}

// flush makes a denormal a zero of its sign.
func flush(bits uint32, ftz bool) uint32 {
	if ftz && bits&0x7F800000 == 0 {
		return bits & signBit
	}
	return bits
}

func float(bits uint32, ftz bool) float32 { return math.Float32frombits(flush(bits, ftz)) }

// addTowardsZero adds in 64 bits and corrects what was rounded away from zero.
// The 64-bit sum is exact where the smaller number is not below its last place;
// where it is, both have one sign here or the smaller one is no half, and the
// sum of 64 bits is on the right side of the 32-bit numbers around it.
func addTowardsZero(a, b float32) float32 {
	sum := float64(a) + float64(b)
	r := float32(sum)
	if math.Abs(float64(r)) > math.Abs(sum) {
		r = math.Float32frombits(math.Float32bits(r) - 1)
	}
	return r
}

func TestAddTowardsZero(t *testing.T) {
	for _, c := range []struct{ a, b, want float32 }{
		{0.49999997, 0.5, 0.99999994}, {-0.49999997, -0.5, -0.99999994}, {0.5, 0.5, 1}, {8388609, 0.5, 8388609},
		{16777215, 0.5, 16777215}, {1e30, 0.5, 1e30}, {-1e38, -0.5, -1e38}, {1e-40, 0.5, 0.5}, {math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
		{3.3, 0.5, 3.8}, {1, 1e-9, 1}, {1, -1e-9, 0.99999994},
	} {
		if got := addTowardsZero(c.a, c.b); got != c.want {
			t.Errorf("%v + %v = %v, want %v", c.a, c.b, got, c.want)
		}
	}
	if inf := float32(math.Inf(1)); addTowardsZero(inf, 0.5) != inf {
		t.Error("infinity")
	}
}
