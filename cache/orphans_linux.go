package cache

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// endOrphans kills the compilers that a killed kmx left behind in its folder of
// sandboxes. The caller holds its lock, so nobody owns them any more: they are
// told by their working directory, which lies in the folder, and one that hangs
// would hang for ever.
func endOrphans(sandboxes string) {
	if _, err := os.Lstat(sandboxes); err != nil {
		return
	}
	sandboxes, err := filepath.EvalSymlinks(sandboxes)
	if err != nil {
		return
	}
	// Two rounds: the first may meet one that is just starting another.
	for range 2 {
		processes, err := os.ReadDir("/proc")
		if err != nil {
			return
		}
		killed := false
		for _, p := range processes {
			if pid, err := strconv.Atoi(p.Name()); err == nil && pid > 1 {
				killed = endOrphan(pid, sandboxes) || killed
			}
		}
		if !killed {
			return
		}
	}
}

// endOrphan kills a process if it works below the folder.
func endOrphan(pid int, sandboxes string) bool {
	if !worksIn(pid, sandboxes) {
		return false
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	// Asked again: now the number cannot have passed on to another process.
	if !worksIn(pid, sandboxes) || unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) != nil {
		return false
	}
	// It is gone when its descriptor can be read.
	unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(time.Second/time.Millisecond))
	return true
}

func worksIn(pid int, folder string) bool {
	wd, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	return err == nil && strings.HasPrefix(wd, folder+"/")
}
