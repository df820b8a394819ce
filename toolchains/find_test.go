//go:build unix

package toolchains

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"kmx/cache"
	"kmx/internal/diag"
)

func TestFind(t *testing.T) {
	alone(t)
	root := realDir(t)
	fakeTree(t, root, "19.1.7")
	put(t, filepath.Join(root, "bin/clang++.cfg"), []byte("# flags\n"))
	put(t, filepath.Join(root, "amdgcn/bitcode/ockl.bc"), []byte("BC"))
	t.Setenv("D4R_ROCM_DIR", root)
	memo := openMemo(t)
	tc := find(t, memo)
	var names []string
	for _, f := range tc.Files {
		if !f.Host() { // with the race detector the test binary loads libraries
			names = append(names, f.Name)
		}
		data, err := os.ReadFile(f.Path)
		if err != nil || cache.Sum(data) != f.Digest || f.Size != int64(len(data)) {
			t.Errorf("%s is not %s", f.Name, f.Path)
		}
	}
	want := []string{"bin/clang++", "bin/clang++.cfg", "bin/lld", "bitcode/ockl.bc", "include/stdint.h", "include/sub/deep.h"}
	if !slices.Equal(names, want) {
		t.Errorf("files\ngot  %v\nwant %v", names, want)
	}
	if tc.Version != "19.1.7" || tc.Banner != "Test clang version 19.1.7 (1~test)" || tc.Root != root {
		t.Errorf("version %q, banner %q, root %q", tc.Version, tc.Banner, tc.Root)
	}
	tool := tc.Tools["hip:bin/clang++"]
	if tool.Path != filepath.Join(root, "bin/clang++") || len(tool.Env) != 0 {
		t.Errorf("tool %+v", tool)
	}
	for path, owned := range map[string]bool{
		root + "/lib/clang/19/include/stdint.h":        true,
		root + "/bin/../lib/clang/19/include/stdint.h": true,
		root + "/bin/clang":                            true,
		root + "/lib/clang/19/include/absent.h":        false,
		root + "/other.h":                              false,
		"/usr/include/stdio.h":                         false,
	} {
		if tool.Owns(path) != owned {
			t.Errorf("Owns(%s) is %v", path, !owned)
		}
	}

	n := started(t, root)
	if n == 0 {
		t.Error("the first search asks the compiler")
	}
	if again := find(t, memo); again.Digest != tc.Digest || again.Core != tc.Core {
		t.Error("the second search finds another digest")
	}
	if started(t, root) != n {
		t.Error("the second search starts the compiler")
	}
}

