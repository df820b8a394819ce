package emit_test

import (
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"kmx/emit"
)

var update = flag.Bool("update", false, "write the tables of docs/emitter.md")

// registers are declared for every example.
const registers = ".reg .pred %p<5>;\n.reg .b16 %h<5>, %rs<5>;\n.reg .b32 %r<9>;\n.reg .f32 %f<5>;\n.reg .f64 %fd<5>;\n.reg .b64 %rd<5>;\n"

func example(statement string) string {
	return header + ".visible .entry k(.param .u64 k_0) {\n" + registers + statement + "\nret;\n}\n"
}

// TestRefused gives the examples of the manual to Lower.
func TestRefused(t *testing.T) {
	for _, u := range emit.Refused() {
		t.Run(strings.Fields(u.What)[0], func(t *testing.T) {
			_, err := emit.Lower(parse(t, example(u.Example)), "k", emit.Options{Target: "gfx1201", Denormals: true, Bitcode: []string{"b.bc"}})
			var refusal *emit.Refusal
			if !errors.As(err, &refusal) || len(refusal.Messages) != 1 {
				t.Fatalf("%s: %v", u.Example, err)
			}
			m := refusal.Messages[0]
			if m.Where.Start.Line != 12 || m.Where.Start.Column != 1 || !strings.Contains(m.Detail, u.Example[:len(u.Example)-1]) {
				t.Errorf("%+v", m)
			}
		})
	}
}

// All refusals of a kernel come at once, in order, each with its place.
func TestRefusalsAtOnce(t *testing.T) {
	text := example("sin.approx.f32 %f1, %f2;\nadd.f32 %f1, %f2, %f3;\nsqrt.rz.f32 %f1, %f2;\nadd.s32 %r1, %nosuch, 1;\nbra NOWHERE;\nmov.u16 %r1, %h1;\nadd.s32 %r1, %h1, 1;\nmul.s32 %r1, %r2, %r3;\nadd.bogus.s32 %r1, %r2, %r3;")
	_, err := emit.Lower(parse(t, text), "k", emit.Options{Target: "gfx1201"})
	var refusal *emit.Refusal
	if !errors.As(err, &refusal) {
		t.Fatal(err)
	}
	var lines []int
	for _, m := range refusal.Messages {
		lines = append(lines, m.Where.Start.Line)
	}
	if !slices.Equal(lines, []int{12, 14, 15, 16, 17, 18, 19, 20}) {
		t.Errorf("lines %v: %v", lines, err)
	}
	for _, s := range []string{"sqrt with the rounding .rz", "%nosuch is no register", "no label NOWHERE", "%h1 has 16 bits, the instruction wants 32", "without .lo, .hi or .wide", "the modifier .bogus"} {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("it does not say %q: %v", s, err)
		}
	}
}

// What is wrong with the whole is said too.
func TestWrongRequests(t *testing.T) {
	m := parse(t, example("bar.sync 0;"))
	for _, test := range []struct {
		kernel string
		o      emit.Options
		says   string
	}{
		{"kk", emit.Options{Target: "gfx1201"}, "did you mean k?"},
		{"k", emit.Options{Target: "gfx1030"}, `target "gfx1030"`},
		{"k", emit.Options{Target: "gfx1201", MaxBlock: 2000}, "MaxBlock 2000"},
	} {
		if _, err := emit.Lower(m, test.kernel, test.o); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v, want %q", err, test.says)
		}
	}
}

// TestManual holds the tables of the manual.
func TestManual(t *testing.T) {
	const path = "../docs/emitter.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var refused strings.Builder
	refused.WriteString("| construct | why | example |\n|---|---|---|\n")
	for _, u := range emit.Refused() {
		refused.WriteString("| " + u.What + " | " + u.Why + " | `" + strings.ReplaceAll(u.Example, "|", "\\|") + "` |\n")
	}
	want := section(t, string(data), "operations", "`"+strings.Join(emit.Operations(), "`, `")+"`\n")
	want = section(t, want, "refused", refused.String())
	if want == string(data) {
		return
	}
	if !*update {
		t.Fatal("docs/emitter.md has other tables than the code; go test ./emit -run Manual -update writes them")
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// section replaces what stands between a mark and the next heading.
func section(t *testing.T, text, mark, body string) string {
	t.Helper()
	mark = "<!-- " + mark + " -->\n"
	before, after, ok := strings.Cut(text, mark)
	if !ok {
		t.Fatalf("docs/emitter.md lacks %q", mark)
	}
	_, rest, ok := strings.Cut(after, "\n## ")
	if !ok {
		t.Fatalf("no heading after %q", mark)
	}
	return before + mark + "\n" + body + "\n## " + rest
}
