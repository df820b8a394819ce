package standin_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"kmx/cuda/ptx"
)

// operands says what each opcode in use takes, after the PTX ISA manual:
// p predicate, h 16 bits, r 32 bits, f f32, d 64 bits; i an integer or F a
// float immediate also goes; {...} a vector; [d] an address in a register with
// an offset, [s] in a 32-bit register or a symbol, [P] a parameter, [t..] an
// object with two coordinates. An opcode that is not here is an error: it must
// be looked up first.
var operands = map[string]string{
	"add.s32": "r r ri", "sub.s32": "r r ri", "mul.lo.s32": "r r ri", "mad.lo.s32": "r r ri ri", "abs.s32": "r r",
	"min.s32": "r r ri", "max.s32": "r r ri", "and.b32": "r r ri", "or.b32": "r r ri", "shl.b32": "r r ri", "shr.u32": "r r ri",
	"shr.s32": "r r ri", "div.u32": "r r ri", "add.s64": "d d di", "add.u64": "d d di", "mul.wide.s32": "d r ri", "mul.wide.u32": "d r ri",
	"add.ftz.f32": "f f fF", "sub.ftz.f32": "f fF fF", "mul.ftz.f32": "f f fF", "fma.rn.ftz.f32": "f f fF fF", "fma.rn.ftz.sat.f32": "f f fF fF",
	"min.ftz.f32": "f f fF", "max.ftz.f32": "f f fF", "abs.ftz.f32": "f f", "add.rz.ftz.f32": "f f f", "copysign.f32": "f f fF",
	"rcp.approx.ftz.f32": "f f", "sqrt.approx.ftz.f32": "f f", "ex2.approx.ftz.f32": "f f", "lg2.approx.ftz.f32": "f f", "tanh.approx.f32": "f f",
	"div.approx.ftz.f32": "f fF f", "cvt.ftz.sat.f32.f32": "f f", "cvt.rzi.f32.f32": "f f", "cvt.rmi.ftz.f32.f32": "f f",
	"cvt.rzi.ftz.s32.f32": "r f", "cvt.rn.f32.s32": "f r", "cvt.rn.f16.f32": "h f", "cvt.f32.f16": "f h", "cvt.rn.f16x2.f32": "r f f",
	"cvt.rn.satfinite.e4m3x2.f16x2": "h r", "cvt.rn.f16x2.e4m3x2": "r h",
	"add.f16x2": "r r r", "mul.f16x2": "r r r", "fma.rn.f16x2": "r r r r", "min.f16x2": "r r r", "max.f16x2": "r r r",
	"ex2.approx.f16x2": "r r", "tanh.approx.f16x2": "r r",
	"mov.u32": "r rsi", "mov.f32": "f fF", "mov.u64": "d s", "mov.b32": "rf{hh} rf{hh}", "selp.b32": "r r r p", "selp.f32": "f f f p",
	"or.pred": "p p p", "and.pred": "p p p",
	"setp.ge.s32": "p r ri", "setp.lt.s32": "p r ri", "setp.eq.s32": "p r ri", "setp.ne.s32": "p r ri", "setp.lt.u32": "p r ri",
	"setp.gt.ftz.f32": "p f fF", "setp.lt.ftz.f32": "p f fF", "setp.gtu.ftz.f32": "p f fF",
	"cvta.to.global.u64": "d d", "bra": "L", "bra.uni": "L", "ret": "",
	"ld.param.u64": "d [P]", "ld.param.u32": "r [P]", "ld.param.f32": "f [P]", "ld.param.v2.u32": "{rr} [P]", "ld.param.v2.f32": "{ff} [P]", "st.param.f32": "[P] f",
	"ld.global.nc.u32": "r [d]", "ld.global.nc.f32": "f [d]", "ld.global.nc.v4.u32": "{rrrr} [d]", "ld.global.u32": "r [d]",
	"st.global.u32": "[d] r", "st.global.v4.u32": "[d] {rrrr}", "red.global.or.b32": "[d] r",
	"ld.shared.u32": "r [s]", "ld.shared.f32": "f [s]", "ld.shared.v4.u32": "{rrrr} [s]", "st.shared.u32": "[s] r", "st.shared.f32": "[s] f", "st.shared.v4.u32": "[s] {rrrr}",
	"ld.local.f32": "f [d]", "st.local.f32": "[d] f",
	"tex.base.2d.v4.f32.s32": "{ffff} [trr]", "tex.2d.v4.f32.f32": "{ffff} [tff]", "tex.level.2d.v4.f32.f32": "{ffff} [tff] f", "tld4.r.2d.v4.f32.f32": "{ffff} [tff]",
	"sust.b.2d.v2.b16.zero": "[trr] {hh}", "sust.b.2d.v4.b16.zero": "[trr] {hhhh}", "sust.b.2d.b32.zero": "[trr] {r}", "sust.p.2d.v4.b32.zero": "[trr] {rrrr}",
	"bar.sync": "i", "bar.warp.sync": "i", "shfl.sync.bfly.b32": "r|p r r r r", "shfl.sync.up.b32": "r|p r r r r", "shfl.sync.down.b32": "r|p r r r r",
	"vote.sync.ballot.b32": "r p i", "movmatrix.sync.aligned.m8n8.trans.b16": "r r",
	"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16": "{rr} {rrrr} {rr} {rr}", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16": "{rr} {rrrr} {rr} {rr}",
}

