package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// leftoverAge is when a tree or temporary file that nobody can be asked about
// is taken for a leftover.
const leftoverAge = 24 * time.Hour

// A Tree is a directory being filled, beside the place it will take. While it
// is held, no sweep removes it; when its process dies, the next one does.
type Tree struct {
	Path  string // where to fill it
	final string
	held  *os.File // nil where directories cannot be locked
}

// Fresh makes an empty Tree that is to become final. It first sweeps what
// dead processes left for the same final.
func Fresh(final string) (*Tree, error) {
	final = filepath.Clean(final)
	if err := Recover(final); err != nil {
		return nil, err
	}
	for range 100 {
		path := besides(final)
		if err := os.Mkdir(path, 0o777); err != nil {
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			return nil, err
		}
		t, err := hold(path, final)
		if t != nil || err != nil {
			return t, err
		}
		// A sweep came between making and locking it, and takes it away.
	}
	return nil, fmt.Errorf("make a folder beside %s: others remove it each time", final)
}

// hold locks the tree at path. It returns nil and no error when a sweep was
// faster.
func hold(path, final string) (*Tree, error) {
	f, ok, err := lockTree(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil: // no locks here; age decides
		return &Tree{Path: path, final: final}, nil
	case !ok:
		return nil, nil
	}
	here, err1 := f.Stat()
	named, err2 := os.Lstat(path)
	if err1 != nil || err2 != nil || !os.SameFile(here, named) {
		f.Close()
		return nil, nil
	}
	return &Tree{Path: path, final: final, held: f}, nil
}

// Exchange makes the tree appear at its final place and ends it. See the
// function Exchange.
func (t *Tree) Exchange() error {
	defer t.release()
	return exchange(t.Path, t.final)
}

// Discard removes the tree. After Exchange it does nothing.
func (t *Tree) Discard() {
	if t.final != "" {
		RemoveTree(t.Path)
		t.release()
	}
}

func (t *Tree) release() {
	t.final = ""
	if t.held != nil {
		t.held.Close()
		t.held = nil
	}
}

// Exchange makes final the tree that is at fresh, which must lie in the same
// file system. At every moment a reader finds the old tree or the new one at
// final: where something is there already the two are exchanged in one step,
// and the old tree is removed afterwards. File systems that cannot exchange
// get a journalled move, which an interrupted Exchange leaves for Recover.
//
// After an error final is what it was and fresh, or a name beside final,
// holds the fresh tree. An old tree that cannot be removed is no error: the
// next Exchange, Fresh or Recover of the same final tries again.
func Exchange(fresh, final string) error {
	fresh, final = filepath.Clean(fresh), filepath.Clean(final)
	if err := Recover(final); err != nil {
		return err
	}
	// Take the name that sweeps know before anything else, and the lock that
	// keeps them away, so that a crash leaves nothing unknown.
	path := besides(final)
	f, ok, err := lockTree(fresh)
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if ok {
		defer f.Close()
	}
	if err := os.Rename(fresh, path); err != nil {
		return err
	}
	if err := exchange(path, final); err != nil {
		os.Rename(path, fresh)
		return err
	}
	return nil
}

// exchange does what Exchange says with a tree that has a sweepable name.
func exchange(path, final string) error {
	for range 100 {
		err := renameNew(path, final)
		if err == nil {
			return nil
		}
		if errors.Is(err, fs.ErrExist) {
			err = renameSwap(path, final)
			if err == nil {
				RemoveTree(path)
				return nil
			}
		}
		if errors.Is(err, errors.ErrUnsupported) {
			return journalledMove(path, final)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if _, err := os.Lstat(path); err != nil {
			return err // not final but the fresh tree is gone
		}
	}
	return fmt.Errorf("exchange %s: somebody else makes and removes it all the time", final)
}

// Recover finishes or undoes a journalled move of final that was interrupted,
// and removes what dead processes left beside it. It is cheap when there is
// nothing to do, and final need not exist.
func Recover(final string) error {
	final = filepath.Clean(final)
	dir := filepath.Dir(final)
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	var trees []string
	unfinished := false
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case path == journalPath(final), path == moveLockPath(final):
			unfinished = true
		case e.IsDir() && strings.HasPrefix(e.Name(), treePrefix(final)):
			trees = append(trees, path)
		}
	}
	SweepTemps(dir)
	if !unfinished && len(trees) == 0 {
		return nil
	}
	// Under the lock no tree is the old half of a move that is going on.
	l, err := moveLock(final)
	if err != nil {
		return err
	}
	defer l.Release()
	if err := finish(final); err != nil {
		return err
	}
	for _, path := range trees {
		sweepTree(path)
	}
	return nil
}

// sweepTree removes a tree whose process is gone. What cannot be removed
// stays for the next sweep.
func sweepTree(path string) {
	f, ok, err := lockTree(path)
	if err != nil {
		ok = olderThan(path, leftoverAge)
	}
	if f != nil {
		defer f.Close()
	}
	if ok {
		RemoveTree(path)
	}
}

// RemoveTree is os.RemoveAll that also removes trees with read-only folders.
func RemoveTree(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && err == nil {
			os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// treePrefix starts the names of the trees that wait beside final.
func treePrefix(final string) string { return "." + filepath.Base(final) + ".kmx-tree-" }

// besides returns a new name for a tree beside final.
func besides(final string) string {
	return filepath.Join(filepath.Dir(final), treePrefix(final)+unique())
}

func olderThan(path string, age time.Duration) bool {
	info, err := os.Lstat(path)
	return err == nil && time.Since(info.ModTime()) > age
}
