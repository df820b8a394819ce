package cache

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/internal/durable"
)

// damages calls f with good damaged in many ways: flipped bits, truncations and
// additions. Files are written for each, so places are taken in steps; that
// every bit counts is tested on the decoders below.
func damages(good []byte, f func(how string, bad []byte)) {
	const step = 5
	for i := 0; i < len(good); i += step {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		f("flipped bit", bad)
	}
	for n := 0; n < len(good); n += step {
		f("truncated", good[:n])
	}
	f("one byte short", good[:len(good)-1])
	f("longer", append(bytes.Clone(good), 0))
	f("doubled", append(bytes.Clone(good), good...))
	f("zeroed", make([]byte, len(good)))
}

func TestEveryBitCounts(t *testing.T) {
	s := newSnapshot(later)
	s.AddFile(newFile(t, "x"))
	s.AddEnv("HOME")
	s.SetAnswer([]byte("answer"))
	files := map[fileID]fileEntry{{1, 2}: {3, 4, 5, 6, Sum(nil)}}
	for name, c := range map[string]struct {
		good   []byte
		decode func(b []byte) bool
	}{
		"record": {must(encodeRecord(&Record{Format: RecordFormat, Label: "l"})),
			func(b []byte) bool { _, err := decodeRecord(b, true); return err == nil }},
		"memo": {encodeTable(table{}, files, map[derivedKey]derivedEntry{{"k", Sum(nil)}: {"v", 6}}, 6),
			func(b []byte) bool { _, err := decodeTable(b); return err == nil }},
		"snapshot": {s.encode(),
			func(b []byte) bool { _, err := cutDigest(b); return err == nil }},
		"history": {bytes.TrimSpace(must(encodePast(Past{Label: "a"}))),
			func(b []byte) bool { _, ok := pastLabel(b); return ok }},
	} {
		if !c.decode(c.good) {
			t.Errorf("%s: the good one is refused", name)
		}
		for i := range 8 * len(c.good) {
			bad := bytes.Clone(c.good)
			bad[i/8] ^= 1 << (i % 8)
			if c.decode(bad) {
				t.Errorf("%s: bit %d of byte %d does not count", name, i%8, i/8)
			}
		}
		for n := range c.good {
			if c.decode(c.good[:n]) {
				t.Errorf("%s: the first %d bytes are accepted", name, n)
			}
		}
	}
}

func TestDamagedRecordsAreMisses(t *testing.T) {
	c, warnings := open(t)
	r := sample(t, c, "one")
	path := c.file("act", r.Key)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	damages(good, func(how string, bad []byte) {
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := c.Lookup(r.Key)
		wantMiss(t, err, Damaged)
		if _, err := os.Stat(path); err == nil {
			t.Fatalf("%s: still in its place", how)
		}
		n++
		if len(*warnings) != n {
			t.Fatalf("%s: %d warnings", how, len(*warnings)-n+1)
		}
	})
	if !strings.Contains((*warnings)[0], "quarantine") {
		t.Error((*warnings)[0])
	}
	if err := c.Store(r); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Lookup(r.Key); err != nil {
		t.Errorf("not repaired: %v", err)
	}
	// A sparse file that no memory holds.
	if err := errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 1<<42)); err == nil {
		_, err := c.Lookup(r.Key)
		wantMiss(t, err, Damaged)
	}
	// A whole record under the key of another.
	other := Sum([]byte("other"))
	os.MkdirAll(filepath.Dir(c.file("act", other)), 0o777)
	if err := os.WriteFile(c.file("act", other), good, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = c.Lookup(other)
	wantMiss(t, err, Damaged)
}

