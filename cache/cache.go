package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"kmx/internal/durable"
)

// A Cache is one folder of blobs and records. Its methods may be called from
// any goroutine.
type Cache struct {
	dir  string
	now  func() time.Time
	warn func(msg string)

	memoOnce sync.Once
	memo     *Memo

	sandbox sandbox
	apart   atomic.Bool // tmp lies in another file system than the rest
}

// tag marks the folder for backup programs, see bford.info/cachedir.
const tag = "Signature: 8a477f597d28d172789f06886806bc55\n" +
	"# The cache of kmx. It can be removed at any time.\n"

// DefaultDir returns the folder of the cache: KMX_CACHE when set, else the
// folder kmx in the user's cache directory.
func DefaultDir() (string, error) {
	if dir := os.Getenv("KMX_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place for the cache: %w; set KMX_CACHE to a folder", err)
	}
	return filepath.Join(dir, "kmx"), nil
}

// Open makes the cache in dir ready, creating what is missing, and sweeps what
// dead processes left. warn (may be nil) is told, one line at a time, of
// damage that was found and what became of it.
func Open(dir string, warn func(msg string)) (*Cache, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	c := &Cache{dir: dir, now: time.Now, warn: func(msg string) {
		if warn != nil {
			mu.Lock()
			defer mu.Unlock()
			warn(msg)
		}
	}}
	for _, sub := range []string{"cas", "act", "tmp", "lock", "quarantine", "state"} {
		// Mkdir first: in the usual case all of them are there.
		if err := os.Mkdir(c.path(sub), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			if err := os.MkdirAll(c.path(sub), 0o777); err != nil {
				return nil, fmt.Errorf("open the cache: %w", err)
			}
		}
	}
	if _, err := os.Lstat(c.path("CACHEDIR.TAG")); errors.Is(err, fs.ErrNotExist) {
		if err := writeFile(c.path("CACHEDIR.TAG"), []byte(tag)); err != nil {
			return nil, fmt.Errorf("open the cache: %w", err)
		}
	}
	c.sweep()
	return c, nil
}

// Close removes the sandboxes of this process. A process that is killed leaves
// them to the next Open.
func (c *Cache) Close() error { return c.sandbox.close() }

// Dir returns the absolute path of the cache's folder.
func (c *Cache) Dir() string { return c.dir }

// State returns the folder, made when missing, for what belongs to one
// checkout: logs, history and snapshots.
func (c *Cache) State(projectRoot string) (string, error) {
	root, err := filepath.Abs(projectRoot)
	if err != nil {
		return "", err
	}
	dir := stateDir(c.dir, root)
	if err := os.Mkdir(dir, 0o777); err == nil || !errors.Is(err, fs.ErrExist) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return "", err
		}
		// For people who look at the folder, and to drop the state of
		// checkouts that are gone.
		if err := writeFile(filepath.Join(dir, "checkout"), []byte(root+"\n")); err != nil {
			return "", err
		}
	}
	durable.SweepTemps(dir)
	return dir, nil
}

func (c *Cache) path(elem ...string) string {
	return filepath.Join(append([]string{c.dir}, elem...)...)
}

// file returns where a blob ("cas") or record ("act") lies.
func (c *Cache) file(kind string, d Digest) string {
	name := d.String()
	return c.dir + sep + kind + sep + name[:2] + sep + name
}

const sep = string(filepath.Separator)

// put writes one new blob or record: fill writes its bytes, from the first one
// each time it is called, and says whose they are.
func (c *Cache) put(kind string, fill func(t *durable.Temp) (Digest, error)) error {
	if !c.apart.Load() {
		// Among the sandboxes, where the next Open sweeps it if this process dies.
		err := c.putFrom(c.SandboxRoot(), kind, fill)
		if errors.Is(err, fs.ErrNotExist) { // the cache is closed, or was removed under us
			if err := os.MkdirAll(c.path("tmp"), 0o777); err != nil {
				return err
			}
			err = c.putFrom(c.path("tmp"), kind, fill)
		}
		if !errors.Is(err, syscall.EXDEV) {
			return err
		}
		c.apart.Store(true) // tmp is a file system of its own
	}
	return c.putFrom(c.dir, kind, fill)
}

func (c *Cache) putFrom(dir, kind string, fill func(t *durable.Temp) (Digest, error)) error {
	t, err := durable.NewTemp(dir)
	if err != nil {
		return err
	}
	defer t.Discard()
	d, err := fill(t)
	if err != nil {
		return err
	}
	path := c.file(kind, d)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return t.Commit(path, 0)
}

// usedAge is how old the sign of use of a blob or record may get before it is
// renewed; much less than the day that the collector spares, and rare enough
// to cost nothing.
const usedAge = time.Hour

// used renews the sign of use (the modification time) of a file. It reports
// whether the file is still there: a collector may just have taken it.
func (c *Cache) used(path string, info fs.FileInfo) bool {
	now := c.now()
	if age := now.Sub(info.ModTime()); age > usedAge || age < -usedAge {
		os.Chtimes(path, now, now) // only a hint: a read-only cache still serves
		// The file that got the time may have been in the collector's hands by
		// then, and found unused. One that is here now is found used.
		_, err := os.Lstat(path)
		return err == nil
	}
	return true
}

// quarantine takes a damaged blob or record out of the way. opened is the file
// in which the damage was seen: another process may have put a good one in its
// place since.
func (c *Cache) quarantine(kind string, d Digest, opened fs.FileInfo, why string) {
	what := map[string]string{"cas": "blob", "act": "record"}[kind]
	path := c.file(kind, d)
	there, err := os.Lstat(path)
	if err != nil || opened != nil && !os.SameFile(there, opened) {
		return
	}
	to := c.path("quarantine", what+"-"+d.String())
	if err := os.Rename(path, to); err != nil {
		if gone := os.RemoveAll(path); gone != nil {
			c.warn(fmt.Sprintf("cache: %s %s is damaged (%s) and cannot be removed: %v; it is not used", what, d.short(), why, gone))
			return
		}
		to = "nowhere, it is removed"
	}
	c.warn(fmt.Sprintf("cache: %s %s is damaged (%s), moved to %s; it is made again", what, d.short(), why, to))
}
