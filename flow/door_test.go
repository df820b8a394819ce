package flow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var oldTime, newTime = time.Unix(1e9, 0), time.Unix(2e9, 0)

// The door is stale when a byte of what it was compiled from is another,
// whatever the times say, and only then.
func TestStaleDoor(t *testing.T) {
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
		{"removed", func(root string) error { return os.Remove(root + "/a.go") }, "a.go is gone"},
		{"a test", func(root string) error { return os.WriteFile(root+"/a_test.go", nil, 0o644) }, ""},
		{"no list", func(root string) error { return os.Remove(filepath.Join(root, sourcesName)) }, "is not there"},
		{"a damaged list", func(root string) error { return os.Truncate(filepath.Join(root, sourcesName), 9) }, "is new"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &Project{Root: t.TempDir()}
			for name, text := range map[string]string{"a.go": "package a\n", "go.mod": "module m\n", doorName(): ""} {
				if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			list, err := p.listSources()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p.path(sourcesName), list, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := test.change(p.Root); err != nil {
				t.Fatal(err)
			}
			why, err := p.stale()
			if err != nil || (why == "") != (test.why == "") || !strings.Contains(why, test.why) {
				t.Errorf("%q, %v; want %q", why, err, test.why)
			}
		})
	}
}
