//go:build linux

package main

import (
	"bytes"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"

	"kmx/cuda/ptx"
	"kmx/cuda/standin"
	"kmx/internal/diag"
	"kmx/tex"
)

// TestOnGPU runs the batch where it can be run.
func TestOnGPU(t *testing.T) {
	var out bytes.Buffer
	err := run([]string{"-corpus=../../emit/testdata"}, &out)
	var f *diag.Failure
	if errors.As(err, &f) && f.Class == diag.Toolchain {
		if len(f.Messages) != 1 || !strings.Contains(f.Messages[0].Hint, "an NVIDIA GPU and its driver") {
			t.Errorf("it does not say what it needs: %v", f.Messages)
		}
		t.Skipf("not run here: %v; what a GPU gave is kept in testdata/results.json", err)
	}
	t.Log(out.String())
	if err != nil {
		t.Fatal(err)
	}
}

type editedLibrary struct {
	modules  []standin.Module
	variants []variant
	failures []failure
	err      error
}

var once = sync.OnceValue(func() (l editedLibrary) {
	b := &batch{}
	l.modules, l.variants, l.err = b.library()
	for _, p := range b.Parts {
		l.failures = append(l.failures, p.Failures...)
	}
	return l
})

// stoodIn is the stand-in library, edited once for all tests.
func stoodIn(t *testing.T) editedLibrary {
	t.Helper()
	l := once()
	if l.err != nil {
		t.Fatal(l.err)
	}
	for _, f := range l.failures {
		t.Errorf("%s: %s", f.Name, f.Why)
	}
	return l
}

// TestVariants counts what is edited: every kernel of the texture family, those
// of preset L under both of their recipes, dec0 with FP8 and without.
func TestVariants(t *testing.T) {
	n := map[standin.Group]int{}
	run := 0
	for _, v := range stoodIn(t).variants {
		n[v.kernel.Group]++
		if v.recipe == "stores" && v.kernel.Runs() {
			run++
		}
	}
	want := map[standin.Group]int{standin.KOutput: 24, standin.KInput: 8, standin.MPost: 8, standin.MDownsample: 4, standin.MEnc0: 4, standin.MDec0: 2, standin.LPost: 8, standin.LEnc0: 8, standin.LDec0: 2}
	if !maps.Equal(n, want) {
		t.Errorf("%v, wanted %v", n, want)
	}
	if run != 24+8+4+8 {
		t.Errorf("%d kernels are run", run)
	}
}

func TestChoices(t *testing.T) {
	for _, args := range [][]string{{"-only=everything"}, {"-limit=soon"}, {"corpus"}, {"-fast"}} {
		err := run(args, &bytes.Buffer{})
		var f *diag.Failure
		if !errors.As(err, &f) || f.Class != diag.Usage {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestFunctionsAreThoseOfTheRecipes holds the CUDA build of the device functions
// against what edited kernels declare.
func TestFunctionsAreThoseOfTheRecipes(t *testing.T) {
	m, err := ptx.Parse("functions.ptx", functions)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]string{}
	for _, f := range m.Functions() {
		if f.Body == nil || !f.Visible {
			t.Errorf("%s cannot be called", f.Name)
		}
		there[f.Name] = signature(f)
	}
	declared := map[string]bool{}
	for _, v := range stoodIn(t).variants {
		edited, err := ptx.Parse(v.name, v.edited)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range edited.Functions() {
			if !f.Extern {
				continue
			}
			declared[f.Name] = true
			if got := there[f.Name]; got != signature(f) {
				t.Errorf("%s declares %s%s, but there is %s", v.name, f.Name, signature(f), got)
			}
		}
	}
	for _, r := range tex.Recipes() {
		for _, name := range r.Functions {
			if there[name] == "" {
				t.Errorf("recipe %s calls %s, which is not there", r.Name, name)
			}
		}
	}
	if len(declared) < 8 {
		t.Errorf("only %d functions are declared anywhere", len(declared))
	}
}

func signature(f *ptx.Function) string {
	var b strings.Builder
	for _, list := range [][]ptx.Param{f.Returns, f.Params} {
		b.WriteString("(")
		for _, p := range list {
			b.WriteString("." + p.Type)
		}
		b.WriteString(")")
	}
	return b.String()
}

func TestRoundfIsEdited(t *testing.T) {
	m, err := ptx.Parse("roundf.ptx", roundfSource)
	if err != nil {
		t.Fatal(err)
	}
	for _, kernel := range roundfKernels {
		r, err := tex.Edit(tex.Request{Kernel: kernel, Recipe: "stores", Module: m, Counts: map[string]string{"round": "1"}})
		if err != nil {
			t.Error(err)
			continue
		}
		edited, err := ptx.Parse("edited.ptx", r.Text)
		if err != nil {
			t.Fatal(err)
		}
		f := edited.Function(kernel)
		if body := edited.Source(f.Span); strings.Contains(body, "add.rz") || !strings.Contains(body, "selp.f32") {
			t.Errorf("%s is not rewritten:\n%s", kernel, body)
		}
	}
}

func TestTable(t *testing.T) {
	var r results
	r.count("corpus", "kernels that run", "a", nil)
	r.count("corpus", "kernels that run", "b", errors.New("it stops\nhere"))
	var out bytes.Buffer
	r.table(&out)
	want := `
part       check                                                              done   failed
corpus     kernels that run                                                      2        1

corpus, kernels that run: b
    it stops
    here
`
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
	if r.failed() != 1 || r.total() != 2 {
		t.Error(r.failed(), r.total())
	}
}
