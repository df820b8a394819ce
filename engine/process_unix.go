//go:build unix

package engine

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

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
