package group

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// wait waits for the end of the process and calls last between its end and its reaping, while the number of its group
// cannot be given to another.
func wait(cmd *exec.Cmd, last func()) error {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
	last()
	return cmd.Wait()
}
