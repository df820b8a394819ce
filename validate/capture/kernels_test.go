package capture_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/matrix"
	"kmx/toolchains/toolchaintest"
	"kmx/validate/capture"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// The network kernels of matrix.hcl, built as they are declared, by way of
// captures: replayed on the emulator and compared with the model in the build's
// own mode. All bytes are the same. The tests of package validate go deeper into
// single kernels; this is the way that users of captures take.
//
// By default one build of each layer runs one case, on gfx1101 or gfx1201; -short
// takes one layer; KMX_TEST_ALL=1 every cell, every case and small moves too.

func everything() bool { return os.Getenv("KMX_TEST_ALL") == "1" }

// objdump finds the disassembler, or skips the test.
func objdump(t *testing.T) string {
	t.Helper()
	path, err := emu.FindObjdump()
	if err != nil {
		t.Skip(err)
	}
	return path
}

// compile runs clang in the project's root.
func compile(t *testing.T, target string, args ...string) []byte {
	t.Helper()
	object := filepath.Join(t.TempDir(), "k.hsaco")
	cmd := toolchaintest.Clang(t, append([]string{"-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", "--no-default-config",
		"--offload-arch=" + target, "-o", object}, args...)...)
	cmd.Dir = "../.."
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

func compileCell(t *testing.T, c *matrix.Cell) []byte {
	var args []string
	for _, f := range c.Flags {
		args = append(args, f.Text)
	}
	for _, i := range c.Include {
		args = append(args, "-I"+i.Text)
	}
	for _, d := range c.Defines {
		args = append(args, "-D"+d.Name+"="+d.Value)
	}
	if c.Wave64 {
		args = append(args, "-mwavefrontsize64")
	}
	return compile(t, c.Target.Name, append(args, c.Source)...)
}

// modeOf is the mode of the model that a build has to agree with.
func modeOf(c *matrix.Cell) model.Mode {
	if v, ok := c.Axis("numerics"); ok && v.Text == "accuracy" {
		return model.Exact
	}
	if v, ok := c.Axis("fp8"); ok && v.Text == "true" {
		return model.FastFP8
	}
	return model.Fast
}

// sampled says whether a build and a case run.
func sampled(c *matrix.Cell, layer, build, k int) bool {
	if everything() {
		return true
	}
	if testing.Short() && layer != 1 {
		return false
	}
	return c.Target.Name == []string{"gfx1101", "gfx1201"}[layer%2] && build == layer/2%2 && (k == 4 || k == 7)
}

func TestKernelsAgainstModel(t *testing.T) {
	m, problems := matrix.Load("../../matrix.hcl", matrix.Options{})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	x, problems := m.Expand()
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	tool := objdump(t)
	layers, builds := map[string]int{}, map[string]int{}
	for _, cell := range x.Cells {
		l, err := layout.Find(cell.Kernel)
		if err != nil {
			continue // another family
		}
		if v, ok := cell.Axis("variant"); ok && v.Text != "" {
			continue // package validate says what each variant must equal
		}
		if _, ok := layers[l.Name]; !ok {
			layers[l.Name] = len(layers)
		}
		key := l.Name + "@" + cell.Target.Name
		build := builds[key]
		builds[key]++
		var cases []capture.Case
		for k, c := range capture.Cases(l) {
			if sampled(cell, layers[l.Name], build, k) {
				cases = append(cases, c)
			}
		}
		if len(cases) == 0 {
			continue
		}
		t.Run(cell.Address(), func(t *testing.T) {
			t.Parallel()
			object := compileCell(t, cell)
			for _, k := range cases {
				checkKernel(t, cell, l, k, object, tool)
			}
		})
	}
	if len(layers) == 0 {
		t.Error("matrix.hcl has no network kernels")
	}
}

func checkKernel(t *testing.T, cell *matrix.Cell, l layout.Layer, k capture.Case, object []byte, tool string) {
	t.Helper()
	c, err := capture.Generate(l, k)
	if err != nil {
		t.Fatal(err)
	}
	generation := 11
	if cell.Target.Generation == "gfx12" {
		generation = 12
	}
	// The other runs move every rcp, rsq and exp2 on both sides: by a last place,
	// of which little is to be seen, and by as much as shows in f16, so that
	// kernel and model must approximate at the same places.
	var exact *capture.Capture
	ulps := []int{0, 1, -1, 5000}
	if !everything() {
		ulps = []int{0, 5000}
	}
	for _, ulp := range ulps {
		ran, err := capture.Replay(context.Background(), object, c, capture.ReplayOptions{Objdump: tool, ULP: ulp})
		if err != nil {
			t.Errorf("%s: %v", k, err)
			return
		}
		want, err := capture.Model(c, model.Options{Mode: modeOf(cell), Generation: generation, ULP: ulp})
		if err != nil {
			t.Fatal(err)
		}
		r, err := capture.Compare(want, ran.After)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Equal() {
			t.Errorf("%s, %+d ulp (%v model):\n%s", k, ulp, modeOf(cell), r)
		}
		if ulp == 0 {
			exact = want
			continue
		}
		moved, err := capture.Compare(exact, want)
		if err != nil {
			t.Fatal(err)
		}
		if ulp > 1 && moved.Equal() {
			t.Errorf("%s: %+d ulp change nothing", k, ulp)
		}
		t.Logf("%s: what %+d ulp changes:\n%s", k, ulp, moved)
	}
}
