package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A Snapshot is the shortcut of a run that has nothing to do: the stats of
// everything the last run read and made, every environment variable it read,
// and its answer. If all of that still holds, the answer does too.
//
// Call NewSnapshot before anything is read. A file that was written later than
// two seconds before that moment may have been read in another state than the
// one that is added here, so the snapshot is then saved as not to be trusted:
// the next run works without the shortcut. Its methods may be called from any
// goroutine.
type Snapshot struct {
	start time.Time
	now   func() time.Time

	mu      sync.Mutex
	entries map[entryKey]entry
	env     map[string]envEntry
	answer  []byte
	doubt   string // why it is not to be trusted, the first reason
}

type entryKey struct {
	path   string
	absent bool
}

type entry struct {
	path   string // absolute
	absent bool
	stat
}

type envEntry struct {
	set    bool
	digest Digest // of the value: values may be secret
}

// NewSnapshot begins a snapshot.
func NewSnapshot() *Snapshot { return newSnapshot(time.Now) }

func newSnapshot(now func() time.Time) *Snapshot {
	return &Snapshot{start: now(), now: now,
		entries: map[entryKey]entry{}, env: map[string]envEntry{}}
}

// AddFile adds a file that this run read. Adding a path again does nothing.
func (s *Snapshot) AddFile(path string) { s.add(path, true) }

// AddDir adds a folder whose names this run read. An entry that is made,
// removed or renamed in it breaks the snapshot, an entry that is written does
// not.
func (s *Snapshot) AddDir(path string) { s.add(path, true) }

// AddOutput adds a file or folder that this run wrote, in the state in which
// the run left it. That it is young is no reason to doubt it.
func (s *Snapshot) AddOutput(path string) { s.add(path, false) }

// AddAbsent adds a path at which this run found nothing.
func (s *Snapshot) AddAbsent(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, ok := s.abs(path)
	if !ok {
		return
	}
	if _, err := statPath(path); !gone(err) {
		s.refuse("%s has appeared during the run", path)
		return
	}
	s.entries[entryKey{path, true}] = entry{path: path, absent: true}
}

// AddEnv adds an environment variable that this run read.
func (s *Snapshot) AddEnv(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.env[name] = lookEnv(name)
}

// SetAnswer sets what CheckSnapshot returns while everything holds.
func (s *Snapshot) SetAnswer(answer []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = append([]byte(nil), answer...)
}

// Doubt makes the snapshot one that is not to be trusted, for a reason that
// stats cannot tell.
func (s *Snapshot) Doubt(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse(format, args...)
}

func (s *Snapshot) add(path string, input bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, ok := s.abs(path)
	if !ok {
		return
	}
	key := entryKey{path, false}
	if _, have := s.entries[key]; have {
		return
	}
	st, err := statPath(path)
	if err != nil {
		s.refuse("%v", err)
		return
	}
	if input && !(st.settled(s.start) && settledLink(path, s.start)) {
		s.refuse("%s was written just before the run or during it", path)
	}
	if !input && st.coarse() && !st.settled(s.now()) {
		s.refuse("the file system of %s keeps times in whole seconds only", path)
	}
	s.entries[key] = entry{path: path, stat: st}
}

// settledLink reports whether path, if it is a symbolic link, was not turned
// elsewhere lately: what it leads to now may be old, and not what was read.
func settledLink(path string, now time.Time) bool {
	info, err := os.Lstat(path)
	return err != nil || info.Mode()&fs.ModeSymlink == 0 || info.ModTime().Before(now.Add(-safetyWindow))
}

// coarse reports whether times are kept in whole seconds, as far as one file
// can tell.
func (s stat) coarse() bool { return s.mtime%1e9 == 0 && s.ctime%1e9 == 0 }

// abs makes path independent of the working directory. Caller holds mu.
func (s *Snapshot) abs(path string) (string, bool) {
	p, err := filepath.Abs(path)
	if err != nil || strings.ContainsRune(p, 0) || len(p) > maxPath {
		s.refuse("%q cannot be watched", path)
		return "", false
	}
	return p, true
}

func (s *Snapshot) refuse(format string, args ...any) {
	if s.doubt == "" {
		s.doubt = fmt.Sprintf(format, args...)
	}
}

func lookEnv(name string) envEntry {
	v, set := os.LookupEnv(name)
	return envEntry{set, Sum([]byte(v))}
}

// gone reports whether an error of stat means that nothing is there.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir)
}