var (
	statement = regexp.MustCompile(`^\t\{?(?:@!?(%p\d+) )?([a-z][a-z0-9_.]*) *\t?(.*?);\}?$`)
	letters   = map[string]string{"%p": "p", "%rs": "h", "%r": "r", "%f": "f", "%rd": "d", "%SP": "d", "%SPL": "d"}
	registerR = regexp.MustCompile(`^(%(?:p|rs|rd|r|f|SPL|SP))(\d*)$`)
	symbol    = regexp.MustCompile(`^\w+$`)
	number    = regexp.MustCompile(`^-?\d+$`)
	float32R  = regexp.MustCompile(`^0f[0-9A-F]{8}$`)
)

// scope is a line of a scope with registers of its own.
var scope = regexp.MustCompile(`^\t(?:\{\.reg \.b16 low, high;|mov\.b32 \{low, high\}, %r\d+;|cvt\.f32\.f16 %f\d+, (?:low|high);\})$`)

// kind writes an operand in the letters of the table.
func kind(s string) string {
	s = strings.TrimSpace(s)
	if m := registerR.FindStringSubmatch(s); m != nil {
		return letters[m[1]]
	}
	switch {
	case number.MatchString(s):
		return "i"
	case float32R.MatchString(s):
		return "F"
	case strings.HasPrefix(s, "%ctaid.") || strings.HasPrefix(s, "%tid.") || strings.HasPrefix(s, "%ntid.") || s == "%laneid":
		return "s"
	case strings.HasPrefix(s, "$L__BB"):
		return "L"
	case strings.HasPrefix(s, "{"):
		k := "{"
		for _, e := range strings.Split(strings.Trim(s, "{}"), ",") {
			k += kind(e)
		}
		return k + "}"
	case strings.HasPrefix(s, "["):
		inner := strings.Trim(s, "[]")
		if obj, at, ok := strings.Cut(inner, ", "); ok {
			if kind(obj) != "d" {
				return "?"
			}
			return "[t" + strings.Trim(kind(at), "{}") + "]"
		}
		base, _, _ := strings.Cut(inner, "+")
		switch kind(base) {
		case "d":
			return "[d]"
		case "r":
			return "[s]"
		}
		return "[P]"
	case strings.Contains(s, "|"):
		a, b, _ := strings.Cut(s, "|")
		return kind(a) + "|" + kind(b)
	case symbol.MatchString(s):
		return "s"
	}
	return "?"
}

