package tex

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
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

// Numbers at which rounding could go wrong: every exponent with mantissas at
// both ends and in the middle, everything near an integer or a half, zeros,
// denormals, infinities; then a walk over all patterns. No NaN.
func roundingInputs(step uint32) []uint32 {
	var list []uint32
	both := func(bits uint32) {
		if bits&0x7FFFFFFF <= 0x7F800000 {
			list = append(list, bits, bits^signBit)
		}
	}
	for e := range uint32(256) {
		for _, m := range []uint32{0, 1, 2, 0x3FFFFF, 0x400000, 0x400001, 0x7FFFFE, 0x7FFFFF} {
			both(e<<23 | m)
		}
	}
	for n := range 3000 {
		mid := math.Float32bits(float32(n) / 2)
		for d := range uint32(9) {
			both(mid + d - 4)
		}
	}
	for e := 0; e < 26; e++ {
		for n := -6; n <= 6; n++ {
			mid := math.Float32bits(float32(math.Ldexp(1, e)) + float32(n)/4)
			both(mid)
			both(mid + 1)
		}
	}
	for x := uint64(0); x < 1<<31; x += uint64(step) {
		both(uint32(x))
	}
	return list
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

// TestRoundingIsTheSame runs both sequences, as the recipe reads and writes
// them, over numbers of all kinds: all forms, both orders of the addition, with
// and without flushing in the addition and in the conversion.
func TestRoundingIsTheSame(t *testing.T) {
	step := uint32(200003)
	if testing.Short() {
		step = 1000003
	}
	inputs := roundingInputs(step)
	forms := map[string]string{
		"A":            "mov.b32 %r1, %f1;\nand.b32 %r2, %r1, -2147483648;\nor.b32 %r3, %r2, 1056964608;\nmov.b32 %f2, %r3;",
		"A other way":  "mov.u32 %r9, 0x80000000;\nmov.b32 %r1, %f1;\nand.b32 %r2, %r9, %r1;\nor.b32 %r3, 0x3F000000, %r2;\nmov.b32 %f2, %r3;",
		"B":            "copysign.f32 %f2, %f1, 0f3F000000;",
		"B, registers": "mov.f32 %f9, 0f3F000000;\nmov.f32 %f8, %f1;\ncopysign.f32 %f2, %f8, %f9;",
	}
	for name, form := range forms {
		for _, add := range []string{"add.rz.ftz.f32 %f3, %f1, %f2;", "add.rz.f32 %f3, %f2, %f1;"} {
			for _, cvt := range []string{"cvt.rzi.f32.f32", "cvt.rzi.ftz.f32.f32"} {
				t.Run(fmt.Sprint(name, " ", add[:11], " ", cvt), func(t *testing.T) {
					text := rounds(form + "\n" + add + "\n" + cvt + " %f4, %f3;")
					m, r, err := edit(t, "one", text, "stores", Options{})
					if err != nil {
						t.Fatal(err)
					}
					edited := parse(t, "edited", string(r.Text))
					for in := range edited.Instructions(edited.Function("one")) {
						if directed(in) != "" {
							t.Fatalf("%s is left", in.Opcode)
						}
					}
					was, is := newMachine(t, m, "one"), newMachine(t, edited, "one")
					bad := 0
					for _, x := range inputs {
						if a, b := was.run(x), is.run(x); a != b {
							if bad++; bad < 5 {
								t.Errorf("%08X (%v): %08X before, %08X after", x, math.Float32frombits(x), a, b)
							}
						}
					}
					if bad > 0 {
						t.Errorf("%d of %d differ", bad, len(inputs))
					}
				})
			}
		}
	}
}

// TestRoundingTestSees makes sure that the comparison above can fail.
func TestRoundingTestSees(t *testing.T) {
	m, r, err := edit(t, "one", rounds("copysign.f32 %f2, %f1, 0f3F000000;\nadd.rz.f32 %f3, %f1, %f2;\ncvt.rzi.f32.f32 %f4, %f3;"), "stores", Options{})
	if err != nil {
		t.Fatal(err)
	}
	was := newMachine(t, m, "one")
	for _, change := range [][2]string{{"0f3F000000;\n\tadd", "0f3F000001;\n\tadd"}, {"%kmx_up, %f2, %f2", "%kmx_up, %f1, %f1"}, {"selp.f32 %f3, %kmx_up, %kmx_t", "selp.f32 %f3, %kmx_t, %kmx_up"}} {
		text := strings.Replace(string(r.Text), change[0], change[1], 1)
		if text == string(r.Text) {
			t.Fatalf("no %q in\n%s", change[0], text)
		}
		is, bad := newMachine(t, parse(t, "edited", text), "one"), 0
		for _, x := range roundingInputs(1000003) {
			if was.run(x) != is.run(x) {
				bad++
			}
		}
		if bad == 0 {
			t.Errorf("%q is not noticed", change[1])
		}
	}
}

// TestRoundingIsSound mutates straight code with two idioms in it, operands and
// whole statements: whatever is still rewritten gives the same numbers.
func TestRoundingIsSound(t *testing.T) {
	base := strings.Split(`mov.b32 %r1, %f1;
and.b32 %r2, %r1, -2147483648;
or.b32 %r3, %r2, 1056964608;
mov.b32 %f2, %r3;
add.rz.ftz.f32 %f3, %f1, %f2;
cvt.rzi.f32.f32 %f5, %f3;
sub.f32 %f6, %f1, %f5;
mov.f32 %f7, %f6;
copysign.f32 %f8, %f6, 0f3F000000;
add.rz.f32 %f9, %f8, %f7;
cvt.rzi.f32.f32 %f4, %f9;
add.f32 %f4, %f4, %f5;`, "\n")
	random := rand.New(rand.NewPCG(5, 6))
	any := regexp.MustCompile(`%[fr]\d|-?\b\d{4,}|0f\w+`)
	operands := []string{"%f1", "%f2", "%f3", "%f5", "%f6", "%f7", "%f8", "%f9", "%r1", "%r2", "%r3", "0f3F000000", "0f3F800000", "-2147483648", "1056964608"}
	inputs := []uint32{}
	all := roundingInputs(1 << 30)
	for range 60 {
		inputs = append(inputs, all[random.IntN(len(all))])
	}
	for n := range 2000 {
		inputs = append(inputs, math.Float32bits(float32(n-1000)/8))
	}
	tries, rewritten := 1500, 0
	if testing.Short() {
		tries = 400
	}
	for range tries {
		lines := slices.Clone(base)
		for range 1 + random.IntN(2) {
			i, k := random.IntN(len(lines)), random.IntN(len(lines))
			switch random.IntN(4) {
			case 0:
				lines[i], lines[k] = lines[k], lines[i]
			case 1:
				lines = slices.Insert(lines, i, lines[k])
			default:
				places := any.FindAllStringIndex(lines[i], -1)
				p := places[random.IntN(len(places))]
				if p[0] < 20 && random.IntN(2) == 0 { // destinations less often
					p = places[len(places)-1]
				}
				lines[i] = lines[i][:p[0]] + operands[random.IntN(len(operands))] + lines[i][p[1]:]
			}
		}
		text := rounds(strings.Join(lines, "\n"))
		m, err := ptx.Parse("mutant.ptx", []byte(text))
		if err != nil || !writesRegisters(m) {
			continue
		}
		r, err := Edit(Request{Kernel: "one", Recipe: "stores", Module: m})
		if err != nil {
			continue
		}
		rewritten++
		was, is := newMachine(t, m, "one"), newMachine(t, parse(t, "edited", string(r.Text)), "one")
		for _, x := range inputs {
			a, b := was.run(x), is.run(x)
			if a != b && (a&0x7FFFFFFF <= 0x7F800000 || b&0x7FFFFFFF <= 0x7F800000) {
				t.Fatalf("%08X: %08X before, %08X after:\n%s", x, a, b, text)
			}
		}
	}
	if rewritten < tries/50 {
		t.Errorf("only %d of %d mutants were rewritten: the test says little", rewritten, tries)
	}
	t.Logf("%d of %d rewritten", rewritten, tries)
}

// writesRegisters reports whether every destination is a register.
func writesRegisters(m *ptx.Module) bool {
	for in := range m.Instructions(m.Function("one")) {
		if op := in.Op(); op != "st" && op != "ret" && written(in, 0) == "" {
			return false
		}
	}
	return true
}

// rounds is a kernel that computes %f4 from %f1.
func rounds(statements string) string {
	return `.version 7.5
.target sm_80
.address_size 64
.visible .entry one(.param .u64 one_param_0, .param .f32 one_param_1)
{
.reg .pred %p<4>;
.reg .f32 %f<20>;
.reg .b32 %r<20>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [one_param_0];
ld.param.f32 %f1, [one_param_1];
` + statements + `
st.global.f32 [%rd1], %f4;
ret;
}
`
}
