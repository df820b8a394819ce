//go:build unix

package toolchains

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestEmitterProgram holds that a program given in the environment is an
// emitter with its libraries, and what is said of things that are none.
func TestEmitterProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the libraries of a program are read on Linux only")
	}
	dir := t.TempDir()
	// This test binary may be static; a shell never is in the images this runs on.
	data, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "d4r_emit")
	write := func(name string, data []byte, mode os.FileMode) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, mode); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write("d4r_emit", data, 0o755)
	t.Setenv(EmitterEnv, program)
	find := func() (*Toolchain, error) {
		return Find(t.Context(), Request{Name: "emit", Kind: KindEmitter}, nil)
	}
	tc, err := find()
	if err != nil {
		t.Fatal(err)
	}
	if tc.Emitter != EmitterZLUDA || tc.Tools["emit:"+EmitterTool].Path != program || !strings.HasPrefix(tc.Version, "zluda ") {
		t.Errorf("found %+v", tc)
	}
	names := ""
	for _, f := range tc.Files {
		names += f.Name + " "
	}
	if !strings.Contains(names, EmitterTool) || !strings.Contains(names, "lib/libc.so") {
		t.Errorf("its closure is %s", names)
	}
	write("d4r_emit", append(data, 0), 0o755)
	if other, err := find(); err != nil || other.Digest == tc.Digest || other.Version == tc.Version {
		t.Errorf("another program has the same digest (%v)", err)
	}
	for given, want := range map[string]string{
		filepath.Join(dir, "none"): "there is no such file",
		dir:                        "it is no file",
		write("data", data, 0o644): "it is not executable",
		write("script", []byte("#!/bin/sh\nexit\n"), 0o755): "it is a script or for another system",
	} {
		t.Setenv(EmitterEnv, given)
		if _, err := find(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", given, err, want)
		}
	}
}

// TestEmitterOwn holds that without a program kmx's own emitter is there
// wherever a compiler is, with the compiler's digest: what it writes is in the
// inputs of its actions.
func TestEmitterOwn(t *testing.T) {
	alone(t)
	root := t.TempDir()
	fakeTree(t, root, "19.1.7")
	t.Setenv("D4R_ROCM_DIR", root)
	t.Setenv(EmitterEnv, "")
	emitter, err := Find(t.Context(), Request{Name: "emit", Kind: KindEmitter}, nil)
	if err != nil {
		t.Fatal(err)
	}
	clang, err := Find(t.Context(), Request{Name: "hip", Kind: KindClang}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if emitter.Emitter != EmitterOwn || clang.Emitter != "" || emitter.Digest != clang.Digest || emitter.Kind != KindEmitter {
		t.Errorf("found %s %s and %s %s", emitter.Kind, emitter.Emitter, clang.Kind, clang.Emitter)
	}
	if _, ok := emitter.Tools["emit:bin/clang++"]; !ok {
		t.Errorf("its tools are %v", emitter.Tools)
	}
}
