//go:build !linux

package engine

import "os/exec"

// wait waits for the end of the process and calls last. The process is reaped by then, but its number is not given out
// again within the moment that last takes.
func wait(cmd *exec.Cmd, last func()) {
	_ = cmd.Wait() // ProcessState says what its error says
	last()
}
