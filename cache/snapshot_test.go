package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world is a folder with files, and the snapshot of it.
func world(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	for i := range 10 { // enough to be checked relative to the folder
		os.WriteFile(filepath.Join(dir, fmt.Sprint("f", i)), []byte("content"), 0o644)
	}
	os.MkdirAll(filepath.Join(dir, "sub"), 0o755)
	os.WriteFile(filepath.Join(dir, "sub", "one"), []byte("content"), 0o644)
	os.Symlink("f0", filepath.Join(dir, "link"))
	t.Setenv("KMX_TEST_SET", "value")
	os.Unsetenv("KMX_TEST_UNSET")
	s := newSnapshot(later)
	for i := range 10 {
		s.AddFile(filepath.Join(dir, fmt.Sprint("f", i)))
	}
	s.AddFile(filepath.Join(dir, "sub", "one"))
	s.AddDir(filepath.Join(dir, "sub"))
	s.AddDir(string(filepath.Separator))
	s.AddFile(filepath.Join(dir, "link"))
	s.AddAbsent(filepath.Join(dir, "none"))
	s.AddAbsent(filepath.Join(dir, "none", "deeper"))
	s.AddAbsent(filepath.Join(dir, "f1", "below a file"))
	s.AddEnv("KMX_TEST_SET")
	s.AddEnv("KMX_TEST_UNSET")
	s.SetAnswer([]byte("answer"))
	path = filepath.Join(t.TempDir(), "snapshot")
	if err := s.Save(path); err != nil {
		t.Fatal(err)
	}
	return dir, path
}

func TestSnapshotReasons(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(dir string)
		want   string // %s is the folder
	}{
		{"nothing", func(string) {}, ""},
		{"a file not in it", func(d string) { os.WriteFile(filepath.Join(d, "new"), nil, 0o644) }, ""},
		{"size", func(d string) { os.WriteFile(filepath.Join(d, "f3"), nil, 0o644) }, "%s/f3 has changed (size)"},
		{"same size", func(d string) {
			os.WriteFile(filepath.Join(d, "f3"), []byte("CONTENT"), 0o644)
		}, "%s/f3 has changed (time of modification)"},
		{"time of modification put back", func(d string) {
			f := filepath.Join(d, "f3")
			info, _ := os.Stat(f)
			os.WriteFile(f, []byte("CONTENT"), 0o644)
			os.Chtimes(f, time.Time{}, info.ModTime())
		}, "%s/f3 has changed (time of change)"},
		{"mode", func(d string) { os.Chmod(filepath.Join(d, "f3"), 0o755) }, "%s/f3 has changed (mode)"},
		{"gone", func(d string) { os.Remove(filepath.Join(d, "f9")) }, "%s/f9 is gone"},
		{"the first of several", func(d string) {
			os.Remove(filepath.Join(d, "f4"))
			os.Remove(filepath.Join(d, "f5"))
			os.Remove(filepath.Join(d, "sub", "one"))
		}, "%s/f4 is gone"},
		{"folder gone", func(d string) { os.Rename(filepath.Join(d, "sub"), filepath.Join(d, "bus")) }, "%s/sub is gone"},
		{"new name in a folder", func(d string) { os.WriteFile(filepath.Join(d, "sub", "two"), nil, 0o644) }, "%s/sub has changed (size|time of modification)"},
		{"appeared", func(d string) { os.WriteFile(filepath.Join(d, "none"), nil, 0o644) }, "%s/none has appeared"},
		{"appeared as a broken link", func(d string) { os.Symlink("nowhere", filepath.Join(d, "none")) }, ""},
		{"link to another file", func(d string) {
			os.Remove(filepath.Join(d, "link"))
			os.Symlink("f1", filepath.Join(d, "link"))
		}, "%s/link has changed (time of modification|inode)"},
		{"variable changed", func(string) { os.Setenv("KMX_TEST_SET", "other") }, "the environment variable KMX_TEST_SET has another value"},
		{"variable gone", func(string) { os.Unsetenv("KMX_TEST_SET") }, "the environment variable KMX_TEST_SET is no longer set"},
		{"variable set to nothing", func(string) { os.Setenv("KMX_TEST_UNSET", "") }, "the environment variable KMX_TEST_UNSET is now set"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("KMX_TEST_UNSET", "")
			dir, path := world(t)
			time.Sleep(20 * time.Millisecond) // more than a tick of the file system
			c.change(dir)
			answer, why, ok := CheckSnapshot(path)
			if ok != (c.want == "") || ok && string(answer) != "answer" {
				t.Fatalf("%v %q %s", ok, answer, why)
			}
			if !ok && !matches(why, strings.ReplaceAll(c.want, "%s", dir)) {
				t.Errorf("why: %s\nwant %s", why, c.want)
			}
		})
	}
}

