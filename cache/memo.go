package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// A Memo remembers digests of files by what the file system says about them,
// and small facts derived from files by their digest, so that unchanged files
// are not read again. Its methods may be called from any goroutine. A nil Memo
// works and remembers nothing.
type Memo struct {
	path string
	now  func() time.Time
	warn func(msg string)

	mu      sync.RWMutex
	loaded  table                // as on disk, not changed
	from    stat                 // of the file that loaded came from
	files   map[fileID]fileEntry // newer than loaded
	derived map[derivedKey]derivedEntry
	changed bool
}

// A fileID names a file as long as it is not removed.
type fileID struct{ dev, ino uint64 }

type fileEntry struct {
	size         int64
	mtime, ctime int64 // nanoseconds since 1970
	day          uint32
	digest       Digest
}

type derivedKey struct {
	kind   string
	digest Digest
}

type derivedEntry struct {
	value string
	day   uint32
}

// keepDays is how long an entry stays that nobody asks for.
const keepDays = 60

// Memo returns the memo of this cache, which is read on the first call. A
// damaged one is dropped.
func (c *Cache) Memo() *Memo {
	c.memoOnce.Do(func() {
		m := &Memo{path: c.path("memo"), now: c.now, warn: c.warn,
			files: map[fileID]fileEntry{}, derived: map[derivedKey]derivedEntry{}}
		m.loaded, m.from = m.read()
		for k, v := range m.loaded.derived {
			m.derived[k] = v
		}
		c.memo = m
	})
	return c.memo
}

// read returns what is on disk, or nothing.
func (m *Memo) read() (table, stat) {
	b, err := readOnce(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return table{}, stat{}
	}
	var t table
	if err == nil {
		t, err = decodeTable(b)
	}
	if err != nil {
		m.warn(fmt.Sprintf("cache: the memo of file digests is not usable (%v); files are read again", err))
		m.changed = true // so that Save replaces it
		return table{}, stat{}
	}
	from, _ := statPath(m.path)
	return t, from
}

// Len returns the number of files remembered.
func (m *Memo) Len() int {
	if m == nil {
		return 0
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	n := m.loaded.len()
	for id := range m.files {
		if _, ok := m.loaded.find(id); !ok {
			n++
		}
	}
	return n
}

// File returns the digest and size in bytes of a regular file, following
// symbolic links. It reads the file only when its device, inode, size or times
// are new. A file that was written within the last two seconds is read each
// time. A file that keeps changing while it is read is an error.
func (m *Memo) File(path string) (Digest, int64, error) {
	s, err := statPath(path)
	if err != nil {
		return Digest{}, 0, err
	}
	if d, ok := m.find(s); ok {
		return d, s.size, nil
	}
	for range 3 {
		d, s, ok, err := read(path)
		if err != nil {
			return Digest{}, 0, err
		}
		if ok {
			m.put(s, d)
			return d, s.size, nil
		}
	}
	return Digest{}, 0, fmt.Errorf("%s: changes all the time while it is read", path)
}

// read digests the file at path. ok is false when it changed meanwhile.
func read(path string) (d Digest, s stat, ok bool, err error) {
	s, err = statPath(path)
	if err != nil {
		return d, s, false, err
	}
	if !s.isRegular() { // opening a pipe would wait for ever
		return d, s, false, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return d, s, false, err
	}
	defer f.Close()
	before, err := statFile(f)
	if err != nil {
		return d, s, false, err
	}
	d, size, err := digest(f)
	if err != nil {
		return d, s, false, err
	}
	after, err := statFile(f)
	if err != nil {
		return d, s, false, err
	}
	return d, after, before == after && size == after.size, nil
}

func (m *Memo) find(s stat) (Digest, bool) {
	if m == nil {
		return Digest{}, false
	}
	id := fileID{s.dev, s.ino}
	m.mu.RLock()
	e, ok := m.files[id]
	if !ok {
		e, ok = m.loaded.find(id)
	}
	m.mu.RUnlock()
	if !ok || e.size != s.size || e.mtime != s.mtime || e.ctime != s.ctime {
		return Digest{}, false
	}
	if today := m.today(); e.day != today {
		e.day = today
		m.mu.Lock()
		m.files[id] = e
		m.changed = true
		m.mu.Unlock()
	}
	return e.digest, true
}

func (m *Memo) put(s stat, d Digest) {
	if m == nil || !s.settled(m.now()) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[fileID{s.dev, s.ino}] = fileEntry{s.size, s.mtime, s.ctime, m.today(), d}
	m.changed = true
}

// Derived returns what PutDerived kept of this kind for the bytes with digest
// d. kind names the rule that makes the value from the bytes, with its version.
func (m *Memo) Derived(kind string, d Digest) (string, bool) {
	if m == nil {
		return "", false
	}
	m.mu.RLock()
	e, ok := m.derived[derivedKey{kind, d}]
	m.mu.RUnlock()
	if ok && e.day != m.today() {
		m.PutDerived(kind, d, e.value)
	}
	return e.value, ok
}

// PutDerived keeps a value, at most a few KiB, that depends on nothing but kind
// and the bytes with digest d.
func (m *Memo) PutDerived(kind string, d Digest, value string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.derived[derivedKey{kind, d}] = derivedEntry{value, m.today()}
	m.changed = true
}

func (m *Memo) today() uint32 {
	return uint32(max(0, m.now().Unix()) / (24 * 60 * 60))
}
