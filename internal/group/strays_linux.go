package group

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Adopt makes this process the parent of every process below it whose own parent has ended (prctl(2),
// PR_SET_CHILD_SUBREAPER), instead of init. Otherwise one that has left its group could not be told from others.
func Adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// EndStrays kills the processes that have left a group started here, as far as their working directory lies in dir or a
// variable of their environment names it, and returns how many. Those whose parents live are no strays yet: it is for
// when what worked in dir has ended.
func EndStrays(dir string) int {
	n := 0
	for range 100 { // what one of them has started becomes ours when it is gone
		strays := adopted(dir)
		if len(strays) == 0 {
			return n
		}
		for _, pid := range strays {
			// Ours until it is reaped, which only this function does, so that the number is no other's.
			_ = unix.Kill(pid, unix.SIGKILL)
			n++
		}
		for _, pid := range strays {
			for start := time.Now(); time.Since(start) < reapTime; time.Sleep(200 * time.Microsecond) {
				if got, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); got != 0 && err != unix.EINTR {
					break
				}
			}
		}
	}
	return n
}

// adopted lists the children of this process that were not started by it and have to do with dir. The kernel gives
// orphans to the first thread. A process started here is in a group with this one, or leads one that is known.
func adopted(dir string) []int {
	leaders.starting.Lock()
	defer leaders.starting.Unlock()
	leaders.mu.Lock()
	defer leaders.mu.Unlock()
	self := os.Getpid()
	children, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", self))
	if err != nil {
		return nil
	}
	ours, _ := unix.Getpgid(0)
	var strays []int
	for _, word := range strings.Fields(string(children)) {
		pid, err := strconv.Atoi(word)
		if err != nil || leaders.pid[pid] {
			continue
		}
		group, err := unix.Getpgid(pid)
		if err != nil || group == ours || leaders.pid[group] || !concerns(pid, dir) {
			continue
		}
		strays = append(strays, pid)
	}
	return strays
}

// concerns tells whether a process works below dir, or was started by one that did.
func concerns(pid int, dir string) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	if wd, err := os.Readlink(proc + "/cwd"); err == nil && (wd == dir || strings.HasPrefix(wd, dir+"/")) {
		return true
	}
	environ, err := os.ReadFile(proc + "/environ")
	return err == nil && bytes.Contains(environ, []byte("="+dir+"/"))
}