// matches compares why with want, whose last bracket may list alternatives.
func matches(why, want string) bool {
	head, tail, ok := strings.Cut(want, " (")
	if !ok {
		return why == want
	}
	for alt := range strings.SplitSeq(strings.TrimSuffix(tail, ")"), "|") {
		if why == head+" ("+alt+")" {
			return true
		}
	}
	return false
}

func TestSnapshotOfManyGroupsNamesTheFirst(t *testing.T) {
	dir := t.TempDir()
	s := newSnapshot(later)
	for d := range 6 {
		sub := filepath.Join(dir, fmt.Sprint("d", d))
		os.Mkdir(sub, 0o755)
		for f := range groupSize + 30 {
			path := filepath.Join(sub, fmt.Sprintf("f%04d", f))
			os.WriteFile(path, nil, 0o644)
			s.AddFile(path)
		}
	}
	path := filepath.Join(t.TempDir(), "snapshot")
	if err := s.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, why, ok := CheckSnapshot(path); !ok {
		t.Fatal(why)
	}
	first := filepath.Join(dir, "d1", "f0131")
	for _, p := range []string{first, filepath.Join(dir, "d1", "f0140"), filepath.Join(dir, "d3", "f0001"), filepath.Join(dir, "d5", "f0150")} {
		os.Remove(p)
	}
	for range 20 {
		if _, why, ok := CheckSnapshot(path); ok || why != first+" is gone" {
			t.Fatalf("%v, %s", ok, why)
		}
	}
}

func TestSnapshotInDoubt(t *testing.T) {
	young := newFile(t, "x")
	info, _ := os.Stat(young)
	at := func(d time.Duration) func() time.Time {
		return func() time.Time { return info.ModTime().Add(d) }
	}
	for _, c := range []struct {
		name string
		now  func() time.Time
		add  func(s *Snapshot)
		want string
	}{
		{"nothing in it", later, func(*Snapshot) {}, ""},
		{"input in the window", at(safetyWindow - time.Millisecond), func(s *Snapshot) { s.AddFile(young) }, "just before the run or during it"},
		{"input from the future", at(-time.Hour), func(s *Snapshot) { s.AddFile(young) }, "just before the run"},
		{"folder in the window", at(0), func(s *Snapshot) { s.AddDir(filepath.Dir(young)) }, "just before the run"},
		{"output in the window", at(0), func(s *Snapshot) { s.AddOutput(young) }, ""},
		{"missing input", later, func(s *Snapshot) { s.AddFile(young + "-none") }, "no such file"},
		{"present absent", later, func(s *Snapshot) { s.AddAbsent(young) }, "has appeared during the run"},
		{"unusable path", later, func(s *Snapshot) { s.AddFile("a\x00b") }, "cannot be watched"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSnapshot(c.now)
			c.add(s)
			path := filepath.Join(t.TempDir(), "snapshot")
			if err := s.Save(path); err != nil {
				t.Fatal(err)
			}
			_, why, ok := CheckSnapshot(path)
			if ok != (c.want == "") || !strings.Contains(why, c.want) {
				t.Errorf("%v, %s", ok, why)
			}
		})
	}
	if _, why, ok := CheckSnapshot(filepath.Join(t.TempDir(), "none")); ok || !strings.Contains(why, "no snapshot") {
		t.Errorf("%v, %s", ok, why)
	}
	if _, why, ok := CheckSnapshot(t.TempDir()); ok || why == "" {
		t.Errorf("a folder as snapshot: %v, %s", ok, why)
	}
	s := newSnapshot(later)
	if err := s.Save(filepath.Join(t.TempDir(), "no", "folder")); err == nil {
		t.Error("saved into no folder")
	}
}

func TestCoarseTimes(t *testing.T) {
	for _, c := range []struct {
		s    stat
		want bool
	}{
		{stat{mtime: 7e9, ctime: 9e9}, true},
		{stat{mtime: 7e9, ctime: 9e9 + 1}, false},
		{stat{mtime: 7e9 + 1, ctime: 9e9}, false},
	} {
		if c.s.coarse() != c.want {
			t.Errorf("%+v", c.s)
		}
	}
}
