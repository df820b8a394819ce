//go:build !unix

package engine

import (
	"os"
	"os/exec"
)

// Without process groups only the process itself is ended, and at once.

func ownGroup(*exec.Cmd) {}

func askGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// killGroup finds nothing left to do: askGroup has killed already, and a process that ended by itself is gone.
func killGroup(int) {}

func describe(s *os.ProcessState) ending {
	return ending{success: s.Success(), code: s.ExitCode(), user: s.UserTime(), system: s.SystemTime()}
}
