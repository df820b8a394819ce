package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kmx/internal/durable"
)

// A sandbox is the folder below tmp/ that holds the sandboxes of this process.
// Beside it lies a lock file that the process holds as long as it lives: a
// process id alone says nothing when containers share a cache.
type sandbox struct {
	once sync.Once
	dir  string
	lock *durable.Lock
}

// sweepAge is when something in tmp/ whose owner cannot be asked is taken for
// a leftover.
const sweepAge = 24 * time.Hour

// SandboxRoot returns the folder in which this process makes its sandboxes,
// under any names. It is empty at first, and belongs to this process alone:
// Close removes it, or the next Open of any process after this one died.
func (c *Cache) SandboxRoot() string {
	s := &c.sandbox
	s.once.Do(func() {
		tmp := c.path("tmp")
		// Two caches can be open in one process: count until a name is free.
		for i := 0; i < 1000; i++ {
			name := filepath.Join(tmp, fmt.Sprintf("p%d-%d", os.Getpid(), i))
			lock, err := durable.TryAcquire(name+".lock", fmt.Sprintf("pid %d", os.Getpid()))
			if err != nil {
				break
			}
			if lock == nil {
				continue
			}
			endOrphans(name)
			durable.RemoveTree(name) // of a dead process with our id
			if os.Mkdir(name, 0o777) != nil {
				lock.Release()
				break
			}
			s.dir, s.lock = name, lock
			return
		}
		// No locks, or a full or read-only disk. Making a sandbox here works
		// or says clearly why not; age sweeps it.
		s.dir = tmp
	})
	return s.dir
}

func (s *sandbox) close() error {
	var err error
	s.once.Do(func() {}) // no new one from now on
	if s.lock != nil {
		err = durable.RemoveTree(s.dir)
		s.lock.Release()
		s.lock = nil
	}
	return err
}

// sweep removes the sandboxes of dead processes with what still runs in them, old temporary files, and the
// lock files of holders that were killed.
func (c *Cache) sweep() {
	tmp := c.path("tmp")
	entries, err := os.ReadDir(tmp)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		path := filepath.Join(tmp, name)
		switch {
		case strings.HasSuffix(name, ".lock"):
			c.sweepSandbox(strings.TrimSuffix(path, ".lock"))
		case e.IsDir() && strings.HasPrefix(name, "p"):
			// The lock is taken before the folder is made and released after
			// it is removed, so one without the other has no owner.
			c.sweepSandbox(path)
		default:
			if info, err := e.Info(); err == nil && c.now().Sub(info.ModTime()) > sweepAge {
				durable.RemoveTree(path)
			}
		}
	}
	durable.SweepTemps(c.dir)
	durable.SweepTemps(c.path("pins"))
	locks, _ := os.ReadDir(c.path("lock"))
	for _, e := range locks {
		if e.IsDir() { // no lock
			durable.RemoveTree(c.path("lock", e.Name()))
		}
		if l, _ := durable.TryAcquire(c.path("lock", e.Name()), ""); l != nil {
			l.Release()
		}
	}
}

func (c *Cache) sweepSandbox(path string) {
	lock, err := durable.TryAcquire(path+".lock", "sweeping")
	if err != nil {
		if info, err := os.Lstat(path); err == nil && c.now().Sub(info.ModTime()) > sweepAge {
			durable.RemoveTree(path)
		}
		return
	}
	if lock != nil {
		endOrphans(path)
		durable.RemoveTree(path)
		lock.Release()
	}
}
