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
		{"setup -dest=x release", "setup takes no choices, given: -dest=x"},
		{"install -dest=x", "install has no choice -dest (did you mean -destdir?)"},
		{"setup relase", "did you mean release?"},
		{"setup release -jbos=2", "release has no choice -jbos (did you mean -jobs?)"},
		{"release --jobs=2", "release has no choice --jobs (did you mean -jobs?)"},
		{"uninstall -frobnicate", "it has -destdir and -prefix; mage -h uninstall explains them"},
		{"Release -JOBS=2 -failfast -fold=false", ""},
		{"log:what-ran -json", ""},
		{"log:what-ran -jsn", "did you mean -json?"},
		{"release -jobs", "-jobs=VALUE, with no space"},
		{"release -jobs 2", "-jobs of release needs a value"},
		{"release -jobs=many", `-jobs of release must be a whole number, not "many"`},
		{"release -fold=perhaps", `-fold of release must be true or false, not "perhaps"`},
		{"validate:psnr a b -atLeast=x", "-atLeast of validate:psnr must be a number"},
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

// The tables and the functions that Mage makes targets of agree.
func TestPositionals(t *testing.T) {
	want, wanted := map[string]int{}, map[string]string{}
	functions := targetFuncs(t)
	for alias := range Aliases {
		functions[alias] = functions[strings.ToLower(withoutAlias(alias))]
	}
	for name, f := range functions {
		n := 0
		var given []string
		for _, p := range f.Type.Params.List {
			switch typ := p.Type.(type) {
			case *ast.Ident:
				if typ.Name == "string" {
					n += len(p.Names)
				}
			case *ast.StarExpr:
				for _, id := range p.Names {
					given = append(given, strings.TrimSuffix(id.Name+":"+typ.X.(*ast.Ident).Name, ":string"))
				}
			}
		}
		want[name] = n
		if len(given) > 0 {
			wanted[name] = strings.Join(given, " ")
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
	for name, given := range wanted {
		if optionals[name] != given {
			t.Errorf("%s has the choices %s, the table says %s", name, given, optionals[name])
		}
	}
	for name := range optionals {
		if wanted[name] == "" {
			t.Errorf("%s has no choices", name)
		}
	}
}

// targetFuncs are the functions of this package that Mage makes targets of, by
// the lower-case name of the target.
func targetFuncs(t *testing.T) map[string]*ast.FuncDecl {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*ast.FuncDecl{}
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
			found[strings.ToLower(name)] = f
		}
	}
	return found
}
