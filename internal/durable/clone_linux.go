package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// Clone makes dst, an empty file, share the blocks of src until one of them is
// written (a reflink). It reports false, with dst still empty, where the file
// system has no reflinks; ext4 and tmpfs have none.
func Clone(dst, src *os.File) bool {
	return unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())) == nil
}

// SyncFS writes everything that the file system of dir still holds in memory
// to the disk. One call for a thousand files costs what a few fsyncs cost.
func SyncFS(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := unix.Syncfs(int(d.Fd())); err != nil {
		return &os.PathError{Op: "syncfs", Path: dir, Err: err}
	}
	return nil
}
