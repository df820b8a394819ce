package ptx

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"kmx/internal/diag"
)

// testdata/errors.txt has pieces of PTX, each under a line "## name" and
// followed by "#>" lines: the messages that people get.
func TestErrorTexts(t *testing.T) {
	const path = "testdata/errors.txt"
	var out strings.Builder
	for _, part := range strings.Split(read(t, path), "\n## ") {
		var source, want []string
		lines := strings.Split(strings.TrimRight(part, "\n"), "\n")
		lines[0] = strings.TrimPrefix(lines[0], "## ")
		for _, l := range lines[1:] {
			if strings.HasPrefix(l, "#>") {
				want = append(want, l)
			} else {
				source = append(source, l)
			}
		}
		_, err := Parse("m.ptx", []byte(strings.Join(source, "\n")))
		text := printed(err)
		if text == "" {
			t.Errorf("%s: no error", lines[0])
		}
		var got []string
		for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
			got = append(got, strings.TrimRight("#> "+l, " "))
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", lines[0], strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		fmt.Fprintf(&out, "## %s\n%s\n%s\n", lines[0], strings.Join(source, "\n"), strings.Join(got, "\n"))
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// One slip is one message, and what stands around it is still read.
func TestRecovery(t *testing.T) {
	for _, c := range []struct {
		source     string
		errors     int
		statements int
	}{
		{"mov.b32 %r1, ;\nret;", 1, 1},
		{"mov.b32 %r1, %r2\nret;", 1, 2},
		{"mov.b32 {%r1, %r2 %r3}, %rd1;\nret;", 1, 1},
		{"mov.b32 {%r1, %r2, %rd1;\nret;", 1, 1},
		{"{ .reg .pred p; setp p q; }\nret;", 1, 2},
		{"{ ret }\nret;", 1, 2},
		{"bad$op.x %r1;\nret;\nmov.b32 = 3;\nret;", 2, 2},
		{".maxntid 3;\n.loc 1 2\nret;", 2, 0},
		{";\nret;", 1, 1},
	} {
		m, err := Parse("m.ptx", []byte(".entry f() {\n"+c.source+"\n}\n.entry g() { ret; }"))
		list, _ := err.(diag.List)
		if len(list) != c.errors {
			t.Errorf("%s: %d messages, want %d:\n%v", c.source, len(list), c.errors, err)
		}
		f, g := m.Function("f"), m.Function("g")
		if f == nil || g == nil {
			t.Errorf("%s: a function is lost", c.source)
			continue
		}
		if n := len(f.Body.Items); n != c.statements {
			t.Errorf("%s: %d statements kept, want %d", c.source, n, c.statements)
		}
	}
}

func TestErrorsAreLimited(t *testing.T) {
	text := ".entry f() {\n" + strings.Repeat("mov.b32 %r1 %r2;\n", 1000) + "}\n"
	m, err := Parse("m.ptx", []byte(text))
	list, _ := err.(diag.List)
	if len(list) != maxErrors+1 || !strings.Contains(list[maxErrors].Summary, "the first 20 problems are shown") {
		t.Errorf("%d messages, the last is %v", len(list), list[len(list)-1])
	}
	if m == nil || string(m.Print()) != text {
		t.Error("the module is not there")
	}
}

// Nothing in a text can take memory or stack out of proportion to it.
func TestBounds(t *testing.T) {
	deep := 100_000
	for _, c := range []struct{ name, source, want string }{
		{"blocks", ".entry f() " + strings.Repeat("{", deep), "blocks are nested too deeply"},
		{"vectors", ".entry f() { mov.b32 " + strings.Repeat("{", deep) + ";", "operands are nested too deeply"},
		{"addresses", ".entry f() { ld.b32 %r1, " + strings.Repeat("[%r1, ", deep) + ";", "operands are nested too deeply"},
		{"initialisers", ".global .b32 x = " + strings.Repeat("{", deep) + ";", "initialisers are nested too deeply"},
		{"properties", ".global .b32 x = " + strings.Repeat("a = ", deep) + ";", "initialisers are nested too deeply"},
		{"parentheses", ".global .b32 x = " + strings.Repeat("(", deep) + ";", "a constant expression is nested too deeply"},
		{"signs", ".global .b32 x = " + strings.Repeat("-", deep) + "1;", "a constant expression is nested too deeply"},
		{"choices", ".global .b32 x = " + strings.Repeat("1 ? 1 : ", deep) + "1;", "a constant expression is nested too deeply"},
		{"operators", ".global .b32 x = 1" + strings.Repeat(" + 1", 30) + ";", ""},
		{"operands", ".entry f() { mov.b32 %r1" + strings.Repeat(", %r1", deep) + ";", "more than 1024 operands"},
		{"dimensions", ".global .b8 x" + strings.Repeat("[1]", 20) + ";", "the array is too large"},
		{"elements", ".global .b8 x[1099511627776][2];", "the array is too large"},
		{"count", ".global .b8 x[1099511627777];", "the number of elements is 1099511627777; it can be 0 to 1099511627776"},
		{"registers", ".entry f() { .reg .b32 %r<99999999>; }", "the number of registers is 99999999; it can be 0 to 16777216"},
		{"alignment", ".global .align 3 .b8 x;", "the alignment is 3, no power of two"},
		{"alignments", ".global .align 4294967296 .b8 x;", "the alignment is 4294967296; it can be 1 to 1048576"},
		{"comment", ".version 7.5 /*", "a comment that begins with /* has no end"},
		{"string", ".file 1 \"a", "a string has no end"},
		{"section", ".section .x { {", "the section has no end"},
		{"NUL", ".version 7.5\n\x00", "found the byte 0x00"},
		{"not ASCII", ".version 7.5\n\xff", "found the byte 0xff"},
	} {
		_, err := Parse("m.ptx", []byte(c.source))
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		list, _ := err.(diag.List)
		if len(list) == 0 || !strings.Contains(list[0].Summary, c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// Every message has a place, and what it says of the line is the line.
func TestErrorsHavePlaces(t *testing.T) {
	text := read(t, "testdata/forms.ptx")
	place := regexp.MustCompile(`^forms\.ptx:\d+:\d+: `)
	seen := 0
	for i := 0; i < len(text); i += 7 {
		broken := text[:i] + "\x01" + text[i:]
		_, err := Parse("forms.ptx", []byte(broken))
		list, _ := err.(diag.List)
		for _, m := range list {
			seen++
			if !place.MatchString(m.String()) {
				t.Fatalf("at %d: no place in %q", i, m.String())
			}
			line := strings.Split(broken, "\n")[m.Where.Start.Line-1]
			shown := shorten(strings.TrimSpace(line))
			if shown != "" && !strings.Contains(m.Detail, shown) {
				t.Fatalf("at %d: %q does not show the line %q", i, m.Detail, line)
			}
		}
	}
	if seen < 300 {
		t.Errorf("only %d messages", seen)
	}
}
