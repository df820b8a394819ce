package matrix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"kmx/internal/diag"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"spaces", "a=1\nlonger   =2\n", "a      = 1\nlonger = 2\n"},
		{"indentation", "x \"y\" {\n\ta = [\n1,\n]\n}\n", "x \"y\" {\n  a = [\n    1,\n  ]\n}\n"},
		{"empty lines", "\n\na = 1\n\n\n\nx {\n\n  b = 1\n\n}\n\n\n", "a = 1\n\nx {\n  b = 1\n}\n"},
		{"empty lines in lists", "a = [\n\n  1,\n\n\n  2,\n\n]\n", "a = [\n  1,\n\n  2,\n]\n"},
		{"line ends", "a = 1 \r\nb = 2\r\n# c\r\n", "a = 1\nb = 2\n# c\n"},
		{"no newline at the end", "a = 1", "a = 1\n"},
		{"comment at the end", "a = 1 // x", "a = 1 # x\n"},
		{"comments", "// one  \n//two\n#three\n/* four  \n  five */\na = 1\n", "# one\n#two\n#three\n/* four\n  five */\na = 1\n"},
		{"comments are kept apart", "# one\n\n# two\na = 1 # three\nbcd = 2 // four\n", "# one\n\n# two\na   = 1 # three\nbcd = 2 # four\n"},
		{"heredoc", "a = <<EOT\n  x \r\n\n\n  y // no comment\nEOT\nb=1\n", "a = <<EOT\n  x \r\n\n\n  y // no comment\nEOT\nb = 1\n"},
		{"templates", "a = \"  ${ b }//  ${\"x\"}\"\n", "a = \"  ${b}//  ${\"x\"}\"\n"},
		{"one line", "let {  a = 1 }\n", "let { a = 1 }\n"},
		{"nothing", "", ""},
		{"only empty lines", "\n\n", ""},
	} {
		got, l := Format("m.hcl", []byte(c.in))
		if len(l) > 0 || string(got) != c.want {
			t.Errorf("%s: got %q, want %q, %v", c.name, got, c.want, l)
		}
		if again, _ := Format("m.hcl", got); string(again) != string(got) {
			t.Errorf("%s: again %q", c.name, again)
		}
	}
}

func TestFormatErrors(t *testing.T) {
	src := "a = 1\nproject \"p\" {\n  x = [1,\n}\naxis \"b\" {\n  values = ]\n}\nlocals {\n  c   =   1\n}\n"
	got, l := Format("m.hcl", []byte(src))
	if string(got) != src || len(l) != 2 || l[0].Where.File != "m.hcl" || l[0].Where.Start.Line != 4 || l[1].Where.Start.Line != 6 {
		t.Errorf("got %q %v", got, l)
	}
	got, l = Format("m.hcl", []byte("a = "+strings.Repeat("[", 300)))
	if len(l) != 1 || len(got) != 304 {
		t.Errorf("too deep: %v", l)
	}
}

// TestFormatMeaning holds that a formatted matrix expands to what the original
// expands to, and that the project's own file is in canonical form.
func TestFormatMeaning(t *testing.T) {
	src, err := os.ReadFile("testdata/describe.hcl")
	if err != nil {
		t.Fatal(err)
	}
	_, x := good(t, "testdata/describe.hcl", Options{})
	ugly := strings.ReplaceAll(strings.ReplaceAll(string(src), "\n", "\r\n\r\n"), " = ", "=\t")
	for _, text := range []string{string(src), ugly} {
		out, l := Format("matrix.hcl", []byte(text))
		if len(l) > 0 {
			t.Fatal(l)
		}
		m, l := load(t, string(out), Options{})
		y, more := m.Expand()
		if l = append(l, more...); len(l) > 0 {
			t.Fatal("\n" + printed(m, l))
		}
		if dump(x) != dump(y) {
			t.Error("formatting changes what the file says")
		}
	}
	own, err := os.ReadFile("../matrix.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if out, l := Format("matrix.hcl", own); len(l) > 0 || string(out) != string(own) {
		t.Errorf("the project's matrix.hcl is not in canonical form %v", l)
	}
}

func FuzzFormat(f *testing.F) {
	names, _ := filepath.Glob("testdata/wrong/*.txtar")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file(txtar.Parse(data), "matrix.hcl"))
	}
	for _, s := range []string{
		"a = <<-EOT\n   x\n  ${b}\n  EOT\n", "a = /* x */ 1 /* y\n z */\n", "a = [ # x\n]\n", "a = {\n\n\n b : 1 ,, \n}",
		"a = \"%{ if b }x%{ endif }\"\n", "a = b ? [\n1] : (\n2)\n", "x { y { a = - -1 } }\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, l := Format("m", src)
		if l.HasErrors() {
			if string(out) != string(src) {
				t.Fatal("a file with errors was changed")
			}
			if l[0].Summary == "the file cannot be formatted without changing what it says" {
				t.Fatalf("%q cannot be formatted", src)
			}
			return
		}
		if !sameTokens("m", src, out) {
			t.Fatalf("%q became %q", src, out)
		}
		if again, l := Format("m", out); len(l) > 0 || string(again) != string(out) {
			t.Fatalf("%q became %q, then %q %v", src, out, again, l)
		}
		var none diag.List
		if more := syntax("m", out); len(more) != len(none) {
			t.Fatalf("%q became %q: %v", src, out, more)
		}
	})
}
