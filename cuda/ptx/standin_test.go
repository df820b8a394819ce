package ptx_test

import (
	"strings"
	"testing"

	"kmx/cuda/ptx"
	"kmx/cuda/standin"
)

// Diff finds between two versions of the stand-in library what that library
// says was changed, and nothing else.
func TestDiffOfLibraries(t *testing.T) {
	type kernel struct {
		m *ptx.Module
		f *ptx.Function
	}
	kernels := func(o standin.Options) map[string]kernel {
		list, err := standin.ModulesOf(o)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]kernel{}
		for _, m := range list {
			p, err := ptx.Parse(m.Name+".ptx", m.Text)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range p.Entries() {
				all[f.Name] = kernel{p, f}
			}
		}
		return all
	}
	first, next := kernels(standin.Options{}), kernels(standin.Options{Version: standin.Next})
	promised := standin.Changes()
	seen := map[string]int{}
	for name, a := range first {
		want := promised[name]
		b, there := next[name]
		switch {
		case !there:
			if want != "gone" {
				t.Errorf("%s is gone", name)
			}
			continue
		case want == "" && !strings.Contains(name, "downsample"): // the many others are the same text
			continue
		case want == "":
			want = "same"
		}
		c := ptx.Diff(a.m, a.f, b.m, b.f)
		seen[want]++
		if c.Verdict.String() != want {
			t.Errorf("%s: %s, the library says %s", name, c.Verdict, want)
		}
		if want == "changed" && (c.Added != 1 || c.Removed != 1) {
			t.Errorf("%s: one statement was changed; -%d +%d", name, c.Removed, c.Added)
		}
	}
	if seen["same"] == 0 || seen["renamed"] == 0 || seen["changed"] == 0 {
		t.Errorf("compared %v", seen)
	}
}
