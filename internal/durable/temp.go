package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// tempPrefix starts the name of every temporary file, so that leftovers of a
// killed process are recognised wherever they lie.
const tempPrefix = ".kmx-tmp-"

// A Temp is a file that is being written and has no name of its own yet. It
// ends with Commit or Discard.
type Temp struct {
	*os.File
	done bool
}

// NewTemp makes an empty Temp in dir, open for reading and writing. As long as
// it is open it is locked, which is how SweepTemps tells it from a leftover.
func NewTemp(dir string) (*Temp, error) {
	for try := 0; ; try++ {
		name := filepath.Join(dir, tempPrefix+unique())
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			if keepTemp(f) || try == 100 {
				return &Temp{File: f}, nil
			}
			f.Close() // a sweep was faster and takes it away
			continue
		}
		if !errors.Is(err, fs.ErrExist) || try == 100 {
			return nil, err
		}
	}
}

// SweepTemps removes the temporary files of dead processes that lie directly in
// dir. Where files cannot be locked, those that were not written to for a day.
// What cannot be removed stays for the next sweep.
func SweepTemps(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !IsTemp(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if !sweepTemp(path) && olderThan(path, leftoverAge) {
			os.Remove(path)
		}
	}
}

// Commit gives the file its mode and its final name, replacing what has that
// name. A zero mode leaves what the umask made of 0666. When Commit fails, the
// temporary file is gone and final is as it was.
func (t *Temp) Commit(final string, mode fs.FileMode) error {
	name := t.Name()
	if mode != 0 {
		if err := t.Chmod(mode); err != nil {
			t.Discard()
			return err
		}
	}
	t.done = true
	defer stayLocked(t.File)() // no sweep comes before the name
	if err := t.Close(); err != nil {
		os.Remove(name)
		return err
	}
	if err := os.Rename(name, final); err != nil {
		os.Remove(name)
		return err
	}
	return nil
}

// Discard removes the file. After a Commit it does nothing, so it can be
// deferred.
func (t *Temp) Discard() {
	if t.done {
		return
	}
	t.done = true
	t.Close()
	os.Remove(t.Name())
}

// WriteFile puts data at path with exactly this mode. A reader sees the old
// file or the new one; after an error it is the old one. A link stays, and what it
// leads to is written. A device or a pipe is an error: it would be replaced.
func WriteFile(path string, data []byte, mode fs.FileMode) error {
	path, err := place(path)
	if err != nil {
		return err
	}
	t, err := NewTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer t.Discard()
	if _, err := t.Write(data); err != nil {
		return err
	}
	return t.Commit(path, mode)
}

// place is where a file is to be written: path, or what it leads to.
func place(path string) (string, error) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		real, lerr := filepath.EvalSymlinks(path)
		if lerr != nil {
			return path, nil // it leads nowhere, and is replaced
		}
		path = real
		info, err = os.Lstat(path)
	}
	if err == nil && !info.Mode().IsRegular() {
		return "", &fs.PathError{Op: "write", Path: path, Err: errNoFile}
	}
	return path, nil
}

var errNoFile = errors.New("it is no plain file, and would be replaced")

// IsTemp reports whether name (without its folder) is one that NewTemp makes.
func IsTemp(name string) bool { return strings.HasPrefix(name, tempPrefix) }

// unique returns a word no other call in any process returns: the process id,
// for people who look at leftovers, and 64 random bits. They need not be secret,
// only new, which those of math/rand are: its generator starts from the kernel's
// random bits: a program that starts often is better off without crypto.
func unique() string {
	return fmt.Sprintf("%d-%016x", os.Getpid(), rand.Uint64())
}