func TestDamagedBlobsAreMisses(t *testing.T) {
	c, warnings := open(t)
	want := noise(300)
	d, err := c.PutBytes(want)
	if err != nil {
		t.Fatal(err)
	}
	path := c.file("cas", d)
	dst := filepath.Join(t.TempDir(), "dst")
	if err := os.WriteFile(dst, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	n := 0
	damages(want, func(how string, bad []byte) {
		for _, use := range []func() error{
			func() error { _, err := c.Blob(d); return err },
			func() error { return c.Place(d, dst, 0o644) },
		} {
			if err := os.WriteFile(path, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			wantMiss(t, use(), Damaged)
			n++
			if _, err := os.Stat(path); err == nil || len(*warnings) != n {
				t.Fatalf("%s: not quarantined, or not told once", how)
			}
		}
	})
	if b, _ := os.ReadFile(dst); string(b) != "old" {
		t.Error("a damaged blob was placed")
	}
	if left, _ := os.ReadDir(filepath.Dir(dst)); len(left) != 1 {
		t.Errorf("leftovers: %v", left)
	}
	if _, err := c.PutBytes(want); err != nil {
		t.Fatal(err)
	}
	if b, err := c.Blob(d); err != nil || !bytes.Equal(b, want) {
		t.Errorf("not repaired: %v", err)
	}
}

func TestBlobOfAnotherSizeIsFoundByLookupAndPut(t *testing.T) {
	c, warnings := open(t)
	r := sample(t, c, "one")
	path := c.file("cas", r.Outputs[0].Digest)
	os.WriteFile(path, nil, 0o644)
	_, err := c.Lookup(r.Key)
	wantMiss(t, err, OutputGone)
	sample(t, c, "one")
	os.WriteFile(path, nil, 0o644)
	sample(t, c, "one")
	if _, err := c.Blob(r.Outputs[0].Digest); err != nil || len(*warnings) != 2 {
		t.Errorf("%v, %s", err, *warnings)
	}
	os.Remove(path)
	os.Mkdir(path, 0o755)
	_, err = c.Blob(r.Outputs[0].Digest)
	wantMiss(t, err, Damaged, Unreadable)
}

func TestQuarantineSparesWhatWasRepaired(t *testing.T) {
	c, _ := open(t)
	d, _ := c.PutBytes([]byte("x"))
	path := c.file("cas", d)
	seen, _ := os.Stat(path)
	os.Rename(path, path+"-old") // keeps the inode in use
	if _, err := c.PutBytes([]byte("x")); err != nil {
		t.Fatal(err)
	}
	c.quarantine("cas", d, seen, "test")
	if _, err := c.Blob(d); err != nil {
		t.Errorf("a good blob was quarantined: %v", err)
	}
}

func TestDamagedMemoIsDropped(t *testing.T) {
	c, _ := open(t)
	c.now = later
	m := c.Memo()
	file := newFile(t, "content")
	if _, _, err := m.File(file); err != nil {
		t.Fatal(err)
	}
	m.PutDerived("includes/1", Sum(nil), "a\x00b")
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(m.path)
	if err != nil {
		t.Fatal(err)
	}
	damages(good, func(how string, bad []byte) {
		var warnings []string
		if err := os.WriteFile(m.path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		again, err := Open(c.Dir(), func(msg string) { warnings = append(warnings, msg) })
		if err != nil {
			t.Fatal(err)
		}
		m := again.Memo()
		if _, ok := m.Derived("includes/1", Sum(nil)); ok || m.Len() != 0 || len(warnings) != 1 {
			t.Fatalf("%s: used, or warnings %s", how, warnings)
		}
		if d, _, err := m.File(file); err != nil || d != Sum([]byte("content")) {
			t.Fatalf("%s: %v", how, err)
		}
	})
	m = reopen(t, c).Memo()
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	if _, err := decodeTable(must(os.ReadFile(m.path))); err != nil {
		t.Errorf("Save left the damage: %v", err)
	}
}

func TestDamagedSnapshotIsNoShortcut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "snapshot")
	t.Setenv("KMX_TEST", "value")
	s := newSnapshot(later)
	s.AddFile(newFile(t, "x"))
	s.AddAbsent(filepath.Join(t.TempDir(), "none"))
	s.AddEnv("KMX_TEST")
	s.SetAnswer([]byte("answer"))
	if err := s.Save(path); err != nil {
		t.Fatal(err)
	}
	if a, why, ok := CheckSnapshot(path); !ok || string(a) != "answer" {
		t.Fatalf("good one: %q, %s", a, why)
	}
	damages(must(os.ReadFile(path)), func(how string, bad []byte) {
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, why, ok := CheckSnapshot(path); ok || !strings.Contains(why, "not usable") {
			t.Fatalf("%s: ok %v, %s", how, ok, why)
		}
	})
}

func TestDamagedHistoryLosesLines(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "history.jsonl")
	h, err := OpenHistory(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Past{{Label: "a", Wall: 1}, {Label: "b", Wall: 2, Facts: []byte(`{"vgprs":3}`)}} {
		if err := h.Append(p); err != nil {
			t.Fatal(err)
		}
	}
	h.Close()
	good := must(os.ReadFile(path))
	damages(good, func(how string, bad []byte) {
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		h, err := OpenHistory(dir)
		if err != nil {
			t.Fatal(err)
		}
		for label, wall := range map[string]int64{"a": 1, "b": 2} {
			if p, ok := h.Last(label); ok && int64(p.Wall) != wall {
				t.Fatalf("%s: wrong value for %s: %+v", how, label, p)
			}
		}
		if err := h.Append(Past{Label: "c", Wall: 3}); err != nil {
			t.Fatal(err)
		}
		h.Close()
		again, err := OpenHistory(dir)
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := again.Last("c"); !ok || p.Wall != 3 {
			t.Fatalf("%s: a line appended after the damage is lost", how)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func reopen(t *testing.T, c *Cache) *Cache {
	t.Helper()
	again, err := Open(c.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func TestReadOnlyCacheFailsCleanly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root writes everywhere")
	}
	c, _ := open(t)
	for _, dir := range []string{"tmp", "lock"} {
		os.Chmod(c.path(dir), 0o500)
		defer os.Chmod(c.path(dir), 0o700)
	}
	if _, err := c.PutBytes([]byte("x")); !errors.Is(err, os.ErrPermission) {
		t.Errorf("PutBytes: %v", err)
	}
	if err := c.Store(&Record{Key: Sum(nil)}); !errors.Is(err, os.ErrPermission) {
		t.Errorf("Store: %v", err)
	}
}

// A folder where a file belongs is damage like any other: whatever is written
// there next takes its place.
func TestFoldersInThePlaceOfFiles(t *testing.T) {
	c, _ := open(t)
	c.now = later
	state, err := c.State(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := sample(t, c, "one")
	release := t.TempDir()
	pin, _, err := c.pinFile(release)
	if err != nil {
		t.Fatal(err)
	}
	history, snapshot := filepath.Join(state, "history.jsonl"), filepath.Join(state, "x.snapshot")
	for path, write := range map[string]func() error{
		c.file("cas", r.Outputs[0].Digest): func() error { sample(t, c, "one"); return nil },
		c.file("act", r.Key):               func() error { c.Lookup(r.Key); sample(t, c, "one"); return nil },
		c.path("memo"):                     func() error { c.Memo().PutDerived("k", Sum(nil), "v"); return c.Memo().Save() },
		c.path("collected"):                func() error { _, err := c.Collect(t.Context(), Collection{Size: -1}); return err },
		snapshot:                           func() error { return NewSnapshot().Save(snapshot) },
		history: func() error {
			h, err := OpenHistory(state)
			if err != nil {
				return err
			}
			return errors.Join(h.Append(Past{Label: "x"}), h.Close())
		},
		pin: func() error { return c.Pin(Pin{Dir: release}) },
	} {
		if err := errors.Join(durable.RemoveTree(path), os.MkdirAll(filepath.Join(path, "full"), 0o755)); err != nil {
			t.Fatal(err)
		}
		if err := write(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s is still no file: %v", path, err)
		}
	}
	lock := c.path("lock", "folder")
	os.MkdirAll(filepath.Join(lock, "full"), 0o755)
	c.sweep()
	if _, err := os.Lstat(lock); err == nil {
		t.Error("a folder among the locks stays")
	}
}
