package cache

import (
	"fmt"
	"time"
)

// A stat is what the file system says about a file without reading it. Two
// equal stats of one path mean equal bytes, unless the file was written within
// safetyWindow of the first of them.
type stat struct {
	dev, ino     uint64
	size         int64
	mtime, ctime int64 // nanoseconds since 1970
	mode         uint32
}

// safetyWindow is the age below which a file's times prove nothing: a file
// system may keep times to two seconds only (FAT; NFS and HFS+ to one), and a
// write within that span of another leaves the same times.
const safetyWindow = 2 * time.Second

// settled reports whether the file was left alone for the safety window before
// now. A time in the future is not settled: the clock was set back.
func (s stat) settled(now time.Time) bool {
	return max(s.mtime, s.ctime) < now.Add(-safetyWindow).UnixNano()
}

// isRegular reports whether s is of a regular file. The type bits are those of
// Unix everywhere.
func (s stat) isRegular() bool { return s.mode&modeType == modeRegular }

const (
	modeType    = 0o170000
	modeRegular = 0o100000
)

// Stamp is what the file system says about a file, as one word: while it stays
// the same the bytes do, unless the file was written less than two seconds
// before the stamp was taken.
func Stamp(path string) (string, error) {
	s, err := statPath(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x-%x-%x-%x", s.ino, s.size, s.mtime, s.ctime), nil
}
