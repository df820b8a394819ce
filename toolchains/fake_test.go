//go:build unix

package toolchains

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/cache"
)

// TestMain lets the test binary be the compiler of fakeTree: it starts itself
// under the name clang++.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "clang++" {
		os.Exit(fakeCompiler(filepath.Dir(os.Args[0]), os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fakeCompiler answers the questions that Find asks, and leaves a line in
// `started` each time.
func fakeCompiler(bin string, args []string) int {
	root := filepath.Dir(bin)
	log, err := os.OpenFile(filepath.Join(root, "started"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 2
	}
	defer log.Close()
	fmt.Fprintln(log, args)
	version, err := os.ReadFile(filepath.Join(root, "version"))
	if err != nil {
		return 2
	}
	major, _, _ := strings.Cut(string(version), ".")
	switch args[0] {
	case "--version":
		fmt.Printf("Test clang version %s (1~test)\nTarget: x86_64\n", version)
	case "-print-resource-dir":
		fmt.Println(bin + "/../lib/clang/" + major)
	case "--print-targets":
		fmt.Println("  Registered Targets:\n    amdgcn  - AMD GCN GPUs\n    x86-64  - 64-bit X86")
	default:
		return 1
	}
	return 0
}

// fakeTree is an installation whose programs are this test binary.
func fakeTree(t *testing.T, root, version string) {
	t.Helper()
	major, _, _ := strings.Cut(version, ".")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(root, "version"), []byte(version))
	put(t, filepath.Join(root, "lib/clang", major, "include/stdint.h"), []byte("// ints\n"))
	put(t, filepath.Join(root, "lib/clang", major, "include/sub/deep.h"), []byte("// deep\n"))
	if err := os.Mkdir(filepath.Join(root, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"clang", "lld"} {
		to := filepath.Join(root, "bin", name)
		if os.Link(self, to) == nil { // never written to, see add
			continue
		}
		data, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		put(t, to, data)
	}
	if err := os.Symlink("clang", filepath.Join(root, "bin/clang++")); err != nil {
		t.Fatal(err)
	}
}

// alone makes sure that a test sees no compiler but its own.
func alone(t *testing.T) {
	t.Helper()
	t.Setenv("D4R_ROCM_DIR", "")
	t.Setenv("KMX_TOOLCHAINS", filepath.Join(t.TempDir(), "none"))
	t.Setenv("PATH", t.TempDir())
}

func openMemo(t *testing.T) *cache.Memo {
	t.Helper()
	c, err := cache.Open(t.TempDir(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.Memo()
}

func find(t *testing.T, memo *cache.Memo) *Toolchain {
	t.Helper()
	tc, err := Find(context.Background(), Request{"hip", KindClang}, memo)
	if err != nil {
		t.Fatal(err)
	}
	return tc
}

func started(t *testing.T, root string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "started"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(data), "\n")
}

// add makes a file longer, as a new file: the old one may have other names.
func add(t *testing.T, path, text string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	put(t, path, append(data, text...))
}
