//go:build unix

package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the exclusive lock of an open file or directory without
// waiting. The lock belongs to this open file, so two opens in one process
// exclude each other too; it ends when the file is closed or the process dies,
// also across containers that share a kernel.
func tryLock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENOLCK): // network file systems
			return false, &os.PathError{Op: "flock", Path: f.Name(), Err: errors.ErrUnsupported}
		default:
			return false, &os.PathError{Op: "flock", Path: f.Name(), Err: err}
		}
	}
}

// lockTree locks the directory at dir for as long as the returned file is
// open: a live tree is told from a leftover by this lock. ok is false when
// somebody else holds it.
func lockTree(dir string) (f *os.File, ok bool, err error) {
	f, err = os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	ok, err = tryLock(f)
	if !ok {
		f.Close()
		return nil, false, err
	}
	return f, true, nil
}

// removeLocked removes the file of a lock that is still held, so that whoever
// waits for it finds out that it is no longer the file of that name.
func removeLocked(f *os.File) error {
	err := os.Remove(f.Name())
	return errors.Join(err, f.Close())
}

// keepTemp locks a temporary file that was just made. It is false when the file
// has no name any more.
func keepTemp(f *os.File) bool {
	if ok, err := tryLock(f); err != nil {
		return true // no locks here; age decides
	} else if !ok {
		return false
	}
	var st unix.Stat_t
	return unix.Fstat(int(f.Fd()), &st) != nil || st.Nlink > 0
}

// sweepTemp removes a temporary file that nobody is writing. known is false
// where locks do not tell.
func sweepTemp(path string) (known bool) {
	f, err := os.Open(path)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	ok, err := tryLock(f)
	if ok {
		// Removed under the lock, so that its maker, who may be about to lock it,
		// finds it without a name.
		os.Remove(path)
	}
	return err == nil
}

// stayLocked keeps the lock of an open file when that is closed, until release.
func stayLocked(f *os.File) (release func()) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return func() {}
	}
	return func() { unix.Close(fd) }
}
