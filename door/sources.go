package door

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
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
	was := decode(recorded)
	is, err := d.read(s, true, was.folders())
	if err != nil {
		return err.Error(), false
	}
	if why := is.differs(was); why != "" {
		return why, false
	}
	s.SetAnswer(recorded)
	_ = s.Save(d.record()) // without it the next look takes longer, no more
	return "", true
}

// read lists what the door is compiled from, that is the sources in these
// folders of packages and what names other modules, and what was made of it where
// programs says so. All of it is added to s (may be nil), with the folders, in
// which something could appear.
func (d Door) read(s *cache.Snapshot, programs bool, folders []string) (list, error) {
	l := list{}
	add := func(name string) error {
		path := filepath.Join(d.root, filepath.FromSlash(name))
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
	for _, name := range []string{"go.mod", "go.sum", "go.work"} {
		err := add(name)
		if errors.Is(err, fs.ErrNotExist) {
			if s != nil {
				s.AddAbsent(filepath.Join(d.root, name))
			}
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	for _, folder := range folders {
		dir := filepath.Join(d.root, filepath.FromSlash(folder))
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its files are gone
		}
		if err != nil {
			return nil, err
		}
		if s != nil {
			s.AddDir(dir)
		}
		for _, e := range entries {
			if name := path.Join(folder, e.Name()); !e.IsDir() && isSource(name) {
				if err := add(name); err != nil {
					return nil, err
				}
			}
		}
	}
	if programs {
		for _, path := range []string{d.Main(), d.Fast()} {
			if err := add("bin/" + filepath.Base(path)); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// folders are those of the sources in a list.
func (l list) folders() []string {
	seen := map[string]bool{}
	for name := range l {
		if isSource(name) {
			seen[path.Dir(name)] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// packages asks Go for the folders of the packages that the two programs are
// made of, relative to the checkout. Whatever adds another one to them changes
// a source in these.
func (d Door) packages(ctx context.Context) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-tags=mage",
		"-f={{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}", "./magefiles", "./cmd/kmx")
	cmd.Dir = d.root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, strings.TrimSpace(stderr.String()))
	}
	root, err := filepath.EvalSymlinks(d.root) // Go may call it by either name
	if err != nil {
		return nil, err
	}
	var folders []string
	for dir := range strings.Lines(string(out)) {
		if dir = strings.TrimSpace(dir); dir == "" {
			continue
		}
		name, err := filepath.Rel(d.root, dir)
		if err != nil || !filepath.IsLocal(name) {
			name, err = filepath.Rel(root, dir)
		}
		if err != nil || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("go list: %s is not in %s", dir, d.root)
		}
		folders = append(folders, filepath.ToSlash(name))
	}
	slices.Sort(folders)
	return folders, nil
}

// isSource tells whether a file of a package, by its name relative to the
// checkout, enters a program. mage -compile puts a file of its own among the
// targets for as long as it runs.
func isSource(name string) bool {
	switch path.Ext(name) {
	case ".go":
		return !strings.HasSuffix(name, "_test.go") && path.Base(name) != "mage_output_file.go"
	case ".s":
		return true
	}
	return false
}
