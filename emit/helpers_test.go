package emit_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"kmx/emit"
	"kmx/toolchains/toolchaintest"
)

var helperFiles sync.Map // options' name to bitcode

// helpers compiles the functions that surface stores call.
func helpers(t testing.TB, o emit.Options) string {
	t.Helper()
	o.Denormals, o.Bitcode = false, nil
	type result struct {
		once sync.Once
		data []byte
	}
	v, _ := helperFiles.LoadOrStore(name(o), &result{})
	r := v.(*result)
	r.once.Do(func() {
		out := compileHelpers(t, o, "stores.hip")
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		r.data = data
	})
	if r.data == nil {
		t.Fatal("no helpers")
	}
	path := filepath.Join(t.TempDir(), "stores.bc")
	if err := os.WriteFile(path, r.data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func runClang(t testing.TB, args ...string) {
	t.Helper()
	cmd := toolchaintest.Clang(t, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
}

// compileHelpers makes bitcode of a source of tex/.
func compileHelpers(t testing.TB, o emit.Options, source string, more ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), source+".bc")
	wave := "-mno-wavefrontsize64"
	if o.Wave64 {
		wave = "-mwavefrontsize64"
	}
	args := []string{"-x", "hip", "--offload-arch=" + o.Target, "--offload-device-only", "--no-gpu-bundle-output", "--no-default-config",
		"-std=c++20", "-O3", "-nogpuinc", "-nogpulib", "-nostdlibinc", "-ffp-contract=off", "-fuse-cuid=none", "-mcode-object-version=5",
		"-mllvm", "-disable-machine-sink", wave, "-fgpu-rdc", "-fdenormal-fp-math=dynamic", "-emit-llvm", "-c",
		"-I../kernels/common", "-I../kernels/m", "-I../tex", "../tex/" + source, "-o", out}
	runClang(t, append(args, more...)...)
	return out
}
