package plan

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kmx/engine"
	"kmx/matrix"
	"kmx/toolchains"
	"kmx/toolchains/toolchaintest"
)

func traitsOf(text string) traits { return tokenize([]byte(text)).Traits }

func TestTokensAreEqual(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		laid       bool // by layout as well
	}{
		{"a comment behind", "int a;\n", "int a; // what\n", true},
		{"a comment between lines", "int a;\nint b;\n", "int a;\n/* what\n\n it's */\n\nint b;\n", true},
		{"a comment about a comment", "int a;\n", "int a; // /* it's \" open\n", true},
		{"a comment in a directive", "#define A 1\nint a;\n", "#define A 1 /* one\n more */ // what\nint a;\n", true},
		{"white space at the ends of lines", "int a;\nint b;\n", "int a;  \t\n\n\nint b;\n", true},
		{"line ends", "int a;\n#define A \\\n  1\n", "int a;\r\n#define A \\\r\n  1\r\n", true},
		{"indentation", "if (a)\n  b;\n", "if (a)\nb;\n", false},
		{"a comment in place of white space", "int a;\n", "int/**/a;\n", false},
		{"white space where none is needed", "f(a,-b)[c];\n", "f ( a , - b ) [ c ] ;\n", false},
		{"lines", "int a; int b;\n", "int a;\nint b;\n", false},
		{"splices", "#define A(x) f(x)\n", "#def\\\nine A(x) \\\n  f(x)\n", false},
		{"a spliced comment", "int a;\n", "int a; // b \\\n c\n", true},
		{"no line end", "#define A 1", "#define A 1\n", false},
		{"an indented directive", "#pragma once\n", "  #  pragma   once\n", false},
		{"in a macro", "#define A x+y\n", "#define A  x  + y\n", false},
	} {
		a, b := tokenize([]byte(c.a)), tokenize([]byte(c.b))
		if a.Bare != b.Bare || (a.Laid == b.Laid) != c.laid || (a.Traits|b.Traits)&irregular != 0 {
			t.Errorf("%s: bare %v, laid %v, %b, %b", c.name, a.Bare == b.Bare, a.Laid == b.Laid, a.Traits, b.Traits)
		}
	}
}

func TestTokensDiffer(t *testing.T) {
	for _, c := range []struct{ name, a, b string }{
		{"a character", "a b\n", "a c\n"},
		{"one word or two", "ab\n", "a b\n"},
		{"one operator or two", "a>>b\n", "a> >b\n"},
		{"plus", "a+ ++b\n", "a++ +b\n"},
		{"digraphs and colons", "a<::b\n", "a< ::b\n"},
		{"dots", "..5\n", ".. 5\n"},
		{"a number that goes on", "1e+5\n", "1e +5\n"},
		{"a member of a number", "1 .x\n", "1.x\n"},
		{"with parameters or without", "#define A(x) x\n", "#define A (x) x\n"},
		{"parameters behind a splice", "#define A\\\n(x) x\n", "#define A (x) x\n"},
		{"a directive's end", "#define A 1\n2\n", "#define A 1 2\n"},
		{"a directive's start", "a\n#define A\n", "a #define A\n"},
		{"a directive behind a comment", "a;/*\n*/#define A\n", "a;\n#define A\n"},
		{"white space in a string", "\"a b\"\n", "\"a  b\"\n"},
		{"a comment in a string", "\"/* a */\"\n", "\"/* b */\"\n"},
		{"a comment in a character", "'/*'\n", "'/**/'\n"},
		{"an escaped quote", `"\"" a "//"`, `"\"" a "//b"`},
		{"a prefix", "u8\"a\"\n", "u8 \"a\"\n"},
		{"a suffix", "\"a\"_s\n", "\"a\" _s\n"},
		{"a raw string", "R\"x( // )\" )x\"\n", "R\"x( // a )\" )x\"\n"},
		{"lines of a raw string", "R\"(a\nb)\"\n", "R\"(a\n\nb)\"\n"},
		{"a splice in a raw string", "R\"(a\\\nb)\"\n", "R\"(ab)\"\n"},
		{"a file name", "#include <a//b>\n", "#include <a//c>\n"},
		{"white space in a file name", "#include <a b>\n", "#include <a  b>\n"},
		{"a file asked for", "#if __has_include( <a//b> )\n", "#if __has_include( <a//c> )\n"},
		{"a digit separator", "1'0 a\n", "10 a\n"},
	} {
		a, b := tokenize([]byte(c.a)), tokenize([]byte(c.b))
		if a.Bare == b.Bare || a.Laid == b.Laid {
			t.Errorf("%s: bare equal: %v, laid equal: %v", c.name, a.Bare == b.Bare, a.Laid == b.Laid)
		}
	}
}

