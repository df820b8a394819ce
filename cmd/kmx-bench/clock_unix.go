//go:build unix

package main

import (
	"syscall"
	"time"
)

// used is the CPU time that this process has used, all of its threads.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
