package toolchains

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kmx/cache"
	"kmx/internal/diag"
)

func sample(name, version string) *Toolchain {
	t := &Toolchain{Name: name, Kind: KindClang, Version: version, Root: "/opt/llvm", Files: []File{
		{Name: "bin/clang++", Digest: cache.Sum([]byte("driver " + version))},
		{Name: "lib/libLLVM.so.19.1", Digest: cache.Sum([]byte("llvm"))},
		{Name: "lib/libc.so.6", Digest: cache.Sum([]byte("libc"))},
		{Name: "lib/libm.so.6", Digest: cache.Sum([]byte("libm"))},
		{Name: "lib/libz.so.1", Digest: cache.Sum([]byte("libz"))},
	}}
	return sum(t)
}

func sum(t *Toolchain) *Toolchain {
	t.Digest, t.Core = digestOf(t.Files, false), digestOf(t.Files, true)
	return t
}

func TestLockRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), LockName)
	if l, list := ReadLock(path); l != nil || list != nil {
		t.Fatalf("no file: %v %v", l, list)
	}
	hip, odd := sample("hip", "19.1.7"), sample("odd", `20.0 "${x}"`)
	if err := WriteLock(path, []*Toolchain{odd, hip}); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		put(t, "testdata/matrix.lock.hcl", first)
	}
	want, err := os.ReadFile("testdata/matrix.lock.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(first)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	l, list := ReadLock(path)
	if len(list) > 0 {
		t.Fatal(list)
	}
	for _, tc := range []*Toolchain{hip, odd} {
		if d := l.Compare(tc); len(d) > 0 {
			t.Errorf("%s: %v", tc.Name, d)
		}
	}
	if l.Pins[0].Where.String() == "" || l.Pins[1].Version != odd.Version {
		t.Errorf("pins %+v", l.Pins)
	}
	if err := WriteLock(path, []*Toolchain{hip, odd}); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(path); string(again) != string(first) {
		t.Error("another order writes another file")
	}
}

func TestCompare(t *testing.T) {
	pinned := sample("hip", "19.1.7")
	lock := &Lock{Pins: []Pin{{Name: "hip", Kind: pinned.Kind, Version: pinned.Version, Core: pinned.Core, Closure: pinned.Digest}}}
	change := func(name string) *Toolchain {
		tc := sample("hip", "19.1.7")
		for i, f := range tc.Files {
			if f.Name == name {
				tc.Files[i].Digest = cache.Sum([]byte("another"))
			}
		}
		return sum(tc)
	}
	emitter := sample("hip", "19.1.7")
	emitter.Kind = "emitter"
	cases := []struct {
		name     string
		tc       *Toolchain
		what     string
		compiler bool
		detail   []string
	}{
		{"the same", sample("hip", "19.1.7"), "", false, nil},
		{"another version", sample("hip", "20.1.8"), "compiler differs", true, []string{"pinned clang 19.1.7", "here 20.1.8", "/opt/llvm"}},
		{"a patched library", change("lib/libLLVM.so.19.1"), "compiler differs", true, []string{"the version is the same, the build is not"}},
		{"another libc", change("lib/libc.so.6"), "host libraries differ", false, []string{"the compiler is the pinned 19.1.7", "libc.so.6", "libm.so.6"}},
		{"another kind", emitter, "kind differs", true, []string{"pinned clang, here emitter"}},
		{"another name", sample("other", "19.1.7"), "not locked", true, []string{LockName}},
	}
	for _, c := range cases {
		got := lock.Compare(c.tc)
		if c.what == "" {
			if len(got) != 0 {
				t.Errorf("%s: %v", c.name, got)
			}
			continue
		}
		if len(got) != 1 || got[0].What != c.what || got[0].Compiler != c.compiler {
			t.Errorf("%s: %v", c.name, got)
			continue
		}
		m := got[0].Message(diag.Warning)
		for _, part := range c.detail {
			if !strings.Contains(got[0].String(), part) || !strings.Contains(m.Detail, part) {
				t.Errorf("%s: %q is not in %s", c.name, part, got[0])
			}
		}
	}
	if d := (*Lock)(nil).Compare(pinned); d != nil {
		t.Error("no lock, but a difference")
	}
}

func TestBadLocks(t *testing.T) {
	digest := "blake3:" + strings.Repeat("0a", 32)
	block := func(name, core string) string {
		return "toolchain \"" + name + "\" {\n  kind = \"clang\"\n  version = \"19\"\n  core = \"" + core + "\"\n  closure = \"" + digest + "\"\n}\n"
	}
	cases := []struct{ name, text, want string }{
		{"syntax", "edition = 1\ntoolchain {", "matrix.lock.hcl:2:"},
		{"edition", "edition = 2\n", "edition 2"},
		{"no edition", block("hip", digest), "edition"},
		{"unknown attribute", "edition = 1\ncolour = 2\n", "matrix.lock.hcl:2:1"},
		{"short digest", "edition = 1\n" + block("hip", "blake3:00"), `matrix.lock.hcl:2:1: toolchain "hip": core must be blake3: and 64`},
		{"other digest", "edition = 1\n" + block("hip", "sha256:"+strings.Repeat("0a", 32)), "core must be blake3:"},
		{"twice", "edition = 1\n" + block("hip", digest) + block("hip", digest), "pinned twice"},
	}
	for _, c := range cases {
		l, list := parseLock([]byte(c.text), LockName)
		var b strings.Builder
		diag.Print(&b, list, diag.Style{})
		if l != nil || !strings.Contains(list.Error()+b.String(), c.want) {
			t.Errorf("%s: %s, want %q", c.name, b.String(), c.want)
		}
	}
}

func FuzzParseLock(f *testing.F) {
	if data, err := os.ReadFile("testdata/matrix.lock.hcl"); err == nil {
		f.Add(data)
	}
	f.Add([]byte("edition = 1\ntoolchain \"hip\" {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if l, list := parseLock(data, LockName); l == nil && !list.HasErrors() {
			t.Error("neither a lock nor an error")
		}
	})
}
