//go:build unix && !linux

package group

import (
	"os/exec"
	"syscall"
)

func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
