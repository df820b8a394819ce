package toolchains

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kmx/cache"
)

func TestWords(t *testing.T) {
	got, ok := words(`"/a b/clang" "-D" "X=\"a\\b\"" ""`)
	if want := []string{"/a b/clang", "-D", `X="a\b"`, ""}; !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v", got, ok)
	}
	for _, line := range []string{`"a" b`, `"a`} {
		if got, ok := words(line); ok {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// A command of the same shape is filled in from what the driver started for
// another one.
func TestTemplate(t *testing.T) {
	d := &direct{owns: func(abs string) bool { return strings.HasPrefix(abs, "/llvm/bin/") }}
	const said = `[Logging clang options]
 "/llvm/bin/clang" "-cc1" "-dumpdir" "j.hsaco-" "-main-file-name" "b.hip" "-fdebug-compilation-dir=/t" "-MT" "j.hsaco" "-I" "k" "-D" "C=x" "-D" "D" "-D__X=1" "-o" "/t/.tmp/b-gfx1201-1.o" "-x" "hip" "m/b.hip"
[Logging clang options]
 "/llvm/bin/lld" "-flavor" "gnu" "-o" "j.hsaco" "/t/.tmp/b-gfx1201-1.o"
`
	first, ok := shapeOf(strings.Fields("-x hip -fuse-cuid=none -DC=x -DD -Ik -MT j.hsaco m/b.hip -o j.hsaco"))
	s, _ := shapeOf(strings.Fields("-x hip -fuse-cuid=none -DA=1=2 -DB -Ik -MT k.hsaco k/a.hip -o k.hsaco"))
	if !ok || !reflect.DeepEqual(s.args, first.args) {
		t.Fatalf("%v: %q\n%q", ok, s.args, first.args)
	}
	var lines []string
	for _, argv := range d.parse([]byte(said), first, "/t").fill(s, "/box", "/box/o.o") {
		lines = append(lines, strings.Join(argv, " "))
	}
	want := `/llvm/bin/clang -cc1 -dumpdir k.hsaco- -main-file-name a.hip -fdebug-compilation-dir=/box -MT k.hsaco -I k -D A=1=2 -D B -D__X=1 -o /box/o.o -x hip k/a.hip
/llvm/bin/lld -flavor gnu -o k.hsaco /box/o.o`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for name, text := range map[string]string{
		"another compiler":           strings.ReplaceAll(said, "/llvm/bin/lld", "/usr/bin/lld"),
		"three processes":            said + ` "/llvm/bin/clang-offload-bundler" "-x"` + "\n",
		"nothing between them":       strings.ReplaceAll(said, `"j.hsaco" "/t/`, `"j.hsaco" "/u/`),
		"a macro more":               strings.ReplaceAll(said, `"-D" "D"`, `"-D" "D" "-D" "E"`),
		"macros in another order":    strings.ReplaceAll(said, `"-D" "C=x" "-D" "D"`, `"-D" "D" "-D" "C=x"`),
		"made of the source's name":  strings.ReplaceAll(said, `"-D__X=1"`, `"-fcuid=b"`),
		"made of the output's name":  strings.ReplaceAll(said, `"-D__X=1"`, `"-split=j.dwo"`),
		"another word for the input": strings.ReplaceAll(said, `"hip" "m/b.hip"`, `"hip" "./m/b.hip"`),
		"nothing":                    "",
	} {
		if got := d.parse([]byte(text), first, "/t"); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, args := range []string{
		"-fuse-cuid=none -g a.hip -o a", "-fuse-cuid=none -save-temps a.hip -o a", "a.hip -o a", "-fuse-cuid=none -o a a.hip",
		"-fuse-cuid=none -D X a.hip -o a", "-fuse-cuid=none -DX=<KMX a.hip -o a", "-fuse-cuid=none -c -o a",
	} {
		if s, ok := shapeOf(strings.Fields(args)); ok {
			t.Errorf("%s: %q", args, s.args)
		}
	}
	for _, args := range []string{"-fuse-cuid=none -DA k/a.hip -o k.hsaco", "-fuse-cuid=none -DA -DB -DC k/a.hip -o k.hsaco"} {
		s, ok := shapeOf(strings.Fields(args))
		if got := d.parse([]byte(said), first, "/t").fill(s, "/box", "/box/o.o"); !ok || got != nil {
			t.Errorf("%s: the template of another shape gives %q", args, got)
		}
	}
}

// A kernel compiled without the driver is the same to the byte, and so is its
// list of inputs.
func TestDirectIsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a compiler; left out by -short")
	}
	store, err := cache.Open(t.TempDir(), func(msg string) { t.Log(msg) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	tc, err := Find(t.Context(), Request{Name: "hip", Kind: KindClang}, store.Memo())
	if err != nil {
		t.Skip(err)
	}
	tool := tc.Tools["hip:bin/clang++"]
	dir := t.TempDir()
	source := "extern \"C\" __attribute__((global)) void NAME(float *p) { p[__builtin_amdgcn_workitem_id_x()] *= TIMES; }\n"
	if err := os.WriteFile(filepath.Join(dir, "a.hip"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields("-x hip --offload-arch=gfx1101 --offload-device-only --no-gpu-bundle-output --no-default-config " +
		"--rocm-path=/nonexistent -std=c++20 -O3 -Wall -Werror -nogpuinc -nogpulib -nostdlibinc -fuse-cuid=none -DNAME=times -DTIMES=(1.5f+2) " +
		"-MD -MF a.d -MT a.hsaco a.hip -o a.hsaco")
	run := func(commands [][]string, env []string) (made, said []byte) {
		for _, argv := range commands {
			cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
			cmd.Dir, cmd.Env = dir, append(append([]string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TMPDIR=" + dir}, tool.Env...), env...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%q: %v\n%s", argv, err, out)
			}
			said = append(said, out...)
		}
		for _, name := range []string{"a.hsaco", "a.d"} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, data...)
		}
		return made, said
	}
	driver := func(args []string, env []string) (made, said []byte) {
		return run([][]string{append([]string{tool.Path}, args...)}, env)
	}
	plain, _ := driver(args, nil)
	way := tool.Direct(t.Context(), args, dir, dir)
	if len(way.Commands) > 0 || way.Ran == nil {
		t.Fatalf("the first command of its shape is not the driver's: %q", way.Commands)
	}
	heard, said := driver(args, way.Env)
	way.Ran(said)
	if !bytes.Equal(plain, heard) || len(said) > 0 {
		t.Errorf("listening to the driver makes a difference; said %q", said)
	}
	way = tool.Direct(t.Context(), args, dir, dir)
	if len(way.Commands) != 2 {
		t.Fatalf("the toolchain %s is not run directly: %q", tc.Banner, way.Commands)
	}
	if directly, _ := run(way.Commands, way.Env); !bytes.Equal(plain, directly) {
		t.Error("the object differs")
	}
	other := slices.Clone(args)
	other[slices.Index(other, "-DTIMES=(1.5f+2)")] = "-DTIMES=4"
	plain, _ = driver(other, nil)
	way = tool.Direct(t.Context(), other, dir, dir)
	if len(way.Commands) != 2 {
		t.Fatalf("another value of a macro makes another shape: %q", way.Commands)
	}
	if directly, _ := run(way.Commands, way.Env); !bytes.Equal(plain, directly) {
		t.Error("with another value of a macro the object differs")
	}
	warned := append([]string{"-rdynamic"}, slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "-Werror" })...)
	way = tool.Direct(t.Context(), warned, dir, dir)
	_, said = driver(warned, way.Env)
	way.Ran(said)
	if way = tool.Direct(t.Context(), warned, dir, dir); len(way.Commands) > 0 || way.Ran != nil {
		t.Errorf("the driver warns (%q), and this is not heard: %q", said, way.Commands)
	}
	if !tc.Prove(t.Context(), dir) {
		t.Error("what is proven is not known to be")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "d*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	t.Setenv("KMX_DRIVER", "1")
	if tc, err := Find(t.Context(), Request{Name: "hip", Kind: KindClang}, store.Memo()); err != nil || tc.Tools["hip:bin/clang++"].Direct != nil {
		t.Errorf("KMX_DRIVER=1 is not heeded: %v", err)
	}
}
