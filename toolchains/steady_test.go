package toolchains

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"kmx/cache"
)

func TestSteady(t *testing.T) {
	dir := t.TempDir()
	c, err := cache.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	long := time.Now().Add(-time.Hour)
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil { // as package managers do
			t.Fatal(err)
		}
		if err := os.Chtimes(path+".new", long, long); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	var files []File
	for _, name := range []string{"bin/clang++", "bin/lld", "include/a.h", "include/b.h", "lib/libLLVM.so"} {
		write(name, name)
		files = append(files, File{Name: name, Path: filepath.Join(dir, name), Digest: cache.Sum([]byte(name))})
	}
	driver := filepath.Join(dir, "clang++")
	if err := os.Symlink("bin/clang++", driver); err != nil {
		t.Skip("no links here:", err)
	}
	a, b := filepath.Join(dir, "include/a.h"), filepath.Join(dir, "include", "..", "include", "b.h")
	for _, c2 := range []struct {
		name    string
		edit    func()
		read    []string
		changed string
	}{
		{"nothing", func() {}, []string{a, b, "/other"}, ""},
		{"a library", func() { write("lib/libLLVM.so", "updated") }, nil, "lib/libLLVM.so"},
		{"gone", func() { os.Remove(filepath.Join(dir, "bin/lld")) }, nil, "bin/lld"},
		{"a header that was read", func() { write("include/b.h", "updated") }, []string{a, b}, "include/b.h"},
		{"a header that was not", func() { write("include/b.h", "updated") }, []string{a}, ""},
		{"the same bytes, installed again", func() { write("bin/lld", "bin/lld"); write("include/a.h", "include/a.h") }, []string{a}, ""},
		{"a link that leads elsewhere", func() { os.Remove(driver); os.Symlink("bin/lld", driver) }, nil, "clang++"},
	} {
		s, err := newSteady(driver, files, c.Memo())
		if err != nil {
			t.Fatal(err)
		}
		if got := s.changed(c2.read); got != "" {
			t.Errorf("%s: before it, %s", c2.name, got)
		}
		c2.edit()
		want := ""
		if c2.changed != "" {
			want = filepath.Join(dir, c2.changed)
		}
		for range 2 {
			if got := s.changed(c2.read); got != want {
				t.Errorf("%s: %q, want %q", c2.name, got, want)
			}
		}
		for _, f := range files {
			write(f.Name, f.Name)
		}
		os.Remove(driver)
		os.Symlink("bin/clang++", driver)
	}
	write("bin/lld", "updated")
	if _, err := newSteady(driver, files, c.Memo()); err == nil {
		t.Error("a file that is not what was fingerprinted")
	}
}
