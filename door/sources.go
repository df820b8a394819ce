package door

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kmx/cache"
)

// A list holds the digests of what the door is compiled from, and of what was
// compiled, by names relative to the checkout.
type list map[string]string

func (l list) encode() []byte {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(l)) {
		b = fmt.Appendf(b, "%s %s\n", l[name], name)
	}
	return b
}

func decode(b []byte) list {
	l := list{}
	for line := range strings.Lines(string(b)) {
		if digest, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			l[name] = digest
		}
	}
	return l
}

// differs names the first file that is not as it was, "" if all are.
func (l list) differs(was list) string {
	for _, name := range slices.Sorted(maps.Keys(l)) {
		switch was[name] {
		case l[name]:
		case "":
			return name + " is new"
		default:
			return name + " has changed"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if l[name] == "" {
			return name + " is gone"
		}
	}
	return ""
}

// Fresh tells whether the door is compiled from the sources that are there now.
// If it is not, why says what differs.
func (d Door) Fresh() (why string, ok bool) {
	if _, _, ok = cache.CheckSnapshot(d.record()); ok {
		return "", true
	}
	recorded, err := cache.SnapshotAnswer(d.record())
	if err != nil {
		return "it is not known what " + d.name() + " was compiled from", false
	}
	s := cache.NewSnapshot()
	is, err := d.read(s, true)
	if err != nil {
		return err.Error(), false
	}
	if why := is.differs(decode(recorded)); why != "" {
		return why, false
	}
	s.SetAnswer(recorded)
	_ = s.Save(d.record()) // without it the next look takes longer, no more
	return "", true
}

// read lists everything the door is compiled from, and what was made of it
// where programs says so. All of it is added to s (may be nil), with the folders
// in which something could appear.
func (d Door) read(s *cache.Snapshot, programs bool) (list, error) {
	l := list{}
	add := func(path, name string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		l[name] = cache.Sum(data).String()
		if s != nil {
			s.AddFile(path)
		}
		return nil
	}
	err := filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(d.root, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case e.IsDir() && name != "." && aside(name):
			return fs.SkipDir
		case e.IsDir() && s != nil:
			s.AddDir(path)
		case !e.IsDir() && isSource(name):
			return add(path, name)
		}
		return nil
	})
	if err == nil && programs {
		for _, path := range []string{d.Main(), d.Fast()} {
			if err = add(path, "bin/"+filepath.Base(path)); err != nil {
				break
			}
		}
	}
	return l, err
}

// aside tells whether a folder holds nothing that the door is compiled from:
// what Go ignores, what is made here, texts, device code, and the other
// programs.
func aside(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	if base[0] == '.' || base[0] == '_' || base == "testdata" {
		return true
	}
	other, isCommand := strings.CutPrefix(name, "cmd/")
	return name == "dist" || name == "bin" || name == "docs" || name == "changelog" || name == "kernels" || isCommand && other != "kmx"
}

// isSource tells whether a file enters a program. mage -compile puts a file of
// its own among the targets for as long as it runs.
func isSource(name string) bool {
	switch {
	case name == "go.mod" || name == "go.sum" || name == "go.work":
		return true
	case strings.HasSuffix(name, "/mage_output_file.go"):
		return false
	}
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".s")
}
