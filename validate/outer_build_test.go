package validate_test

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/toolchains/toolchaintest"
)

// texBuild is a build of a device source of tex/.
type texBuild struct {
	source  string // "enc0_tail"
	target  string
	defines []string
	wave64  bool
	kernel  string // it is built for; "": caller
}

func (b texBuild) String() string {
	s := b.source + "@" + b.target
	for _, d := range b.defines {
		name, _, _ := strings.Cut(strings.TrimPrefix(d, "D4R_"), "=")
		s += "+" + strings.ToLower(name)
	}
	if b.wave64 {
		s += "+wave64"
	}
	return s
}

// texTargets are the GPUs that a test runs; under -short one of them.
func texTargets() []string {
	switch {
	case testing.Short(): // for the race detector
		return []string{"gfx1201"}
	case everything():
		return []string{"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1200", "gfx1201"}
	}
	return []string{"gfx1101", "gfx1201"}
}

func gfx12(target string) bool { return strings.HasPrefix(target, "gfx12") }

// texFlags are the flags of matrix.hcl's compiler for a target.
func texFlags(t *testing.T, target string, wave64 bool) []string {
	t.Helper()
	list := cells(t, "m/rrlite_dec1_4x4@"+target)
	args := []string{"-x", "hip", "--offload-arch=" + target, "--offload-device-only", "--no-gpu-bundle-output",
		"--no-default-config", "--rocm-path=/nonexistent", "-fno-crash-diagnostics"}
	for _, f := range list[0].Flags {
		args = append(args, f.Text)
	}
	if wave64 {
		args = append(args, "-mwavefrontsize64")
	}
	return append(args, "-Ikernels/common", "-Ikernels/m", "-Itex")
}

func texClang(t *testing.T, args ...string) {
	t.Helper()
	cmd := toolchaintest.Clang(t, args...)
	cmd.Dir = ".."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
}

// bitcode compiles a device source as it is handed to an emitter.
func (b texBuild) bitcode(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), b.source+".bc")
	args := append(texFlags(t, b.target, b.wave64), "-fgpu-rdc", "-emit-llvm", "-c", "-fdenormal-fp-math=dynamic", "-DD4R_KERNEL_NAME="+cmp.Or(b.kernel, "caller"))
	for _, d := range b.defines {
		args = append(args, "-D"+d)
	}
	texClang(t, append(args, "tex/"+b.source+".hip", "-o", file)...)
	return file
}

// linked is an object of a caller of testdata/outer with the bitcode of a device
// source in it. flags are further ones of the caller.
func (b texBuild) linked(t *testing.T, caller string, flags ...string) []byte {
	t.Helper()
	object := filepath.Join(t.TempDir(), "k.hsaco")
	args := append(texFlags(t, b.target, b.wave64), "-cuid=caller", "-Xclang", "-mlink-bitcode-file", "-Xclang", b.bitcode(t))
	args = append(append(args, flags...), "validate/testdata/outer/"+caller+".hip", "-o", object)
	texClang(t, args...)
	data, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
