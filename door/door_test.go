package door

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kmx/cache"
)

var oldTime, newTime = time.Unix(1e9, 0), time.Unix(2e9, 0)

// compiled is a checkout with a door that seems to be compiled from it.
func compiled(t *testing.T) Door {
	t.Helper()
	d := Of(t.TempDir())
	for name, text := range map[string]string{
		"a.go": "package a\n", "a_test.go": "", "go.mod": "module m\n", "magefiles/m.go": "package main\n",
		"cmd/kmx/main.go": "package main\n", "cmd/other/main.go": "package main\n",
		"dist/x.go": "", "testdata/x.go": "", ".git/x.go": "", "docs/x.md": "",
	} {
		write(t, filepath.Join(d.root, filepath.FromSlash(name)), text)
	}
	write(t, d.Main(), "main program")
	write(t, d.Fast(), "fast program")
	s := cache.NewSnapshot()
	l, err := d.read(s, true, []string{".", "cmd/kmx", "magefiles"})
	if err != nil {
		t.Fatal(err)
	}
	s.SetAnswer(l.encode())
	if err := s.Save(d.record()); err != nil {
		t.Fatal(err)
	}
	return d
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The door is stale when a byte or a name of what it was compiled from is
// another, whatever the times say, and only then.
func TestFresh(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(root string) error
		why    string
	}{
		{"nothing", func(string) error { return nil }, ""},
		{"touched", func(root string) error { return os.Chtimes(root+"/a.go", newTime, newTime) }, ""},
		{"written again", func(root string) error { return os.WriteFile(root+"/a.go", []byte("package a\n"), 0o644) }, ""},
		{"edited, with its size and time kept", func(root string) error {
			info, err := os.Stat(root + "/a.go")
			if err != nil {
				return err
			}
			if err := os.WriteFile(root+"/a.go", []byte("package b\n"), 0o644); err != nil {
				return err
			}
			return os.Chtimes(root+"/a.go", info.ModTime(), info.ModTime())
		}, "a.go has changed"},
		{"new, with an old time", func(root string) error {
			if err := os.WriteFile(root+"/b.go", nil, 0o644); err != nil {
				return err
			}
			return os.Chtimes(root+"/b.go", oldTime, oldTime)
		}, "b.go is new"},
		{"new in a folder that no package of it lies in", func(root string) error {
			if err := os.MkdirAll(root+"/x/y", 0o755); err != nil {
				return err
			}
			return os.WriteFile(root+"/x/y/b.go", nil, 0o644)
		}, ""},
		{"removed", func(root string) error { return os.Remove(root + "/a.go") }, "a.go is gone"},
		{"renamed", func(root string) error { return os.Rename(root+"/a.go", root+"/c.go") }, "c.go is new"},
		{"a test", func(root string) error { return os.WriteFile(root+"/a_test.go", []byte("package a\n"), 0o644) }, ""},
		{"another program", func(root string) error { return os.WriteFile(root+"/cmd/other/main.go", nil, 0o644) }, ""},
		{"no folder any more", func(root string) error { return os.RemoveAll(root + "/magefiles") }, "magefiles/m.go is gone"},
		{"a workspace", func(root string) error { return os.WriteFile(root+"/go.work", nil, 0o644) }, "go.work is new"},
		{"a release", func(root string) error { return os.WriteFile(root+"/dist/y.go", nil, 0o644) }, ""},
		{"a target", func(root string) error { return os.WriteFile(root+"/magefiles/m.go", nil, 0o644) }, "magefiles/m.go has changed"},
		{"the small program", func(root string) error { return os.WriteFile(root+"/cmd/kmx/main.go", nil, 0o644) }, "cmd/kmx/main.go has changed"},
		{"a dependency", func(root string) error { return os.WriteFile(root+"/go.mod", nil, 0o644) }, "go.mod has changed"},
		{"another main program", func(root string) error { return os.WriteFile(Of(root).Main(), nil, 0o755) }, "has changed"},
		{"no main program", func(root string) error { return os.Remove(Of(root).Main()) }, "no such file"},
		{"no record", func(root string) error { return os.Remove(Of(root).record()) }, "not known"},
		{"a damaged record", func(root string) error { return os.Truncate(Of(root).record(), 99) }, "not known"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := compiled(t)
			if err := test.change(d.root); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the first look may write a record of its own
				why, ok := d.Fresh()
				if ok != (test.why == "") || !strings.Contains(why, test.why) {
					t.Errorf("%t, %q; want %q", ok, why, test.why)
				}
			}
		})
	}
}

// What was settled by bytes once is settled by stats the next time.
func TestFreshRemembers(t *testing.T) {
	d := compiled(t)
	young, _ := os.ReadFile(d.record())
	filepath.WalkDir(d.root, func(path string, _ os.DirEntry, _ error) error {
		return os.Chtimes(path, oldTime, oldTime)
	})
	time.Sleep(2100 * time.Millisecond) // the time of change cannot be set
	if why, ok := d.Fresh(); !ok {
		t.Fatal(why)
	}
	if now, _ := os.ReadFile(d.record()); bytes.Equal(now, young) {
		t.Error("the record is the old one")
	}
	if _, why, ok := cache.CheckSnapshot(d.record()); !ok {
		t.Error(why)
	}
}

func TestAround(t *testing.T) {
	d := compiled(t)
	if got, ok := Around(d.Fast()); !ok || got != d {
		t.Errorf("%v %t", got, ok)
	}
	if _, ok := Around(filepath.Join(t.TempDir(), "bin", "kmx")); ok {
		t.Error("an installed program has sources")
	}
	if _, ok := Around(filepath.Join(d.root, "elsewhere", "kmx")); ok {
		t.Error("a program outside bin has sources")
	}
}

// What one process has found out counts for the program that it becomes, once,
// and for no other process.
func TestVouched(t *testing.T) {
	t.Setenv(vouched, "1") // process 1 is another one
	if Vouched() {
		t.Error("another process is believed")
	}
	if err := Vouch(); err != nil {
		t.Fatal(err)
	}
	if !Vouched() || Vouched() {
		t.Error("not believed, or twice")
	}
	if _, set := os.LookupEnv(vouched); set {
		t.Error("those that it starts are told")
	}
}
