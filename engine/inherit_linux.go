package engine

import (
	"math"

	"golang.org/x/sys/unix"
)

// closeInherited keeps what this process has inherited, such as make's jobserver or the files of a shell, from the
// processes that it starts. What Go opens it keeps from them anyway.
func closeInherited() {
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
}
