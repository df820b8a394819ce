package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockOffset is where the locked byte lies, far behind the text in the file:
// locks are mandatory on Windows, and waiters read that text.
const lockOffset = 1 << 30

// tryLock takes the exclusive lock of an open file without waiting.
func tryLock(f *os.File) (bool, error) {
	ol := windows.Overlapped{Offset: lockOffset}
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &ol)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}

// lockTree reports that directories cannot be locked here; age decides.
func lockTree(dir string) (*os.File, bool, error) { return nil, false, errors.ErrUnsupported }

// removeLocked closes the file of a lock, then removes it. Windows removes no
// file that somebody else has open, which is what is wanted: the file then
// belongs to the next holder.
func removeLocked(f *os.File) error {
	err := f.Close()
	os.Remove(f.Name())
	return err
}

// Temporary files are not locked here: a locked one could not be renamed. Age
// decides.

func keepTemp(*os.File) bool { return true }

func sweepTemp(string) (known bool) { return false }

func stayLocked(*os.File) (release func()) { return func() {} }
