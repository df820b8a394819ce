package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/cache"
)

func use(library, kernel, text string) Use {
	return Use{Library: library, Kernel: kernel, Module: Module{FNV: uint64(len(text)), BLAKE3: cache.Sum([]byte(text))}}
}

// TestApprovals holds that what was accepted is read back and covers that module
// of that kernel in that library, and nothing else.
func TestApprovals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "modules.lock.hcl")
	a, err := ReadApprovals(path)
	if err != nil || len(a.List) != 0 {
		t.Fatalf("no file: %v, %v", a, err)
	}
	first := []Use{use("dlss", "b", "two"), use("dlss", "a", "one"), use("dlssd", "a", "other"), use("dlss", "a", "one")}
	if got := a.Unapproved(first); len(got) != 3 || got[0].Kernel != "a" || got[0].Library != "dlss" || got[2].Library != "dlssd" {
		t.Errorf("unapproved are %v", got)
	}
	a.Accept(`me "x": compared ${by} hand`, first)
	if err := a.Write(path); err != nil {
		t.Fatal(err)
	}
	b, err := ReadApprovals(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.List) != 2 || b.List[0].Who != `me "x": compared ${by} hand` || len(b.Unapproved(first)) != 0 {
		t.Errorf("read back: %+v", b.List)
	}
	for _, u := range []Use{use("dlss", "a", "two"), use("dlssd", "b", "two"), use("dlss", "c", "one")} {
		if len(b.Unapproved([]Use{u})) != 1 {
			t.Errorf("%v is approved", u)
		}
	}
	// Both hashes count.
	forged := use("dlss", "a", "one")
	forged.Module.BLAKE3 = cache.Sum([]byte("forged"))
	if len(b.Unapproved([]Use{forged})) != 1 {
		t.Error("a text with the same FNV is approved")
	}
	b.Accept("you: a newer library", []Use{use("dlss", "a", "newer"), use("dlss", "b", "two")})
	if got := b.Known("dlss", "a"); len(got) != 2 || len(b.List[2].Modules) != 1 {
		t.Errorf("approved for a: %v; the new block has %v", got, b.List[2].Modules)
	}
	if again, list := parseApprovals(b.Text(), "x"); list.HasErrors() || string(again.Text()) != string(b.Text()) {
		t.Errorf("the text changes: %v", list)
	}
}

func TestApprovalsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"edition = 2\n":                     "reads edition 1",
		"edition = 1\napproval \"me\" {}\n": "missing required argument",
		"edition = 1\napproval \"me\" {\n library = \"d\"\n modules = {}\n}\n":                                                                                    `it must say who and why`,
		"edition = 1\napproval \"me: x\" {\n library = \"d\"\n modules = { a = \"fnv1a64:1\" }\n}\n":                                                              `"fnv1a64:1" is not fnv1a64: with 16`,
		"edition = 1\napproval \"me: x\" {\n library = \"d\"\n modules = { \"a b\" = \"x\" }\n}\n":                                                                `"a b" is no name of a kernel`,
		"edition = 1\napproval \"me: x\" {\n library = \"d\"\n modules = { a = \"fnv1a64:0123456789abcdef blake3:" + strings.Repeat("0", 64) + " stores\" }\n}\n": `"stores" are no edits`,
		"edition = 1\napproval {": "unclosed configuration block",
	} {
		path := filepath.Join(t.TempDir(), "modules.lock.hcl")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadApprovals(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", text, err, want)
		}
	}
}

func FuzzApprovals(f *testing.F) {
	a := &Approvals{}
	a.Accept("me: why", []Use{use("dlss", "a", "one")})
	f.Add(a.Text())
	f.Fuzz(func(t *testing.T, data []byte) {
		a, list := parseApprovals(data, "x")
		if list.HasErrors() {
			return
		}
		b, list := parseApprovals(a.Text(), "x")
		if list.HasErrors() || string(a.Text()) != string(b.Text()) {
			t.Errorf("written anew it is %v\n%s", list, a.Text())
		}
	})
}

// TestApprovedEdits holds that the edits made of an approved module are pinned,
// each recipe for itself.
func TestApprovedEdits(t *testing.T) {
	a := &Approvals{}
	plain := use("dlss", "a", "one")
	stores, tail := plain, plain
	stores.Edits, tail.Edits = "stores:stores.p=1", "tail+fp8:e4m3=32,stores.p=1"
	if !a.Accept("me: why", []Use{plain}) || len(a.Unapproved([]Use{stores, tail})) != 0 {
		t.Error("edits of a module that was approved without any are refused")
	}
	if !a.Accept("me: why", []Use{stores, tail}) || a.Accept("me: why", []Use{stores, tail}) || len(a.List) != 1 {
		t.Errorf("the edits are not noted once: %+v", a.List)
	}
	b, list := parseApprovals(a.Text(), "x")
	if list.HasErrors() {
		t.Fatal(list)
	}
	if len(b.Unapproved([]Use{plain, stores, tail})) != 0 {
		t.Errorf("what was accepted is not approved: %s", b.Text())
	}
	fewer := stores
	fewer.Edits = "stores:stores.p=0"
	if got := b.Unapproved([]Use{fewer}); len(got) != 1 || b.Edits(fewer) != stores.Edits {
		t.Errorf("other edits are approved: %v", got)
	}
	if !b.Accept("me: it was a mistake", []Use{fewer}) || len(b.Unapproved([]Use{fewer})) != 0 || len(b.List) != 2 {
		t.Errorf("other edits cannot be accepted: %s", b.Text())
	}
}
