package validate_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/matrix"
	"kmx/toolchains/toolchaintest"
	"kmx/validate/model"
)

// everything reports whether the tests of this room run all of their cases, and
// not a sample: KMX_TEST_ALL=1.
func everything() bool { return os.Getenv("KMX_TEST_ALL") == "1" }

var declared = sync.OnceValues(func() (*matrix.Expansion, error) {
	m, problems := matrix.Load("../matrix.hcl", matrix.Options{})
	if problems.HasErrors() {
		return nil, problems
	}
	x, problems := m.Expand()
	if problems.HasErrors() {
		return nil, problems
	}
	return x, nil
})

// brief reports whether a cell is left out under -short, as the race detector
// runs the tests: one kernel of each family is enough for it.
func brief(c *matrix.Cell) bool {
	return testing.Short() && c.Address() != "k/dltss_pwin_enc1_layer@gfx1201" && c.Address() != "m/rrlite_dec1_4x4@gfx1201+fp8"
}

// cells are those of matrix.hcl that the selectors name.
func cells(t *testing.T, selectors string) []*matrix.Cell {
	t.Helper()
	x, err := declared()
	if err != nil {
		t.Fatal(err)
	}
	list, problems := x.Select(selectors, "")
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return list
}

// compile makes a cell's object as matrix.hcl declares it.
func compile(t *testing.T, c *matrix.Cell) []byte {
	t.Helper()
	object := filepath.Join(t.TempDir(), "k.hsaco")
	args := []string{"-x", "hip", "--offload-arch=" + c.Target.Name, "--offload-device-only", "--no-gpu-bundle-output",
		"--no-default-config", "--rocm-path=/nonexistent", "-fno-crash-diagnostics"}
	for _, f := range c.Flags {
		args = append(args, f.Text)
	}
	if c.Wave64 {
		args = append(args, "-mwavefrontsize64")
	}
	for _, d := range c.Defines {
		args = append(args, "-D"+d.Name+"="+d.Value)
	}
	for _, i := range c.Include {
		args = append(args, "-I"+i.Text)
	}
	cmd := toolchaintest.Clang(t, append(args, c.Source, "-o", object)...)
	cmd.Dir = ".."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	data, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// load decodes an object for the emulator; an instruction that the emulator does
// not know is an error.
func load(t *testing.T, object []byte) *emu.Program {
	t.Helper()
	tool, err := emu.FindObjdump()
	if err != nil {
		t.Skip(err)
	}
	p, err := emu.Load(t.Context(), object, tool)
	if err != nil {
		t.Fatal(err)
	}
	if list := p.Unsupported(); len(list) > 0 {
		t.Fatalf("the emulator does not model:\n%s", strings.Join(list, "\n"))
	}
	return p
}

// options are those of the model that a build must agree with.
func options(c *matrix.Cell) model.Options {
	o := model.Options{Mode: model.Fast, Generation: 11}
	if c.Target.Generation == "gfx12" {
		o.Generation = 12
	}
	if v, ok := c.Axis("fp8"); ok && v.Text == "true" {
		o.Mode = model.FastFP8
	}
	if v, ok := c.Axis("numerics"); ok && v.Text == "accuracy" {
		o.Mode = model.Exact
	}
	return o
}
