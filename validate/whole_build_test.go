package validate_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/emu"
	"kmx/cuda/ptx"
	"kmx/cuda/standin"
	"kmx/emit"
	"kmx/emit/emittest"
	"kmx/tex"
)

// wholeBuild is a build of a kernel of the stand-in library with a head or tail in
// it, as kmx makes it without ZLUDA: edited by its recipe, translated by the
// built-in emitter, linked with the bitcode of the device source.
type wholeBuild struct {
	texBuild         // its kernel's
	recipe    string // "enc0-tail"
	reference string // kernel that the recipe compares with
	denormals bool   // f32 denormals are kept, as in accuracy sets
	prep      int    // blocks of the preparation kernel
}

func (b wholeBuild) String() string {
	s := b.kernel + ":" + b.texBuild.String()
	if b.denormals {
		s += "+denormals"
	}
	return s
}

// fp8 says whether the recipe makes conversions calls, as matrix.hcl has it.
func (b wholeBuild) fp8() bool {
	return b.recipe == "dec0-head" && slices.Contains(b.defines, "D4R_TEX_FP8=1")
}

// wholes are the builds that a test runs of kernels with one device source: one of
// them, everything where that is asked for.
func wholes(t *testing.T, kernels []string, recipe, reference string, prep int, builds []texBuild, sample func(texBuild) bool) []wholeBuild {
	t.Helper()
	var list []wholeBuild
	for i, k := range kernels {
		for _, b := range builds {
			for _, denormals := range []bool{false, true} {
				w := wholeBuild{texBuild: b, recipe: recipe, reference: reference, denormals: denormals, prep: prep}
				w.kernel = k
				if everything() || i == len(kernels)-1 && !denormals && sample(b) {
					list = append(list, w)
				}
			}
		}
	}
	if len(list) == 0 {
		t.Fatal("no build is run")
	}
	return list
}

// standinModule is one of the stand-in library's modules.
func standinModule(t *testing.T, name string) *ptx.Module {
	t.Helper()
	for _, m := range standinModules() {
		if m.Name == name {
			parsed, err := ptx.Parse(m.Name, m.Text)
			if err != nil {
				t.Fatal(err)
			}
			return parsed
		}
	}
	t.Fatalf("the stand-in library has no module %s", name)
	return nil
}

var standinModules = sync.OnceValue(standin.Modules)

// standinKernel describes a kernel of the stand-in library.
func standinKernel(t *testing.T, name string) standin.Kernel {
	t.Helper()
	for _, k := range standin.Kernels() {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("the stand-in library has no %s", name)
	return standin.Kernel{}
}

// wholeKernel is one that can be launched.
type wholeKernel struct {
	standin.Kernel
	text    []byte // the edited module
	entry   *ptx.Function
	program *emu.Program
}

// edit is the module of the kernel as its recipe leaves it.
func (b wholeBuild) edit(t *testing.T) (k wholeKernel, m *ptx.Module) {
	t.Helper()
	k.Kernel = standinKernel(t, b.kernel)
	r := tex.Request{Kernel: b.kernel, Recipe: b.recipe, Module: standinModule(t, k.Module), Options: tex.Options{FP8: b.fp8()}}
	if b.fp8() {
		r.Counts = map[string]string{"e4m3": "32"}
	}
	if b.reference != "" && b.reference != b.kernel {
		r.Reference, r.ReferenceKernel = standinModule(t, standinKernel(t, b.reference).Module), b.reference
	}
	edited, err := tex.Edit(r)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = ptx.Parse(k.Module, edited.Text); err != nil {
		t.Fatal(err)
	}
	if k.text, err = emittest.Alone(m, b.kernel); err != nil {
		t.Fatal(err)
	}
	k.entry = m.Function(b.kernel)
	return k, m
}

// link makes an object of the edited kernel and checks what is promised of it: the
// kernel itself and, where the whole of the bitcode is taken, prep kernel and hook.
func (b wholeBuild) link(t *testing.T, k *wholeKernel, m *ptx.Module, bitcode string, whole bool) {
	t.Helper()
	o := emit.Options{Target: b.target, Denormals: b.denormals, Whole: whole, Bitcode: []string{bitcode}}
	ir, err := emit.Lower(m, b.kernel, o)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	from, to := filepath.Join(dir, "k.ll"), filepath.Join(dir, "k.hsaco")
	if err := os.WriteFile(from, ir, 0o644); err != nil {
		t.Fatal(err)
	}
	texClang(t, emit.Args(o, from, to, false)...)
	object, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	want := codeobj.Want{Name: b.kernel, Target: b.target, WaveSize: 32, CodeObjectVersion: 5, Paths: []string{dir}}
	if whole {
		want.Hook = map[string]uint32{"prep_blocks": uint32(b.prep), "prep_key_at": 1}
	}
	read, problems := codeobj.Check(object, want)
	if len(problems) > 0 {
		t.Fatalf("%v: %v", b, problems)
	}
	if _, ok := read.Kernel(b.kernel + "_prep"); ok != whole {
		t.Errorf("%v: preparation kernel: %v", b, ok)
	}
	k.program = load(t, object)
}

// features is the bitcode that takes a tail's place and hands out what it gets.
func (b wholeBuild) features(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "features.bc")
	args := append(texFlags(t, b.target, false), "-fgpu-rdc", "-emit-llvm", "-c", "-fdenormal-fp-math=dynamic")
	texClang(t, append(args, "validate/testdata/outer/features.hip", "-o", file)...)
	return file
}

// short is a build's name in a test's.
func short(b wholeBuild) string { return strings.TrimPrefix(b.String(), "rrlite_") }
