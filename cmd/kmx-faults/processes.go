//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ours are the processes that somebody here waits for.
var ours = waited{pids: map[int]bool{}}

type waited struct {
	mu   sync.Mutex
	pids map[int]bool
}

func (w *waited) add(pid int)    { w.mu.Lock(); defer w.mu.Unlock(); w.pids[pid] = true }
func (w *waited) remove(pid int) { w.mu.Lock(); defer w.mu.Unlock(); delete(w.pids, pid) }
func (w *waited) has(pid int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pids[pid]
}

// A process is one that descends from this one. Orphans do, too: this process
// is who they come to.
type process struct {
	pid, parent int
	name        string
	dead        bool // and not waited for yet
}

// descendants lists all processes that this one started, directly or not, and
// that still run. Dead orphans are reaped on the way.
func descendants() []process {
	all := map[int]process{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, ok := readProcess(pid); ok {
			all[pid] = p
		}
	}
	self := os.Getpid()
	var list []process
	for pid, p := range all {
		up := p.parent
		for up > 1 && up != self {
			up = all[up].parent
		}
		switch {
		case up != self || pid == self:
		case p.dead:
			if p.parent == self && !ours.has(pid) {
				syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			}
		default:
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b process) int { return a.pid - b.pid })
	return list
}

func readProcess(pid int) (process, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if err != nil || open < 0 || end < open {
		return process{}, false
	}
	fields := strings.Fields(string(b[end+1:]))
	if len(fields) < 2 {
		return process{}, false
	}
	parent, err := strconv.Atoi(fields[1])
	return process{pid: pid, parent: parent, name: string(b[open+1 : end]), dead: fields[0] == "Z" || fields[0] == "X"}, err == nil
}

// killAll kills every descendant at once, also those that are started meanwhile.
func killAll() {
	for range 100 {
		list := descendants()
		if len(list) == 0 {
			return
		}
		for _, p := range list {
			syscall.Kill(p.pid, syscall.SIGSTOP) // so that nobody tells of another's death
		}
		for _, p := range list {
			syscall.Kill(p.pid, syscall.SIGKILL)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// compilers are the processes that a kmx has started.
func compilers(kmx int) []process {
	return slices.DeleteFunc(descendants(), func(p process) bool {
		return p.pid == kmx || strings.HasPrefix(p.name, "kmx")
	})
}

// settledProcesses waits a moment for processes that are just ending and lists
// those that do not.
func settledProcesses() []process {
	var list []process
	for range 40 {
		if list = descendants(); len(list) == 0 {
			return nil
		}
		time.Sleep(25 * time.Millisecond)
	}
	return list
}
