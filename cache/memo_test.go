package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// later is a clock by which every file of a test is old: the time of change of
// a file cannot be set.
func later() time.Time { return time.Now().Add(time.Hour) }

func newFile(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantFile(t *testing.T, m *Memo, path, content string) {
	t.Helper()
	d, size, err := m.File(path)
	if err != nil || size != int64(len(content)) || d != Sum([]byte(content)) {
		t.Errorf("File: %s, %d, %v, want the digest of %q", d, size, err, content)
	}
}

func TestMemoSavesReading(t *testing.T) {
	c, _ := open(t)
	c.now = later
	m := c.Memo()
	file := newFile(t, "content")
	wantFile(t, m, file, "content")
	if m.Len() != 1 {
		t.Fatalf("%d entries", m.Len())
	}
	// Prove that it is used: a wrong digest put in for the file comes out.
	st, _ := statPath(file)
	m.put(st, Sum([]byte("planted")))
	if d, _, _ := m.File(file); d != Sum([]byte("planted")) {
		t.Error("the file was read again")
	}
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	if d, _, _ := m.File(file); d != Sum([]byte("planted")) {
		t.Error("lost by Save")
	}
	again := reopen(t, c)
	again.now = later
	m = again.Memo()
	if d, _, _ := m.File(file); d != Sum([]byte("planted")) || m.Len() != 1 {
		t.Error("lost on disk")
	}
	if err := os.WriteFile(file, []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantFile(t, m, file, "changed")
	if err := os.Rename(newFile(t, "renamed"), file); err != nil {
		t.Fatal(err)
	}
	wantFile(t, m, file, "renamed")
	// Same size and time of modification, another time of change.
	st, _ = statPath(file)
	time.Sleep(20 * time.Millisecond) // more than a tick of the file system
	os.WriteFile(file, []byte("RENAMED"), 0o644)
	os.Chtimes(file, time.Time{}, time.Unix(0, st.mtime))
	wantFile(t, m, file, "RENAMED")
}

func TestMemoDoesNotTrustYoungFiles(t *testing.T) {
	c, _ := open(t)
	file := newFile(t, "content")
	info, _ := os.Stat(file)
	for _, age := range []time.Duration{-time.Hour, 0, safetyWindow - time.Millisecond} {
		c.now = func() time.Time { return info.ModTime().Add(age) }
		m := reopenWith(t, c)
		wantFile(t, m, file, "content")
		if m.Len() != 0 {
			t.Errorf("%s old and memoised", age)
		}
	}
	c.now = func() time.Time { return info.ModTime().Add(safetyWindow + time.Minute) }
	m := reopenWith(t, c)
	wantFile(t, m, file, "content")
	if m.Len() != 1 {
		t.Error("an old file was not memoised")
	}
}

func reopenWith(t *testing.T, c *Cache) *Memo {
	again := reopen(t, c)
	again.now = c.now
	return again.Memo()
}

func TestMemoErrors(t *testing.T) {
	c, _ := open(t)
	m := c.Memo()
	if _, _, err := m.File(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, _, err := m.File(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("folder: %v", err)
	}
	var none *Memo
	wantFile(t, none, newFile(t, "x"), "x")
	none.PutDerived("k", Sum(nil), "v")
	if _, ok := none.Derived("k", Sum(nil)); ok || none.Len() != 0 || none.Save() != nil {
		t.Error("a nil memo remembers")
	}
}

func TestMemoMergesWhatOthersSaved(t *testing.T) {
	c, _ := open(t)
	c.now = later
	a, b := reopenWith(t, c), reopenWith(t, c)
	fa, fb := newFile(t, "a"), newFile(t, "b")
	wantFile(t, a, fa, "a")
	wantFile(t, b, fb, "b")
	a.PutDerived("k", Sum(nil), "a")
	b.PutDerived("l", Sum(nil), "b")
	if err := errors.Join(a.Save(), b.Save()); err != nil {
		t.Fatal(err)
	}
	m := reopenWith(t, c)
	if m.Len() != 2 {
		t.Errorf("%d files", m.Len())
	}
	for kind, want := range map[string]string{"k": "a", "l": "b"} {
		if v, ok := m.Derived(kind, Sum(nil)); !ok || v != want {
			t.Errorf("%s: %q", kind, v)
		}
	}
	before, _ := statPath(m.path)
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	if after, _ := statPath(m.path); after != before {
		t.Error("saved though nothing changed")
	}
}

func TestMemoForgetsWhatNobodyAsksFor(t *testing.T) {
	c, _ := open(t)
	c.now = later
	m := reopenWith(t, c)
	used, unused := newFile(t, "used"), newFile(t, "unused")
	wantFile(t, m, used, "used")
	wantFile(t, m, unused, "unused")
	m.PutDerived("used", Sum(nil), "")
	m.PutDerived("unused", Sum(nil), "")
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		now := c.now().Add((keepDays - 10) * 24 * time.Hour)
		c.now = func() time.Time { return now }
		m = reopenWith(t, c)
		wantFile(t, m, used, "used")
		m.Derived("used", Sum(nil))
		if err := m.Save(); err != nil {
			t.Fatal(err)
		}
	}
	_, kept := m.Derived("used", Sum(nil))
	_, stale := reopenWith(t, c).Derived("unused", Sum(nil))
	if m.Len() != 1 || !kept || stale {
		t.Errorf("%d files, used %v, unused %v", m.Len(), kept, stale)
	}
}

func TestMemoFromManyGoroutines(t *testing.T) {
	c, _ := open(t)
	c.now = later
	m := c.Memo()
	files := []string{newFile(t, "a"), newFile(t, "b"), newFile(t, "c")}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 30 {
				wantFile(t, m, files[(i+j)%3], string(rune('a'+(i+j)%3)))
				m.PutDerived("k", Sum([]byte{byte(j)}), "v")
				m.Derived("k", Sum([]byte{byte(i)}))
				if j%10 == 0 {
					m.Save()
				}
			}
		})
	}
	wg.Wait()
	if m.Len() != 3 {
		t.Errorf("%d files", m.Len())
	}
}

func TestMemoTakesThePlaceOfAFolder(t *testing.T) {
	c, _ := open(t)
	if err := os.MkdirAll(filepath.Join(c.Dir(), "memo", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.Memo().PutDerived("kind", Sum(nil), "value")
	if err := c.Memo().Save(); err != nil {
		t.Fatal(err)
	}
	if v, ok := reopen(t, c).Memo().Derived("kind", Sum(nil)); !ok || v != "value" {
		t.Errorf("%q, %t", v, ok)
	}
}