func TestTraits(t *testing.T) {
	for text, want := range map[string]traits{
		"// __LINE__ #x\nint a = 1'000; \"__LINE__\"\n": 0,
		"__LINE__":                    positional,
		"__LI\\\nNE__":                positional,
		"__builtin_source_location()": positional,
		"#define C(a, b) a##b\n":      pastes,
		"C(__LI, NE__)":               piece,
		"#define S(x) #x\n":           spaced,
		"#define S(x) # x\n":          spaced,
		"import a;\n":                 spaced,
		"don't\n":                     irregular,
		"/* \n":                       irregular,
		"R\"x(\n":                     irregular,
		"a ??/\n":                     irregular,
		"\xc3\xa9\n":                  irregular,
		"\"\xc3\xa9\" // \xc3\xa9\n":  0,
		"a\x00b\n":                    irregular,
		"a\rb\n":                      irregular,
		"%:define A\n":                irregular,
		"a \\ b\n":                    irregular,
		"\"a\"R\"(b)\"\n":             irregular,
		"// a \\\n b\n":               odd,
		"/* /* */\n":                  odd,
		"// \xff\n":                   odd,
		"a \\ \n b\n":                 odd,
	} {
		if got := traitsOf(text); got&^pastes != want&^pastes || want&pastes != got&pastes && want != spaced {
			t.Errorf("%q: %b, want %b", text, got, want)
		}
	}
}

func TestRuleOf(t *testing.T) {
	for _, c := range []struct {
		args string
		of   traits
		want string
	}{
		{"-x hip -std=c++20 -O3 -Wall -g0 -MD -MF x", 0, byTokens},
		{"-O3 -Werror -Wall", 0, byLayout},
		{"-O3 -Werror=comment", odd, byBytes},
		{"-O3 -Werror -Wdocumentation", 0, byBytes},
		{"-O3", odd, byTokens},
		{"-O3", spaced, byLayout},
		{"-O3", pastes, byTokens},
		{"-O3", pastes | piece, byBytes},
		{"-O3 -DC(a,b)=a##b", piece, byBytes},
		{"-O3 -DS(a)=#a", 0, byLayout},
		{"-O3 -D L=__LINE__", 0, byBytes},
		{"-DL=__LINE__", 0, byBytes},
		{"-O3", positional, byBytes},
		{"-O3", irregular, byBytes},
		{"-g", 0, byBytes},
		{"-gline-tables-only", 0, byBytes},
		{"-Rpass=inline", 0, byBytes},
		{"-flto", 0, byBytes},
		{"-emit-llvm", 0, byBytes},
		{"-std=gnu++17", 0, byTokens},
		{"-std=c++14", 0, byBytes},
		{"-std=c11", 0, byBytes},
		{"-std=++20", 0, byBytes},
		{"--std=c++20", 0, byBytes},
		{"-Xclang -load -Xclang x.so", 0, byBytes},
		{"@more", 0, byBytes},
		{"-x c", 0, byBytes},
		{"-pedantic", 0, byTokens},
	} {
		if got := ruleOf(strings.Fields("-nogpuinc "+c.args), nil, c.of); got != c.want {
			t.Errorf("%s with %b: %q, want %q", c.args, c.of, got, c.want)
		}
	}
	if got := ruleOf(nil, nil, 0); got != byBytes {
		t.Errorf("headers that nobody names: %q", got)
	}
	if got := ruleOf([]string{"-nogpuinc"}, []engine.EnvVar{{Name: "CCC_OVERRIDE_OPTIONS", Value: "+-g"}}, 0); got != byBytes {
		t.Errorf("flags from the environment: %q", got)
	}
}

// chunks are the tokens as tokenize writes them, one an element.
func chunks(src []byte) []string {
	l := &lexer{src: src, begins: true, broke: true}
	var all []string
	for n := 0; l.step(); n = len(l.bare) {
		if b := l.bare[n:]; len(b) > 0 {
			all = append(all, string(b))
		}
	}
	return all
}

// hashNext says whether the next token is a '#', which a new line before it
// would make a directive.
func hashNext(l lexer) bool {
	for n := len(l.bare); len(l.bare) == n; {
		if !l.step() {
			return false
		}
	}
	return l.src[l.i-1] == '#'
}

// pad puts white space and comments behind every token of src, without
// changing what a compiler sees.
func pad(src []byte, rnd *rand.Rand) []byte {
	inline := []string{" ", "\t", "/* it's \" a // b */", " /**/ ", "\\\n", " \\\n ", "  ", "/* a\n b */"}
	free := append([]string{"\n", "// c \" ' /*\n", "\n\n"}, inline...)
	l := &lexer{src: src, begins: true, broke: true}
	var out []byte
	for at, before := 0, 0; l.step(); at, before = l.i, len(l.bare) {
		wrote := len(l.bare) > before
		out = append(out, src[at:l.i]...)
		named := l.directive == "define" && l.named
		macro := named && bytes.HasSuffix(l.bare, []byte{0, '('})
		last := out[len(out)-1]
		switch {
		case !wrote || l.begins || macro || rnd.IntN(3) > 0:
		case l.directive == "define" && l.i < len(src) && src[l.i] == '(':
		case last == '\n' || l.header != 0:
		case l.i < len(src) && (isWord(src[l.i]) && isWord(last) || src[l.i] == '"' || src[l.i] == '\''):
		default:
			of := free
			if l.directive != "" || hashNext(*l) {
				of = inline
			}
			if s := of[rnd.IntN(len(of))]; s != "\\\n" || l.i < len(src) && src[l.i] == ' ' {
				if last == '/' {
					out = append(out, ' ') // not the start of a comment
				}
				out = append(out, s...)
			}
		}
	}
	return out
}

