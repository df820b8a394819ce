package flow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kmx/cache"
	"kmx/release"
)

// A folder that comes in place of another brings files whose times are all
// old. Only the bytes tell that they are not those that were read.
func TestWatcherHoldsFilesAgainstWhatWasRead(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("include/a.h", "now\n")
	time.Sleep(2100 * time.Millisecond) // so that its times alone are no reason
	for _, test := range []struct {
		name, read, why string
	}{
		{"as it was read", "now\n", ""},
		{"another file", "then\n", "a.h is not what the run read"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := cache.NewSnapshot()
			w := &watcher{p: &Project{Root: root}, s: s}
			w.file(filepath.Join(root, "include/a.h"), cache.Sum([]byte(test.read)))
			expect(t, s, test.why)
		})
	}
}

// A release that another run has put in the place of this one's is not what
// this one answers for.
func TestWatcherKnowsItsOwnRelease(t *testing.T) {
	dir := t.TempDir()
	mine, other := &release.Release{Project: "mine"}, &release.Release{Project: "other"}
	data, err := mine.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, release.ManifestFile), data, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		r    *release.Release
		why  string
	}{
		{"its own", mine, ""},
		{"another's", other, "is not what the run wrote"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := cache.NewSnapshot()
			w := &watcher{s: s}
			w.output(dir, test.r)
			expect(t, s, test.why)
		})
	}
}

// expect saves s and checks it: it holds where why is "".
func expect(t *testing.T, s *cache.Snapshot, why string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "snapshot")
	if err := s.Save(path); err != nil {
		t.Fatal(err)
	}
	_, said, ok := cache.CheckSnapshot(path)
	if ok != (why == "") || !strings.Contains(said, why) {
		t.Errorf("ok = %t, %q; want %q", ok, said, why)
	}
}
