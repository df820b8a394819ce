package flow

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"kmx/internal/diag"
	"kmx/release"
)

// copyProject copies a tree without what was built in it, git's own files, caches,
// as their CACHEDIR.TAG marks them, and the folder in which the copy lies.
func copyProject(from, to, without string) error {
	return filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		switch {
		case e.IsDir():
			if slices.Contains([]string{"dist", "bin", ".git"}, rel) || name == without {
				return filepath.SkipDir
			}
			if _, err := os.Lstat(filepath.Join(name, "CACHEDIR.TAG")); err == nil {
				return filepath.SkipDir
			}
			return os.MkdirAll(dst, 0o755)
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return os.Symlink(target, dst)
		case !e.Type().IsRegular():
			return nil // a socket or a pipe is no source
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(dst, data, info.Mode().Perm()|0o600)
	})
}

// divergence is a file that two builds made differently.
type divergence struct {
	file    string // slash path below dist
	address string // of the cell, "" where it is no object
	what    string // where it is not the bytes: "only in the first build" and so on
	a, b    []byte
}

// compareTrees compares two folders, file by file.
func compareTrees(a, b string) (found []divergence, total int, err error) {
	files := map[string]bool{}
	for _, dir := range []string{a, b} {
		err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			rel, err := filepath.Rel(dir, name)
			files[filepath.ToSlash(rel)] = true
			return err
		})
		if err != nil {
			return nil, 0, diag.Failf(diag.IO, "", "%w", err)
		}
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	addresses := map[string]string{}
	for _, name := range names {
		if filepath.Base(name) == release.ManifestFile {
			if s, err := release.ReadSet(filepath.Join(a, filepath.FromSlash(filepath.Dir(name)))); err == nil {
				for _, e := range s.Objects {
					addresses[filepath.ToSlash(filepath.Join(filepath.Dir(name), e.File.Name))] = e.Address
				}
			}
		}
	}
	for _, name := range names {
		u := divergence{file: name, address: addresses[name]}
		var modes [2]fs.FileMode
		var missing [2]bool
		for i, side := range []struct {
			dir  string
			data *[]byte
		}{{a, &u.a}, {b, &u.b}} {
			file := filepath.Join(side.dir, filepath.FromSlash(name))
			info, err := os.Stat(file)
			if err == nil {
				modes[i] = info.Mode()
				*side.data, err = os.ReadFile(file)
			}
			if missing[i] = os.IsNotExist(err); err != nil && !missing[i] {
				return nil, 0, diag.Failf(diag.IO, "", "%w", err)
			}
		}
		switch {
		case missing[1]:
			u.what = "only in the first build"
		case missing[0]:
			u.what = "only in the second build"
		case !bytes.Equal(u.a, u.b):
		case modes[0] != modes[1]:
			u.what = "mode " + modes[0].String() + " and " + modes[1].String()
		default:
			continue
		}
		found = append(found, u)
	}
	return found, len(names), nil
}

// objectsBelow are the objects in all sets below a folder, by address.
func objectsBelow(dir string) (map[string][]byte, error) {
	objects := map[string][]byte{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != release.ManifestFile {
			return err
		}
		s, err := release.ReadSet(filepath.Dir(name))
		if err != nil {
			return nil // the release's own
		}
		for _, e := range s.Objects {
			data, err := os.ReadFile(filepath.Join(filepath.Dir(name), e.File.Name))
			if err != nil {
				return err
			}
			objects[e.Address] = data
		}
		return nil
	})
	if err != nil {
		return nil, diag.Failf(diag.IO, "", "%w", err)
	}
	return objects, nil
}