func TestDigest(t *testing.T) {
	alone(t)
	base := realDir(t)
	fakeTree(t, base, "19.1.7")
	t.Setenv("D4R_ROCM_DIR", base)
	reference := find(t, nil)

	change := map[string]func(root string){
		"a byte in the driver": func(root string) { add(t, filepath.Join(root, "bin/clang"), "\n") },
		"a byte in the linker": func(root string) { add(t, filepath.Join(root, "bin/lld"), "\n") },
		"a byte in a header":   func(root string) { add(t, filepath.Join(root, "lib/clang/19/include/sub/deep.h"), "\n") },
		"a new header":         func(root string) { put(t, filepath.Join(root, "lib/clang/19/include/new.h"), nil) },
		"a configuration file": func(root string) { put(t, filepath.Join(root, "bin/x86_64.cfg"), nil) },
	}
	for name, f := range change {
		root := realDir(t)
		fakeTree(t, root, "19.1.7")
		t.Setenv("D4R_ROCM_DIR", root)
		if got := find(t, nil); got.Digest != reference.Digest {
			t.Fatal("the same files elsewhere have another digest")
		}
		f(root)
		if got := find(t, nil); got.Digest == reference.Digest || got.Core == reference.Core {
			t.Errorf("%s: the digest is the same", name)
		}
	}

	old := time.Now().Add(-time.Hour)
	for _, f := range reference.Files {
		if f.Host() {
			continue
		}
		if err := os.Chtimes(f.Path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("D4R_ROCM_DIR", base)
	if got := find(t, openMemo(t)); got.Digest != reference.Digest {
		t.Error("touched files have another digest")
	}
}

// A copy of the compiler of this machine has its digest; one byte appended to a
// library of the copy changes it; times do not.
func TestCopiedPrefix(t *testing.T) {
	if testing.Short() {
		t.Skip("copies 200 MB")
	}
	in := anyClang(t)
	if in == nil {
		t.Skip("no compiler on this machine")
	}
	memo := openMemo(t)
	system := find(t, memo)
	// The layout of a private prefix, with those host libraries that are in one.
	outer := realDir(t)
	prefix := filepath.Join(outer, "usr/lib/llvm-"+strings.Split(system.Version, ".")[0])
	private := filepath.Dir(filepath.Dir(filepath.Dir(system.Root)))
	for _, dir := range []string{"bin", "lib"} {
		if err := os.MkdirAll(filepath.Join(prefix, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range system.Files {
		to := filepath.Join(prefix, f.Name)
		if rel, ok := strings.CutPrefix(f.Name, "include/"); ok {
			to = filepath.Join(prefix, "lib/clang", strings.Split(system.Version, ".")[0], "include", rel)
		} else if f.Host() {
			if private == "/" || !strings.HasPrefix(f.Path, private+"/") {
				continue
			}
			to = filepath.Join(outer, "usr/lib/x86_64-linux-gnu", filepath.Base(f.Name))
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		put(t, to, data)
	}
	if err := os.Symlink("clang++", filepath.Join(prefix, "bin/clang")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("D4R_ROCM_DIR", prefix)
	copied := find(t, memo)
	if copied.Root != prefix || copied.Digest != system.Digest {
		t.Fatalf("the copy in %s has digest %s, the original %s", copied.Root, copied.Digest, system.Digest)
	}
	tool := copied.Tools["hip:bin/clang++"]
	cmd := exec.Command(tool.Path, "--version")
	cmd.Env = tool.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the copy does not run: %v %s", err, out)
	}
	now := time.Now()
	library := ""
	for _, f := range copied.Files {
		if strings.HasPrefix(f.Path, prefix) {
			if err := os.Chtimes(f.Path, now, now); err != nil {
				t.Fatal(err)
			}
		}
		if !f.Host() && strings.HasPrefix(f.Name, "lib/libLLVM") {
			library = f.Path
		}
	}
	if got := find(t, memo); got.Digest != system.Digest {
		t.Error("touched: another digest")
	}
	if library == "" {
		t.Skip("this compiler has LLVM inside, not in a library")
	}
	if !strings.HasPrefix(library, prefix) {
		t.Fatalf("the copy loads %s", library)
	}
	add(t, library, "x")
	got := find(t, memo)
	if got.Digest == system.Digest || got.Core == system.Core {
		t.Error("one byte more in libLLVM: the same digest")
	}
	d := (&Lock{Pins: []Pin{{Name: "hip", Kind: KindClang, Version: system.Version, Core: system.Core, Closure: system.Digest}}}).Compare(got)
	if len(d) != 1 || d[0].What != "compiler differs" {
		t.Errorf("differences: %v", d)
	}
}

func TestSearchOrder(t *testing.T) {
	alone(t)
	rocm, prefixes, path := realDir(t), realDir(t), realDir(t)
	fakeTree(t, rocm+"/llvm", "20.0.0git")
	fakeTree(t, prefixes+"/llvm-20", "20.1.0")
	fakeTree(t, prefixes+"/llvm-19/usr/lib/llvm-19", "19.1.7")
	fakeTree(t, prefixes+"/mine", "21.1.0")
	fakeTree(t, prefixes+"/.staging/tree", "19.1.7")
	for _, v := range []string{"18.1.8", "19.1.0", "20.1.8", "21.0.0"} {
		major, _, _ := strings.Cut(v, ".")
		tree := realDir(t)
		fakeTree(t, tree, v)
		if err := os.Symlink(tree+"/bin/clang++", path+"/clang++-"+major); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("clang++-20", path+"/clang++"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("D4R_ROCM_DIR", rocm)
	t.Setenv("KMX_TOOLCHAINS", prefixes)
	t.Setenv("PATH", path)
	var got []string
	for _, c := range Search() {
		if c.Why == "system LLVM" || c.Why == "ROCm" {
			continue // of the machine that runs the test
		}
		line := c.Why + " " + c.Version
		if c.Err != nil {
			line += ": " + c.Err.Error()
		}
		got = append(got, line)
	}
	want := []string{"D4R_ROCM_DIR 20", "private prefix 19", "private prefix 20", "private prefix 21",
		"on PATH 19", "on PATH 21", "on PATH 20", "on PATH 18: clang 18 is too old, 19 is the oldest that works"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestPrivatePrefix(t *testing.T) {
	alone(t)
	prefixes := realDir(t)
	root := prefixes + "/llvm-19/usr/lib/llvm-19"
	fakeTree(t, root, "19.1.7")
	put(t, prefixes+"/llvm-19/usr/lib/x86_64-linux-gnu/libz3.so.4", nil)
	t.Setenv("KMX_TOOLCHAINS", prefixes)
	tc := find(t, nil)
	if want := []string{"LD_LIBRARY_PATH=" + prefixes + "/llvm-19/usr/lib/x86_64-linux-gnu"}; !slices.Equal(tc.Tools["hip:bin/clang++"].Env, want) {
		t.Errorf("environment %q, want %q", tc.Tools["hip:bin/clang++"].Env, want)
	}
}

func TestScriptIsNoCompiler(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only ELF programs are told apart")
	}
	alone(t)
	root := realDir(t)
	fakeTree(t, root, "19.1.7")
	os.Remove(root + "/bin/clang")
	put(t, root+"/bin/clang", []byte("#!/bin/sh\nexec clang-19 \"$@\"\n"))
	t.Setenv("D4R_ROCM_DIR", root)
	if _, err := Find(context.Background(), Request{"hip", KindClang}, nil); err == nil || !strings.Contains(err.Error(), "script") {
		t.Errorf("error %v", err)
	}
}

func TestFindFails(t *testing.T) {
	alone(t)
	root := realDir(t)
	cases := []struct {
		name    string
		request Request
		change  func()
		want    []string
	}{
		{"unknown kind", Request{"emit", "linker"}, func() {}, []string{`toolchain "emit" has kind "linker"`}},
		{"explicit and not there", Request{"hip", KindClang}, func() {}, []string{"D4R_ROCM_DIR", root, "no llvm/bin/clang++ in it", "unset it"}},
		{"explicit and too old", Request{"hip", KindClang}, func() { fakeTree(t, root, "17.0.1") }, []string{"clang 17 is too old", "ROCm whose LLVM is 19"}},
		{"no linker", Request{"hip", KindClang}, func() { os.Remove(root + "/bin/lld") }, []string{"no lld beside it"}},
	}
	t.Setenv("D4R_ROCM_DIR", root)
	for _, c := range cases {
		c.change()
		_, err := Find(context.Background(), c.request, nil)
		var f *diag.Failure
		if !errors.As(err, &f) || f.Class != diag.Toolchain {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var b strings.Builder
		diag.Print(&b, f.Messages, diag.Style{})
		for _, part := range c.want {
			if !strings.Contains(b.String(), part) {
				t.Errorf("%s: %q is not in\n%s", c.name, part, b.String())
			}
		}
	}
}
