package matrix

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/rogpeppe/go-internal/txtar"

	"kmx/internal/diag"
)

// FuzzLoad holds that no file makes Load or Expand panic or run for long, and
// that what expands has addresses that select their cell.
func FuzzLoad(f *testing.F) {
	for _, path := range []string{"../matrix.hcl", "testdata/example.hcl", "testdata/features.hcl", "testdata/head.hcl"} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	names, _ := filepath.Glob("testdata/wrong/*.txtar")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(file(txtar.Parse(data), "matrix.hcl")))
	}
	f.Add(everything(100))
	defer func(cells int) { maxCells = cells }(maxCells)
	maxCells = 5_000
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		start := time.Now()
		m, l := load(t, text, Options{
			HasLibrary: func(l Library) bool { return len(l.Name)%2 == 0 },
			Getenv:     func(name string) (string, bool) { return "1796083200", name == "SOURCE_DATE_EPOCH" },
		})
		x, more := m.Expand()
		printed(m, append(l, more...))
		for _, s := range x.Sets {
			for _, c := range s.LeftOut {
				if c.leftOut < 1 || c.leftOut > len(x.LeftOut) {
					t.Errorf("%s is left out by no rule", c.Address())
				}
			}
		}
		for i, c := range x.Cells {
			if i > 50 {
				break
			}
			if cells, l := x.Select(c.Address(), ""); len(cells) != 1 || cells[0] != c || l.HasErrors() {
				t.Errorf("%s selects %d cells: %v", c.Address(), len(cells), l)
			}
		}
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("took %s", d)
		}
	})
}

// FuzzSelect holds that no selector panics, and that an error and cells
// exclude each other for a single selector.
func FuzzSelect(f *testing.F) {
	_, x := good(f, "testdata/example.hcl", Options{})
	for _, s := range []string{
		"", "m", "m@gfx1201", "m+*", "*@gfx12+fp8,k", "m/rr*@gfx110?+fp8=false+variant=", "k@", "+", "@", "/", ",",
		"m@gfx1201+accuracy+numerics=fast", "odd/odd@gfx1100+folded=false+tile=16+mode=fp8", strings.Repeat("*a", 50),
	} {
		f.Add(s, "")
		f.Add("m", s)
	}
	f.Fuzz(func(t *testing.T, selectors, not string) {
		cells, l := x.Select(selectors, not)
		if !strings.Contains(selectors, ",") && not == "" && l.HasErrors() == (len(cells) > 0) {
			t.Errorf("%q: %d cells and %v", selectors, len(cells), l)
		}
	})
}

// FuzzInclude holds that no pair of files makes Load panic, read a file
// outside the project or read one twice.
func FuzzInclude(f *testing.F) {
	f.Add(`include = ["more/b.hcl"]`, `include = ["../matrix.hcl", "../../x.hcl", "/x.hcl"]`)
	f.Add(smallHead+"include = [\"more/b.hcl\", \"./more/b.hcl\"]\n", "edition = 1\nfamily \"f\" {\n  toolchain = toolchain.hip\n}\n")
	f.Add("edition = 1\ninclude = [\"more/b.hcl\"]\n", "edition = 2\n")
	f.Add("include = [\"more/b.hcl\"]\nfamily \"a\" {", "family \"b\" {\n  extends = family.a\n  kernel \"k\" {}\n}\n}")
	f.Fuzz(func(t *testing.T, first, second string) {
		if len(first)+len(second) > 1<<14 {
			return
		}
		read := map[string]bool{}
		m, l := Load("matrix.hcl", Options{ReadFile: func(name string) ([]byte, error) {
			name = filepath.ToSlash(name)
			if !fs.ValidPath(name) || read[name] {
				t.Errorf("reads %q, after %v", name, read)
			}
			read[name] = true
			if name == "matrix.hcl" {
				return []byte(first), nil
			}
			return []byte(second), nil
		}})
		_, more := m.Expand()
		printed(m, append(l, more...))
	})
}

// FuzzMatch holds that a selector means the same in an exclusion or an adjust
// as it does on the command line.
func FuzzMatch(f *testing.F) {
	const text = smallHead + `family "f" {
  toolchain = toolchain.hip
  axes      = [axis.numerics, axis.fp8]
  source    = "f.hip"
  kernel "k" {}
  kernel "kl" {
    axes = [axis.numerics]
  }
}
family "g" {
  toolchain = toolchain.hip
  source    = "g.hip"
  kernel "j" {}
}
`
	plain, l := load(f, text, Options{})
	x, more := plain.Expand()
	if l = append(l, more...); len(l) > 0 {
		f.Fatal(printed(plain, l))
	}
	for _, s := range []string{"f", "f/k@gfx10+*", "*/?", "f/k*+fp8=*,g@gfx11", "g@g+fp8", "f/k@gfx10+fp8+accuracy", "+", "f/kl+fp8", "g,f/k?+numerics=accuracy"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, selector string) {
		if len(selector) > 200 || strings.ContainsAny(selector, "\"\\$%\n\r") || !utf8.ValidString(selector) || strings.TrimSpace(selector) == "" {
			return
		}
		want, l := x.Select(selector, "")
		block := "exclude \"x\" {\n  match  = \"" + selector + "\"\n  reason = \"r\"\n}\n"
		m, wrong := load(t, text+block, Options{})
		y, more := m.Expand()
		if wrong = append(wrong, more...); wrong.HasErrors() != l.HasErrors() {
			t.Fatalf("%q: Select says %v, the matrix %v", selector, l, wrong)
		}
		if !l.HasErrors() && len(y.Cells)+len(want) != len(x.Cells) {
			t.Errorf("%q selects %d cells and leaves out %d", selector, len(want), len(x.Cells)-len(y.Cells))
		}
		for _, c := range want {
			if !l.HasErrors() && y.byAddress(c.Address()) != nil {
				t.Errorf("%q does not leave out %s", selector, c.Address())
			}
		}
	})
}

// FuzzSyntax holds that whatever HCL refuses is reported, at places that lie in
// the file.
func FuzzSyntax(f *testing.F) {
	names, _ := filepath.Glob("testdata/wrong/*syntax*.txtar")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(file(txtar.Parse(data), "matrix.hcl")))
	}
	for _, s := range []string{"a = 1\na = 2", "'", "a {\n b = 'c\n}", "}", "a \"b\" {\n c = [(\n}\n}", "a = \"${b = 1}\"", "a = <<E\n}\nE\n{", "family = {"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<13 {
			return
		}
		_, diags := hclsyntax.ParseConfig([]byte(text), "m", hcl.InitialPos)
		l := &loader{m: &Matrix{decl: &declarations{}}, problems: newProblems()}
		l.d = l.m.decl
		l.names.problems = l.problems
		l.parse("m", []byte(text))
		if diags.HasErrors() && len(l.list) == 0 {
			t.Fatalf("nothing is reported: %v", diags)
		}
		inside := func(r diag.Range) {
			if r.Start.Byte < 0 || r.End.Byte < r.Start.Byte || r.End.Byte > len(text)+1 {
				t.Errorf("%v lies outside", r)
			}
		}
		for _, p := range l.list {
			inside(p.Where)
			for _, n := range p.Notes {
				inside(n.Where)
			}
		}
	})
}
