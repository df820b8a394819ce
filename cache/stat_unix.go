//go:build unix

package cache

import (
	"os"

	"golang.org/x/sys/unix"
)

// statPath follows symbolic links: content counts, not the way to it.
func statPath(path string) (stat, error) {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	for err == unix.EINTR {
		err = unix.Stat(path, &st)
	}
	if err != nil {
		return stat{}, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return fromUnix(&st), nil
}

func statFile(f *os.File) (stat, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return stat{}, &os.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return fromUnix(&st), nil
}

func fromUnix(st *unix.Stat_t) stat {
	return stat{
		dev:   uint64(st.Dev),
		ino:   st.Ino,
		size:  st.Size,
		mtime: st.Mtim.Nano(),
		ctime: st.Ctim.Nano(),
		mode:  uint32(st.Mode),
	}
}
