package engine

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// wait waits for the end of the process and calls last between its end and its reaping, while the number of its group
// cannot be given to another.
func wait(cmd *exec.Cmd, last func()) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
	last()
	_ = cmd.Wait() // ProcessState says what its error says
}
