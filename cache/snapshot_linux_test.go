package cache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A link that was turned during the run leads to an old file all the same.
func TestSnapshotDoubtsTurnedLinks(t *testing.T) {
	file := newFile(t, "x")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	turned := time.Now().Add(2 * time.Hour)
	ts := unix.NsecToTimespec(turned.UnixNano())
	if err := unix.UtimesNanoAt(unix.AT_FDCWD, link, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		start time.Time
		want  bool
	}{{turned.Add(-time.Hour), false}, {turned.Add(time.Hour), true}} {
		s := newSnapshot(func() time.Time { return c.start })
		s.AddFile(link)
		path := filepath.Join(t.TempDir(), "snapshot")
		if err := s.Save(path); err != nil {
			t.Fatal(err)
		}
		if _, why, ok := CheckSnapshot(path); ok != c.want || !ok && !strings.Contains(why, "just before the run") {
			t.Errorf("%v, %s", ok, why)
		}
	}
}