// White space and comments between tokens keep the digest, and a change in any
// token alters it.
func FuzzTokens(f *testing.F) {
	for _, s := range []string{"int a = b + c; // d\n", "#define A(x, y) f(x)[y]\n#if A\n#endif\n", "a >>= b->*c; \"x\" 'y' R\"(z)\" 1.5e-3f\n"} {
		f.Add([]byte(s), uint64(1))
	}
	files, _ := filepath.Glob("../kernels/*/*.h")
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil {
			f.Add(data, uint64(len(data)))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, seed uint64) {
		was := tokenize(src)
		if was.Traits&irregular != 0 {
			return
		}
		rnd := rand.New(rand.NewPCG(seed, 1))
		padded := pad(src, rnd)
		if now := tokenize(padded); now.Bare != was.Bare {
			a, b := chunks(src), chunks(padded)
			for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
				a, b = a[1:], b[1:]
			}
			t.Errorf("white space changes the digest: %.200q\nwas %.200q", b, a)
		}
		if len(src) == 0 {
			return
		}
		changed := bytes.Clone(src)
		i := rnd.IntN(len(src))
		changed[i] = "ax1+; \n\"/*#"[rnd.IntN(11)]
		now := tokenize(changed)
		same := strings.Join(chunks(src), "|") == strings.Join(chunks(changed), "|")
		if now.Traits&irregular == 0 && same != (now.Bare == was.Bare) && !bytes.ContainsAny(src[i:i+1], "#\n") {
			t.Errorf("tokens equal: %v, digests equal: %v:\n%q\n%q", same, now.Bare == was.Bare, src, changed)
		}
	})
}

// What has one digest is one thing to the compiler, and comments in a kernel
// with all its headers are none.
func TestTokensAgainstTheCompiler(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the preprocessor on all kernels")
	}
	preprocess := func(root, source string) string {
		cmd := toolchaintest.Clang(t, "-x", "hip", "--offload-arch=gfx1201", "--offload-device-only", "-nogpuinc", "-nogpulib", "-nostdlibinc",
			"-std=c++20", "-DNAME=k", "-E", "-P", "-Ikernels/common", "-I"+path.Dir(source), source)
		cmd.Dir = root
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", source, err, said.String())
		}
		return regexp.MustCompile(`\s+`).ReplaceAllString(string(out), " ")
	}
	sources, _ := filepath.Glob("../kernels/*/*.hip")
	headers, _ := filepath.Glob("../kernels/*/*.h")
	rnd := rand.New(rand.NewPCG(3, 4))
	root := t.TempDir()
	for _, name := range append(headers, sources...) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if tokenize(data).Traits&(irregular|positional|odd) != 0 {
			t.Errorf("%s: %b, so its comments count", name, tokenize(data).Traits)
		}
		padded := pad(data, rnd)
		if tokenize(data).Bare != tokenize(padded).Bare {
			t.Errorf("%s: padding changes the digest", name)
		}
		write(t, root, map[string]string{filepath.ToSlash(strings.TrimPrefix(name, "../")): string(padded)})
	}
	if len(sources) == 0 {
		t.Fatal("no kernels")
	}
	for _, name := range sources {
		name = strings.TrimPrefix(name, "../")
		plain, padded := preprocess("..", name), preprocess(root, name)
		squeeze := func(s string) string { return strings.Join(chunks([]byte(s)), "\n") }
		if squeeze(plain) != squeeze(padded) {
			t.Errorf("%s is another program with comments in it", name)
		}
		if strings.Count(plain, " ") < 100 {
			t.Errorf("%s is suspiciously short: %s", name, fmt.Sprintf("%.200s", plain))
		}
	}
}

// Comments in the kernels of this repository start no compiler.
func TestRuleOfTheKernels(t *testing.T) {
	m, list := matrix.Load("../matrix.hcl", matrix.Options{
		Getenv: func(string) (string, bool) { return "", false }, ReadFile: os.ReadFile})
	if list.HasErrors() {
		t.Fatal(list)
	}
	x, list := m.Expand()
	if list.HasErrors() {
		t.Fatal(list)
	}
	look := newInspection("..", newTree("..", nil))
	for _, c := range x.Cells {
		if isRecipe(c) {
			continue
		}
		a := compileHIP(c, &toolchains.Toolchain{Name: c.Toolchain}, look.inputs(c))
		for _, in := range a.Inputs {
			if in.Rule != byLayout || in.Bytes.IsZero() {
				t.Fatalf("%s: %s counts by %q", c.Address(), in.Path, in.Rule)
			}
		}
	}
	if len(look.list) > 0 {
		t.Error(look.list)
	}
}
