package cache

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "one")
	if err := os.Mkdir(at("folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	w := NewWatch()
	for _, name := range []string{"a", "folder", "none", "a"} {
		w.Add(at(name))
	}
	if got := w.Changed(); got != "" {
		t.Errorf("at once: %s", got)
	}
	write("folder/x", "")
	if got := w.Changed(); got != "" {
		t.Errorf("a name in a folder: %s", got)
	}
	write("none", "")
	if got := w.Changed(); got != at("none") {
		t.Errorf("a file that appeared: %q", got)
	}
	w = w.Renew()
	if got := w.Changed(); got != "" {
		t.Errorf("renewed: %s", got)
	}
	write("a", "three")
	if got := w.Changed(); got != at("a") {
		t.Errorf("a file that was written: %q", got)
	}
	w = w.Renew()
	if err := os.Remove(at("a")); err != nil {
		t.Fatal(err)
	}
	if got := w.Changed(); got != at("a") {
		t.Errorf("a file that is gone: %q", got)
	}
}

// A file system may not tell two writes in one moment apart.
func TestWatchLooksAtYoungFilesAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := NewWatch()
	w.Add(name)
	w.entries[0].digest = Sum([]byte("two")) // what it held a moment ago, with the same stats
	if got := w.Changed(); got != "" {
		t.Errorf("while it is young: %s", got)
	}
	w.now = func() time.Time { return time.Now().Add(time.Minute) }
	if got := w.Changed(); got != name {
		t.Errorf("when it is not: %q", got)
	}
	if got := w.Changed(); got != "" {
		t.Errorf("after that: %s", got)
	}
}
