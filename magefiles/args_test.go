//go:build mage

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckArgs(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"release", ""},
		{"-v release -jobs=2", ""},
		{"setup release", ""},
		{"Kernels:M gfx1201 -all", ""},
		{"release first", `"first" is one word too many for release`},
		{"kernels:m gfx1201 gfx1200", "separated by commas"},
		{"build m@gfx12 relase", "did you mean release?"},
		{"build -h", "mage -h build"},
		{"plan --help", "mage -h plan"},
		{"matrix:diff HEAD", "matrix:diff takes 2 arguments, given: 1"},
		{"kernels:m", "mage -h kernels:m says what it takes"},
		{"release:stamp -h", "help comes before the target"},
		{"kernels:m -all gfx1201", "choices follow the arguments: mage kernels:m ARGUMENT -all"},
		{"", ""},
	} {
		err := checkArgs(strings.Fields(c.args))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.args, got, c.want)
		}
	}
}

func TestUnknownTarget(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"release", ""},
		{"Kernels:M", ""},
		{"relase", "did you mean release?"},
		{"cach:gc", "did you mean cache:gc?"},
		{"frobnicate", "mage -l"},
		{"", "mage -l"},
	} {
		err := unknownTarget(c.word)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.word, got, c.want)
		}
	}
}

func TestFirstTarget(t *testing.T) {
	for _, c := range []struct {
		args string
		want int
	}{
		{"kmx", 0},
		{"kmx -l", 0},
		{"kmx -v -t 10s release", 4},
		{"kmx -h release", 2},
		{"kmx -test.run=X", 0},
	} {
		if got := firstTarget(strings.Fields(c.args)); got != c.want {
			t.Errorf("%s: word %d, want %d", c.args, got, c.want)
		}
	}
}

// The table and the functions that Mage makes targets of agree.
func TestPositionals(t *testing.T) {
	want := map[string]int{"release": 0, "log:what-ran": 0, "log:what-failed": 0, "log:critical-path": 0} // the aliases
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "Test" {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				name = f.Recv.List[0].Type.(*ast.Ident).Name + ":" + name
			}
			n := 0
			for _, p := range f.Type.Params.List {
				if id, ok := p.Type.(*ast.Ident); ok && id.Name == "string" {
					n += len(p.Names)
				}
			}
			want[strings.ToLower(name)] = n
		}
	}
	for name, n := range want {
		if got, ok := positionals[name]; !ok || got != n {
			t.Errorf("%s takes %d words, the table says %d (%v)", name, n, got, ok)
		}
	}
	for name := range positionals {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is no target", name)
		}
	}
}
