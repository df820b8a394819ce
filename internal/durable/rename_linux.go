package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames old to new where nothing is at new yet; fs.ErrExist
// otherwise, errors.ErrUnsupported where the file system cannot tell.
func renameNew(old, new string) error { return renameat2(old, new, unix.RENAME_NOREPLACE) }

// renameSwap exchanges what is at a and b in one step; fs.ErrNotExist when
// one of them is missing, errors.ErrUnsupported where this cannot be done.
func renameSwap(a, b string) error { return renameat2(a, b, unix.RENAME_EXCHANGE) }

func renameat2(old, new string, flags uint) error {
	err := unix.Renameat2(unix.AT_FDCWD, old, unix.AT_FDCWD, new, flags)
	for errors.Is(err, unix.EINTR) {
		err = unix.Renameat2(unix.AT_FDCWD, old, unix.AT_FDCWD, new, flags)
	}
	if err == nil {
		return nil
	}
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		err = errors.ErrUnsupported
	}
	return &os.LinkError{Op: "renameat2", Old: old, New: new, Err: err}
}
