//go:build unix

package group

import (
	"time"

	"golang.org/x/sys/unix"
)

// ask and kill signal the whole group. An error means that nobody is left to be signalled.
func ask(pid int)  { _ = unix.Kill(-pid, unix.SIGTERM) }
func kill(pid int) { _ = unix.Kill(-pid, unix.SIGKILL) }

// reapTime bounds the wait for processes that have been killed: one may be stuck in the kernel.
const reapTime = 2 * time.Second

// reap waits until nothing is left of a group that was killed. Those of its members that have become children of this
// process are taken off the table.
func reap(pid int) {
	for start := time.Now(); time.Since(start) < reapTime; time.Sleep(200 * time.Microsecond) {
		for {
			n, err := unix.Wait4(-pid, nil, unix.WNOHANG, nil)
			if n <= 0 && err != unix.EINTR {
				break
			}
		}
		if unix.Kill(-pid, 0) == unix.ESRCH {
			return
		}
	}
}
