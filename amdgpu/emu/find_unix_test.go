//go:build unix

package emu

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLibrariesOf(t *testing.T) {
	root := t.TempDir()
	libs := filepath.Join(root, "usr", "lib", "x86_64-linux-gnu")
	for _, dir := range []string{libs, filepath.Join(root, "usr", "lib", "llvm-19", "bin")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for objdump, want := range map[string]string{
		filepath.Join(root, "usr", "lib", "llvm-19", "bin", "llvm-objdump"): libs,
		filepath.Join(root, "llvm", "bin", "llvm-objdump"):                  "",
		"/usr/lib/llvm-19/bin/llvm-objdump":                                 "",
		"/usr/bin/llvm-objdump-19":                                          "",
	} {
		if got := librariesOf(objdump); got != want {
			t.Errorf("%s: %q, want %q", objdump, got, want)
		}
	}
}

// TestFindObjdump: what mage setup unpacks is found, and D4R_ROCM_DIR wins.
func TestFindObjdump(t *testing.T) {
	make := func(path ...string) string {
		file := filepath.Join(path...)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	prefix := t.TempDir()
	t.Setenv("PATH", t.TempDir())
	t.Setenv("KMX_TOOLCHAINS", prefix)
	t.Setenv("D4R_ROCM_DIR", "")
	want := make(prefix, "llvm-19", "usr", "lib", "llvm-19", "bin", "llvm-objdump")
	if got, err := FindObjdump(); got != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	rocm := t.TempDir()
	t.Setenv("D4R_ROCM_DIR", rocm)
	want = make(rocm, "llvm", "bin", "llvm-objdump")
	if got, err := FindObjdump(); got != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
