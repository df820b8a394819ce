package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/cache"
)

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func inputsOf(t *testing.T, root string, include ...string) (string, []error) {
	t.Helper()
	store, err := cache.Open(t.TempDir(), func(msg string) { t.Error(msg) })
	if err != nil {
		t.Fatal(err)
	}
	in, problems := newTree(root, store.Memo()).inputs([]string{"k/a.hip"}, include)
	var names []string
	for _, i := range in.sources {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(i.path)))
		if err != nil || cache.Sum(data) != i.bytes {
			t.Errorf("%s: wrong digest", i.path)
		}
		names = append(names, i.path)
	}
	return strings.Join(names, " "), problems
}

func TestInputs(t *testing.T) {
	base := map[string]string{
		"k/a.hip":      "#include \"one.h\"\n#include <two.h>\n#include <stdint.h>\n",
		"common/one.h": "#pragma once\n#include \"one.h\"\n",
		"common/two.h": "",
		"other/two.h":  "",
	}
	for _, c := range []struct {
		name string
		more map[string]string
		want string
	}{
		{"the include path's order", nil, "common/one.h common/two.h k/a.hip"},
		{"beside the file first", map[string]string{"k/one.h": ""}, "common/two.h k/a.hip k/one.h"},
		{"a header shadows the toolchain's", map[string]string{"other/stdint.h": ""}, "common/one.h common/two.h k/a.hip other/stdint.h"},
		{"an angle name is not looked up beside", map[string]string{"k/two.h": ""}, "common/one.h common/two.h k/a.hip"},
		{"all of include_next", map[string]string{"common/two.h": "#include_next <two.h>\n"}, "common/one.h common/two.h k/a.hip other/two.h"},
		{"parent paths", map[string]string{"common/two.h": "#include \"../k/x.h\"\n", "k/x.h": ""}, "common/one.h common/two.h k/a.hip k/x.h"},
		{"embedded bytes are not scanned", map[string]string{"common/two.h": "#embed \"x.bin\"\n", "common/x.bin": "#include \"other/y.h\"\n"}, "common/one.h common/two.h common/x.bin k/a.hip"},
		{"a probe that hits is an input", map[string]string{"common/two.h": "#if __has_include(\"z.h\")\n#endif\n", "other/z.h": ""}, "common/one.h common/two.h k/a.hip other/z.h"},
		{"a directory is no header", map[string]string{"k/one.h/x": ""}, "common/one.h common/two.h k/a.hip"},
	} {
		root := t.TempDir()
		write(t, root, base)
		write(t, root, c.more)
		got, problems := inputsOf(t, root, "common", "other")
		if got != c.want || len(problems) > 0 {
			t.Errorf("%s: got %s %v, want %s", c.name, got, problems, c.want)
		}
	}
}

// What an asm statement takes in is listed by no compiler, so it is refused where it can be seen; words about it are not.
func TestAssemblerReads(t *testing.T) {
	for text, want := range map[string]string{
		"// .incbin is refused\n\n__asm__(\".section .data\\n.incbin \\\"/etc/hostname\\\"\");\n": "k/a.hip:1: the assembler would read a file",
		"\n__asm__(R\"(\n.include \"x.inc\"\n)\");\n":                                             "k/a.hip:3: the assembler would read a file",
		"/* .incbin .include */ __asm__(\"v_nop\"); int incbin;\n":                                "",
	} {
		root := t.TempDir()
		write(t, root, map[string]string{"k/a.hip": text})
		_, problems := inputsOf(t, root)
		got := ""
		if len(problems) > 0 {
			got = problems[0].Error()
		}
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%q: %v, want %q", text, problems, want)
		}
	}
}

func TestInputsProblems(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"k/a.hip": "#include NAME\n#include \"/etc/passwd\"\n#include \"b.h\"\n",
		"k/b.h":   "#include \"../../x.h\"\n#include ALSO\n",
	})
	write(t, filepath.Dir(root), map[string]string{"x.h": ""})
	_, problems := inputsOf(t, root)
	var all []string
	for _, p := range problems {
		all = append(all, p.Error())
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"k/a.hip:1: #include NAME", "k/a.hip:2: \"/etc/passwd\" is an absolute path", "k/b.h:1: \"../../x.h\" leaves the project", "k/b.h:2: #include ALSO"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if len(problems) != 4 {
		t.Errorf("%d problems:\n%s", len(problems), text)
	}
}
