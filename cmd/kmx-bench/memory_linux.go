package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// peak is the highest resident size, in bytes, that the command's own process
// had. The maximum that wait4 gives counts what the process shared with this
// one before it became the command; so it is stopped where it ends, and asked.
func (c *contender) peak() (int64, error) {
	runtime.LockOSThread() // a thread is traced by a thread
	defer runtime.UnlockOSThread()
	cmd := c.command()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer cmd.Wait()
	pid := cmd.Process.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil { // at its exec
		return 0, err
	}
	const traceExit, exitEvent = 0x40, 6 // PTRACE_O_TRACEEXIT, PTRACE_EVENT_EXIT
	if err := syscall.PtraceSetOptions(pid, traceExit); err != nil {
		return 0, err
	}
	peak, pass := int64(0), 0
	for {
		if err := syscall.PtraceCont(pid, pass); err != nil {
			return peak, err
		}
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
			return peak, err
		}
		switch pass = 0; {
		case status.Exited() || status.Signaled():
			return peak, nil
		case status.TrapCause() == exitEvent:
			var err error
			if peak, err = highWater(pid); err != nil {
				return 0, err
			}
		case status.Stopped() && status.StopSignal() != syscall.SIGTRAP:
			pass = int(status.StopSignal())
		}
	}
}

func highWater(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("process %d: the kernel gives no VmHWM", pid)
}
