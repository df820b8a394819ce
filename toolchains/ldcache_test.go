package toolchains

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

type ldLine struct {
	name, path string
	hwcap      uint64
}

// fakeLdCache writes the format of glibc 2.2 and later behind `before`.
func fakeLdCache(before string, lines ...ldLine) []byte {
	le := binary.LittleEndian
	head := []byte(ldMagic)
	head = le.AppendUint32(head, uint32(len(lines)))
	head = append(head, make([]byte, ldHeader-len(head))...)
	head[28] = 2
	var entries, strs []byte
	at := uint32(ldHeader + ldEntry*len(lines))
	add := func(s string) uint32 {
		off := at + uint32(len(strs))
		strs = append(append(strs, s...), 0)
		return off
	}
	for _, l := range lines {
		entries = le.AppendUint32(entries, 0x303)
		entries = le.AppendUint32(entries, add(l.name))
		entries = le.AppendUint32(entries, add(l.path))
		entries = le.AppendUint32(entries, 0)
		entries = le.AppendUint64(entries, l.hwcap)
	}
	return append(append(append([]byte(before), head...), entries...), strs...)
}

func TestParseLdCache(t *testing.T) {
	lines := []ldLine{
		{"libz.so.1", "/lib/glibc-hwcaps/x86-64-v3/libz.so.1", 1 << 62},
		{"libz.so.1", "/lib/x86_64-linux-gnu/libz.so.1", 0},
		{"libz.so.1", "/lib32/libz.so.1", 0},
		{"libm.so.6", "/lib/x86_64-linux-gnu/libm.so.6", 0},
	}
	want := ldCache{
		"libz.so.1": {"/lib/x86_64-linux-gnu/libz.so.1", "/lib32/libz.so.1"},
		"libm.so.6": {"/lib/x86_64-linux-gnu/libm.so.6"},
	}
	for _, before := range []string{"", "ld.so-1.7.0\x00an older table"} {
		got, ok := parseLdCache(fakeLdCache(before, lines...))
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("behind %q: %v %v", before, got, ok)
		}
	}
	whole := fakeLdCache("", lines...)
	for _, n := range []int{0, 10, ldHeader - 1, ldHeader + 5, ldHeader + ldEntry*len(lines)} {
		if _, ok := parseLdCache(whole[:n]); ok {
			t.Errorf("cut to %d bytes: taken for a cache", n)
		}
	}
}

func TestSystemLdCache(t *testing.T) {
	data, err := os.ReadFile("/etc/ld.so.cache")
	if err != nil {
		t.Skip("this system's loader has no cache:", err)
	}
	got, ok := parseLdCache(data)
	if !ok {
		t.Fatal("the system's cache is not read")
	}
	for name, paths := range got {
		if filepath.Base(paths[0]) != name {
			t.Errorf("%s at %s", name, paths[0])
		}
	}
}

func TestConfDirs(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "ld.so.conf"), []byte("# comment\n/first # why\ninclude ld.so.conf.d/*.conf\n\nrelative\n/last\n"))
	put(t, filepath.Join(dir, "ld.so.conf.d/b.conf"), []byte("/b\n"))
	put(t, filepath.Join(dir, "ld.so.conf.d/a.conf"), []byte("/a1\n/a2\ninclude "+dir+"/ld.so.conf\n")) // a ring ends
	got := confDirs(newLooker(), filepath.Join(dir, "ld.so.conf"), 7)
	if want := []string{"/first", "/a1", "/a2", "/b", "/last"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzParseLdCache(f *testing.F) {
	f.Add(fakeLdCache("", ldLine{"liba.so", "/a/liba.so", 0}))
	f.Add(fakeLdCache("ld.so-1.7.0", ldLine{"liba.so", "/a/liba.so", 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, ok := parseLdCache(data); ok && c == nil {
			t.Error("a cache without a map")
		}
	})
}

// put writes a file and the directories above it.
func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
}
