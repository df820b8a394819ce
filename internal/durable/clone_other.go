//go:build !linux

package durable

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Clone makes dst share the blocks of src. It reports false: reflinks are used
// on Linux only.
func Clone(dst, src *os.File) bool { return false }

// SyncFS writes what is in memory of the files below dir to the disk. Without
// a call for a whole file system, each file is synced.
func SyncFS(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Sync()
	})
}
