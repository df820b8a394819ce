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
