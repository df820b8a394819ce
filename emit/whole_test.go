package emit_test

import (
	"os"
	"path/filepath"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/cuda/ptx"
	"kmx/cuda/standin"
	"kmx/emit"
	"kmx/tex"
)

// The stand-in's kernels around the network, whose matrix instructions the recipes
// replace: what is left is translated, and the helpers' preparation kernel and
// control symbols are in the object.
func TestHeadsAndTails(t *testing.T) {
	texts := map[string][]byte{}
	for _, m := range standin.Modules() {
		texts[m.Name] = m.Text
	}
	for _, test := range []struct{ kernel, recipe, source string }{
		{"rrlite_enc0_4x4_mvhi_hdr_folded", "enc0-tail", "enc0_tail.hip"},
		{"rrlite_dec0_4x4_folded", "dec0-head", "dec0_head.hip"},
	} {
		t.Run(test.kernel, func(t *testing.T) {
			m, err := ptx.Parse(test.kernel, moduleOf(t, test.kernel, texts))
			if err != nil {
				t.Fatal(err)
			}
			r, err := tex.Edit(tex.Request{Kernel: test.kernel, Recipe: test.recipe, Module: m})
			if err != nil {
				t.Fatal(err)
			}
			if m, err = ptx.Parse(test.kernel, r.Text); err != nil {
				t.Fatal(err)
			}
			for _, target := range []string{"gfx1100", "gfx1201"} {
				o := emit.Options{Target: target, Whole: true}
				o.Bitcode = []string{compileHelpers(t, o, test.source, "-DD4R_KERNEL_NAME="+test.kernel)}
				dir := t.TempDir()
				from, to := filepath.Join(dir, "k.ll"), filepath.Join(dir, "k.hsaco")
				if err := os.WriteFile(from, lower(t, m, test.kernel, o), 0o644); err != nil {
					t.Fatal(err)
				}
				runClang(t, emit.Args(o, from, to, false)...)
				object, err := os.ReadFile(to)
				if err != nil {
					t.Fatal(err)
				}
				want := codeobj.Want{Name: test.kernel, Target: target, WaveSize: 32, CodeObjectVersion: 5, Hook: map[string]uint32{"prep_blocks": 4, "prep_key_at": 1}, Paths: []string{dir}}
				read, problems := codeobj.Check(object, want)
				if len(problems) > 0 {
					t.Fatalf("%s: %v", target, problems)
				}
				if _, ok := read.Kernel(test.kernel + "_prep"); !ok {
					t.Errorf("%s: no preparation kernel", target)
				}
			}
		})
	}
}

// moduleOf is the text of the stand-in module that has an entry.
func moduleOf(t *testing.T, kernel string, texts map[string][]byte) []byte {
	t.Helper()
	for _, k := range standin.Kernels() {
		if k.Name == kernel {
			return texts[k.Module]
		}
	}
	t.Fatalf("the stand-in library has no %s", kernel)
	return nil
}
