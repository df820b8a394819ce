//go:build unix

package engine

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// askGroup and killGroup signal the whole group: a compiler driver that dies alone leaves its front end running. An
// error means that nobody is left to be signalled.
func askGroup(pid int)  { _ = unix.Kill(-pid, unix.SIGTERM) }
func killGroup(pid int) { _ = unix.Kill(-pid, unix.SIGKILL) }

func describe(s *os.ProcessState) ending {
	e := ending{success: s.Success(), code: s.ExitCode(), user: s.UserTime(), system: s.SystemTime()}
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.signal = unix.SignalName(status.Signal())
		e.killed = status.Signal() == syscall.SIGKILL
	}
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		e.peakRSS = int64(usage.Maxrss)
		if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
			e.peakRSS *= 1024 // kilobytes everywhere else
		}
	}
	return e
}
