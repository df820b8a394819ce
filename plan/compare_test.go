package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/cuda/fatbin/fatbintest"
	"kmx/matrix"
	"kmx/tex"
	"kmx/toolchains"
)

// kernelText is a module with one kernel per line of text: its name and its
// statements.
func kernelText(lineEnd string, kernels ...string) []byte {
	lines := []string{".version 8.3", ".target sm_89", ".address_size 64", ""}
	for _, k := range kernels {
		name, body, _ := strings.Cut(k, ": ")
		lines = append(lines, ".visible .entry "+name+"(", "\t.param .u64 "+name+"_param_0", ")", "{", "\t.reg .b32 %r<9>;")
		for s := range strings.SplitSeq(body, "; ") {
			lines = append(lines, "\t"+s+";")
		}
		lines = append(lines, "}", "")
	}
	return []byte(strings.Join(lines, lineEnd))
}

func openText(t *testing.T, name string, modules ...[]byte) *Library {
	t.Helper()
	var entries []fatbintest.Entry
	for _, m := range modules {
		entries = append(entries, fatbintest.Entry{PTX: m, Compression: "zstd"})
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, fatbintest.PE(fatbintest.Container(entries...)), 0o644); err != nil {
		t.Fatal(err)
	}
	lib, err := OpenLibrary(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// TestCompareLibraries holds every word that a kernel's fate can have.
func TestCompareLibraries(t *testing.T) {
	old := openText(t, "old.dll",
		kernelText("\r\n", "same: ret", "renamed: mov.u32 %r1, 1; add.s32 %r2, %r1, %r1; ret", "changed: mov.u32 %r1, 1; ret"),
		kernelText("\n", "whole: ret"), kernelText("\n", "gone: ret"), kernelText("\n", "twice: ret"))
	now := openText(t, "new.dll",
		kernelText("\r\n", "same: ret", "renamed: mov.u32 %r7, 1; add.s32 %r3, %r7, %r7; ret", "changed: mov.u32 %r1, 2; ret"),
		kernelText("\n", "whole: ret"), kernelText("\n", "new: ret"), kernelText("\n", "twice: ret"), kernelText("\n", "twice: exit"))
	b := newBench(t, toolchains.EmitterOwn, module("x"))
	b.s.Edit = func(r tex.Request) (*tex.Result, error) {
		if r.Kernel == "changed" {
			return nil, fmt.Errorf("not as expected")
		}
		return &tex.Result{}, nil
	}
	var cells []*matrix.Cell
	names := []string{"same", "renamed", "changed", "whole", "gone", "new", "twice", "absent"}
	for _, name := range names {
		cells = append(cells, b.cell(name, "gfx1100"), b.cell(name, "gfx1201"))
	}
	other := b.cell("same", "gfx1100")
	other.Library = "another"
	got, err := CompareLibraries(t.Context(), append(cells, other), "dlss", []*Library{old}, []*Library{now}, b.s)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(names) {
		t.Fatalf("%d kernels, not %d", len(got), len(names))
	}
	for i, want := range []struct {
		status, diff, error string
		recipes             int
	}{
		{KernelSame, "", "", 1}, {KernelRenamed, "", "", 1}, {KernelChanged, "- mov.u32 %r1, 1;", "", 1}, {KernelSame, "", "", 1},
		{KernelGone, "", "", 0}, {KernelNew, "", "", 1}, {KernelUnclear, "", "defined twice", 0}, {KernelAbsent, "", "", 0},
	} {
		k := got[i]
		if k.Kernel != names[i] || k.Status != want.status || !strings.Contains(k.Diff, want.diff) || !strings.Contains(k.Error, want.error) || len(k.Recipes) != want.recipes {
			t.Errorf("%s: %+v", names[i], k)
		}
		if (k.Diff != "") != (want.diff != "") {
			t.Errorf("%s: its difference is %q", names[i], k.Diff)
		}
		for _, r := range k.Recipes {
			if (r.Error != "") != (k.Kernel == "changed") || r.Cell != "tex/"+k.Kernel+"@gfx1100" {
				t.Errorf("%s: recipe %+v", k.Kernel, r)
			}
		}
	}
	if p := got[2].Parameters; len(p) != 0 {
		t.Errorf("parameters that differ: %v", p)
	}
	wide := openText(t, "wide.dll", []byte(strings.Replace(string(kernelText("\n", "changed: mov.u32 %r1, 1; ret")), ".param .u64", ".param .u32", 1)))
	got, err = CompareLibraries(t.Context(), []*matrix.Cell{b.cell("changed", "gfx1100")}, "dlss", []*Library{old}, []*Library{wide}, b.s)
	if err != nil || len(got[0].Parameters) != 2 || !strings.HasPrefix(got[0].Parameters[0], "- .param .u64") {
		t.Errorf("parameters that differ: %+v, %v", got, err)
	}
}

// TestOpenLibrary holds that a list that was kept is taken, and made anew where
// it is damaged.
func TestOpenLibrary(t *testing.T) {
	b := newBench(t, toolchains.EmitterOwn, module("a b"), module("c"))
	path := b.s.Libraries["dlss"].Files[0]
	first, err := OpenLibrary(t.Context(), path, b.store)
	if err != nil {
		t.Fatal(err)
	}
	again, err := OpenLibrary(t.Context(), path, b.store)
	if err != nil || fmt.Sprint(first.Modules) != fmt.Sprint(again.Modules) || len(first.Modules) != 2 {
		t.Fatalf("%v, %v, %v", first.Modules, again, err)
	}
	text, err := again.Text(again.Modules[0])
	if err != nil || string(text) != string(fatbintest.Text("a b", "\r\n")) {
		t.Errorf("the text is %q, %v", text, err)
	}
	b.s.Memo.PutDerived(LibraryFormat, first.Digest, "nonsense")
	if again, err = OpenLibrary(t.Context(), path, b.store); err != nil || len(again.Modules) != 2 {
		t.Errorf("with a list that is none: %v, %v", again, err)
	}
	// The file is another one by the time its module is read.
	other := fatbintest.PE(fatbintest.Container(module("a z"), module("c")))
	if err := os.WriteFile(path, other, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Text(first.Modules[0]); err == nil || !strings.Contains(err.Error(), "changed while it was read") {
		t.Errorf("another file in its place: %v", err)
	}
}
