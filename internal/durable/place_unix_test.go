//go:build unix

package durable

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A device or a pipe is never replaced by a file, a link is written through.
func TestWriteFileReplacesFilesOnly(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		syscall.Mkfifo(in("pipe"), 0o600), os.Mkdir(in("folder"), 0o700), os.WriteFile(in("file"), []byte("old"), 0o600),
		os.Symlink("pipe", in("to-pipe")), os.Symlink("file", in("to-file")), os.Symlink("gone", in("to-nothing")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"pipe", "folder", "to-pipe"} {
		before, _ := os.Lstat(in(name))
		if err := WriteFile(in(name), []byte("new"), 0o644); err == nil || !strings.Contains(err.Error(), "is no plain file") {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.Lstat(in(name)); err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s is %v now: %v", name, after, err)
		}
	}
	for name, kept := range map[string]string{"to-file": "file", "to-nothing": "to-nothing"} {
		if err := WriteFile(in(name), []byte("new "+name), 0o644); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if data, err := os.ReadFile(in(kept)); err != nil || string(data) != "new "+name {
			t.Errorf("%s: %q, %v", kept, data, err)
		}
	}
	if info, err := os.Lstat(in("to-file")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if left, _ := filepath.Glob(in(tempPrefix + "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