// fits holds an operand against its entry: alternatives are letters, or vectors
// among them.
func fits(want, got string) bool {
	if want == got {
		return true
	}
	if strings.HasPrefix(want, "[") || strings.Contains(want, "|") {
		return false
	}
	if i := strings.Index(want, "{"); i >= 0 {
		return got == want[i:] || len(got) == 1 && strings.Contains(want[:i], got)
	}
	return len(got) == 1 && strings.Contains(want, got)
}

// split cuts operands at commas outside of brackets.
func split(s string) []string {
	var all []string
	depth, start := 0, 0
	for i, c := range s {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				all = append(all, s[start:i])
				start = i + 1
			}
		}
	}
	if strings.TrimSpace(s[start:]) != "" {
		all = append(all, s[start:])
	}
	return all
}

// check returns what is wrong with a statement.
func check(line string) error {
	m := statement.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("not understood")
	}
	want, known := operands[m[2]]
	if !known {
		return fmt.Errorf("%s is not in the table of this test: look it up in the PTX ISA manual", m[2])
	}
	got, wants := split(m[3]), strings.Fields(want)
	if len(got) != len(wants) {
		return fmt.Errorf("%d operands, want %s", len(got), want)
	}
	for i, g := range got {
		if !fits(wants[i], kind(g)) {
			return fmt.Errorf("operand %d is %s, want %s", i+1, kind(g), wants[i])
		}
	}
	return nil
}

// TestOperands holds every statement against the manual.
func TestOperands(t *testing.T) {
	checked := 0
	for _, m := range firstModules() {
		for name, body := range bodies(t, m) {
			call := false
			for _, line := range strings.Split(body, "\n")[1:] {
				call = call || strings.Contains(line, "{ // callseq")
				skip := call || line == "" || strings.HasPrefix(line, "\t//") || strings.HasPrefix(line, "$L__BB") ||
					strings.HasPrefix(line, "\t.") || strings.HasPrefix(line, ".") || strings.HasPrefix(line, "{") || strings.HasPrefix(line, ")")
				call = call && !strings.Contains(line, "} // callseq")
				if scope.MatchString(line) {
					continue
				}
				if skip {
					continue
				}
				checked++
				if err := check(line); err != nil {
					t.Errorf("%s: %s: %v", name, line, err)
				}
			}
		}
	}
	if checked < 20000 {
		t.Errorf("only %d statements", checked)
	}
}

func TestCheckFinds(t *testing.T) {
	for _, line := range []string{
		"\tadd.s32 \t%r1, %r2;", "\tadd.ftz.f32 \t%f1, %r2, %f3;", "\tadd.u32 \t%r1, %r2, %r3;", "\tld.global.u32 \t%r1, [%r2];",
		"\tsust.b.2d.v2.b16.zero \t[%rd1, {%r1, %r2}], {%r3, %r4};", "\tmov.b32 \t%rd1, %f1;", "\tsetp.lt.s32 \t%p1, %r1, 0f00000000;",
		"\ttex.2d.v4.f32.f32 \t{%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2}];",
	} {
		if check(line) == nil {
			t.Errorf("nothing is wrong with %q", line)
		}
	}
}

// TestRegisters: nothing is read before it is written, on any path, and no
// register is beyond its declaration.
func TestRegisters(t *testing.T) {
	for _, m := range firstModules() {
		p, err := ptx.Parse(m.Name, m.Text)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range p.Functions() {
			if f.Body == nil {
				continue
			}
			fl := ptx.Analyse(f)
			first := fl.Instructions()[0]
			for r := range fl.LiveIn(first) {
				t.Errorf("%s: %v is read before it is written", f.Name, r)
			}
			for _, in := range fl.Instructions() {
				for _, r := range append(fl.Reads(in), fl.Writes(in)...) {
					if fl.Declaration(r) == nil {
						t.Errorf("%s: %s is not declared", f.Name, r)
					}
				}
			}
		}
	}
}
