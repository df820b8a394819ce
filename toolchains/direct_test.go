package toolchains

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
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

// A command of the same shape is filled in from one template.
func TestTemplate(t *testing.T) {
	d := &direct{owns: func(abs string) bool { return strings.HasPrefix(abs, "/llvm/bin/") }}
	said := `clang version 19
 (in-process)
 "/llvm/bin/clang" "-cc1" "-dumpdir" "KMX-output.hsaco-" "-main-file-name" "KMX-source.hip" "-fdebug-compilation-dir=/t" "-MT" "KMX-output.hsaco" "-D" "KMX_macro_0_=v" "-D" "KMX_macro_1_" "-o" "/t/KMX-source-gfx1201-1.o" "-x" "hip" "KMX-source.hip"
 "/llvm/bin/lld" "-flavor" "gnu" "-o" "KMX-output.hsaco" "/t/KMX-source-gfx1201-1.o"
`
	args := strings.Fields("-x hip -fuse-cuid=none -DA=1=2 -DB -MT k.hsaco k/a.hip -o k.hsaco")
	s, ok := shapeOf(args)
	other, _ := shapeOf(strings.Fields("-x hip -fuse-cuid=none -DC=x -DD -MT j.hsaco m/b.hip -o j.hsaco"))
	if !ok || !reflect.DeepEqual(s.args, other.args) {
		t.Fatalf("%v: %q\n%q", ok, s.args, other.args)
	}
	var lines []string
	for _, argv := range d.parse([]byte(said), "/t").fill(s, "/box", "/box/o.o") {
		lines = append(lines, strings.Join(argv, " "))
	}
	want := `/llvm/bin/clang -cc1 -dumpdir k.hsaco- -main-file-name a.hip -fdebug-compilation-dir=/box -MT k.hsaco -D A=1=2 -D B -o /box/o.o -x hip k/a.hip
/llvm/bin/lld -flavor gnu -o k.hsaco /box/o.o`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for name, text := range map[string]string{
		"a warning":            "clang: warning: argument unused\n" + said,
		"another compiler":     strings.ReplaceAll(said, "/llvm/bin/lld", "/usr/bin/lld"),
		"three processes":      said + ` "/llvm/bin/clang-offload-bundler" "-x"` + "\n",
		"nothing between them": strings.ReplaceAll(said, `"KMX-output.hsaco" "/t/`, `"KMX-output.hsaco" "/u/`),
		"nothing":              "",
	} {
		if got := d.parse([]byte(text), "/t"); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, args := range []string{
		"-fuse-cuid=none -g a.hip -o a", "-fuse-cuid=none -save-temps a.hip -o a", "a.hip -o a", "-fuse-cuid=none -o a a.hip",
		"-fuse-cuid=none -DX=KMX_macro_1_ a.hip -o a", "-fuse-cuid=none -c -o a",
	} {
		if s, ok := shapeOf(strings.Fields(args)); ok {
			t.Errorf("%s: %q", args, s.args)
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
	run := func(commands [][]string) (made []byte) {
		for _, argv := range commands {
			cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
			cmd.Dir, cmd.Env = dir, append([]string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TMPDIR=" + dir}, tool.Env...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%q: %v\n%s", argv, err, out)
			}
		}
		for _, name := range []string{"a.hsaco", "a.d"} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, data...)
		}
		return made
	}
	plain := run([][]string{append([]string{tool.Path}, args...)})
	if commands := tool.Direct(t.Context(), args, dir, dir); commands != nil {
		t.Errorf("the first command of its shape is not the driver's: %q", commands)
	}
	commands := tool.Direct(t.Context(), args, dir, dir)
	if len(commands) != 2 {
		t.Fatalf("the toolchain %s is not run directly: %q", tc.Banner, commands)
	}
	if !bytes.Equal(plain, run(commands)) {
		t.Error("the object differs")
	}
	for range 2 {
		if commands := tool.Direct(t.Context(), append([]string{"-rdynamic"}, args...), dir, dir); len(commands) > 0 {
			t.Errorf("the driver warns, and this is not heard: %q", commands)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "direct-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	t.Setenv("KMX_DRIVER", "1")
	if tc, err := Find(t.Context(), Request{Name: "hip", Kind: KindClang}, store.Memo()); err != nil || tc.Tools["hip:bin/clang++"].Direct != nil {
		t.Errorf("KMX_DRIVER=1 is not heeded: %v", err)
	}
}
