package durable

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Place puts a copy of src at dst with exactly this mode: a reflink where the
// file system has them, a copy inside the kernel otherwise. dst and src never
// share an inode. A reader sees the old dst or the whole new one.
func Place(src, dst string, mode fs.FileMode) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	t, err := NewTemp(filepath.Dir(dst))
	if err != nil {
		return err
	}
	defer t.Discard()
	if !Clone(t.File, in) {
		// os.File.ReadFrom uses copy_file_range where there is one.
		if _, err := io.Copy(t.File, in); err != nil {
			return err
		}
	}
	return t.Commit(dst, mode)
}
