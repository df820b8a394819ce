package toolchains

import (
	"io/fs"
	"os"
	"path/filepath"
	"sort"
)

// looker asks the file system and remembers what it asked, so that a later run
// can tell whether the same search would find the same things.
type looker struct{ asked map[string]bool }

func newLooker() *looker { return &looker{asked: map[string]bool{}} }

// stat follows links.
func (l *looker) stat(path string) (fs.FileInfo, bool) {
	info, err := os.Stat(path)
	l.asked[path] = err == nil
	return info, err == nil
}

func (l *looker) isDir(path string) bool {
	info, ok := l.stat(path)
	return ok && info.IsDir()
}

func (l *looker) isFile(path string) bool {
	info, ok := l.stat(path)
	return ok && info.Mode().IsRegular()
}

// names lists a directory, sorted; nothing when it cannot be read.
func (l *looker) names(dir string) []string {
	entries, err := os.ReadDir(dir)
	l.asked[dir] = err == nil
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// read returns the bytes of a configuration file.
func (l *looker) read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	l.asked[path] = err == nil
	return data, err
}

// seen lists what was asked, less the closure's own files.
func (l *looker) seen(files []File) Seen {
	member := map[string]bool{}
	for _, f := range files {
		member[f.Path] = true
	}
	var s Seen
	for path, there := range l.asked {
		switch {
		case member[path] || !filepath.IsAbs(path):
		case there:
			s.Present = append(s.Present, path)
		default:
			s.Absent = append(s.Absent, path)
		}
	}
	sort.Strings(s.Present)
	sort.Strings(s.Absent)
	return s
}
