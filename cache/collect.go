package cache

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"kmx/internal/durable"
)

// Defaults of a collection.
const (
	DefaultSize = 10 << 30 // bytes
	DefaultAge  = 30 * 24 * time.Hour
)

// recent is how long ago something was used at least before it may be
// collected: a day, and what the sign of use may lag behind.
const recent = 24*time.Hour + usedAge

// lowMark is the part of the high-water mark that a collection leaves, in
// percent, so that the next build does not make another one due.
const lowMark = 80

// A Collection says what may go.
type Collection struct {
	Size int64         // high-water mark in bytes: above it, the least recently used goes until 80 % of it are left; negative: no mark
	Age  time.Duration // what was not used for longer goes; 0: age alone is no reason
	Look bool          // remove nothing, say what would be
}

// Collected says what a collection did, or would do.
type Collected struct {
	Time        time.Time `json:"time"`
	Blobs       int       `json:"blobs"` // gone
	Records     int       `json:"records"`
	Bytes       int64     `json:"bytes"`       // of both
	Left        int64     `json:"left"`        // bytes
	Recent      int64     `json:"recent"`      // bytes that would have gone, were they not used within the last day
	Pinned      int64     `json:"pinned"`      // bytes that would have gone, were they not pinned
	Logs        int       `json:"logs"`        // files of logs gone
	Quarantined int       `json:"quarantined"` // files of the quarantine gone
	States      int       `json:"states"`      // checkouts forgotten: they do not exist any more
	Failed      int       `json:"failed"`      // files that could not be removed
}

// ErrCollecting is the error of Collect while another process does it.
var ErrCollecting = errors.New("another process is collecting this cache")

// An item is a blob or record as the collector sees it.
type item struct {
	kind string
	key  Digest
	path string
	size int64
	used time.Time
}

// Collect removes what was not used for long, and the least recently used of
// what is too much, but nothing that was used within the last day or that a
// pin keeps. It can be interrupted at any time and runs beside builds: each
// file is renamed away first, and put back when it was used in that moment.
func (c *Cache) Collect(ctx context.Context, o Collection) (Collected, error) {
	done := Collected{Time: c.now().UTC()}
	lock, err := durable.TryAcquire(c.collector(), c.holder())
	switch {
	case errors.Is(err, errors.ErrUnsupported): // two collectors do twice the work, and no harm
	case err != nil:
		return done, fmt.Errorf("collect the cache: %w", err)
	case lock == nil:
		return done, ErrCollecting
	}
	defer lock.Release()
	keep, err := c.kept(o.Look)
	if err != nil {
		return done, fmt.Errorf("collect the cache: nothing is removed, as it is not known what is to be kept: %w", err)
	}
	items, err := c.items()
	if err != nil {
		return done, fmt.Errorf("collect the cache: %w", err)
	}
	now := c.now()
	going := done.choose(items, o, now, keep)
	if !o.Look && len(going) > 0 {
		if err := c.discard(ctx, going, now.Add(-recent), &done); err != nil {
			return done, err
		}
	} else {
		for _, it := range going {
			done.gone(it)
		}
	}
	c.bound(o.Look, now, &done)
	if !o.Look {
		if b, err := json.Marshal(done); err == nil {
			writeFile(c.path("collected"), append(b, '\n')) // only a hint
		}
	}
	return done, nil
}

// collector is the lock of whoever collects.
func (c *Cache) collector() string { return c.path("lock", "collector") }

// away is where a blob or record is while the collector decides on it.
func (c *Cache) away(kind string, d Digest) string {
	return c.path("tmp", "collected", kind+"-"+d.String())
}

// items lists all blobs and records.
func (c *Cache) items() ([]item, error) {
	var items []item
	for _, kind := range []string{"act", "cas"} {
		err := c.each(kind, func(path, name string, e fs.DirEntry) {
			d, err := ParseDigest(name)
			if err != nil || !e.Type().IsRegular() {
				return // Check tells of it
			}
			if info, err := e.Info(); err == nil {
				items = append(items, item{kind, d, path, info.Size(), info.ModTime()})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}

// each visits every file in the folders of a kind, in the order of their names.
func (c *Cache) each(kind string, visit func(path, name string, e fs.DirEntry)) error {
	folders, err := os.ReadDir(c.path(kind))
	if err != nil {
		return err
	}
	for _, f := range folders {
		folder := c.path(kind, f.Name())
		if !f.IsDir() {
			visit(folder, f.Name(), f)
			continue
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, e := range entries {
			visit(filepath.Join(folder, e.Name()), e.Name(), e)
		}
	}
	return nil
}

// choose picks what goes, and counts what stays and why.
func (done *Collected) choose(items []item, o Collection, now time.Time, keep map[Digest]bool) (going []item) {
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.kind, b.kind), cmp.Compare(a.path, b.path))
	})
	for _, it := range items {
		done.Left += it.size
	}
	take := func(wanted func(item) bool) {
		stay := items[:0]
		for _, it := range items {
			switch {
			case !wanted(it):
				stay = append(stay, it)
			case keep[it.key]:
				done.Pinned += it.size
			case now.Sub(it.used) < recent: // also a time in the future: the clock was set back
				done.Recent += it.size
			default:
				going = append(going, it)
				done.Left -= it.size
			}
		}
		items = stay
	}
	if o.Age > 0 {
		take(func(it item) bool { return now.Sub(it.used) > o.Age })
	}
	if o.Size >= 0 && done.Left > o.Size {
		low := o.Size / 100 * lowMark
		take(func(item) bool { return done.Left > low })
	}
	return going
}

func (done *Collected) gone(it item) {
	done.Bytes += it.size
	if it.kind == "act" {
		done.Records++
	} else {
		done.Blobs++
	}
}

// discard removes what was chosen, if it was not used after limit.
func (c *Cache) discard(ctx context.Context, going []item, limit time.Time, done *Collected) error {
	trash := c.path("tmp", "collected")
	durable.RemoveTree(trash) // of a collector that was killed
	if err := os.MkdirAll(trash, 0o777); err != nil {
		return fmt.Errorf("collect the cache: %w", err)
	}
	defer durable.RemoveTree(trash)
	for _, it := range going {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch gone, err := it.discard(c.away(it.kind, it.key), limit); {
		case err != nil:
			done.Failed++
			done.Left += it.size
			if done.Failed == 1 {
				c.warn(fmt.Sprintf("cache: %v; it stays", err))
			}
		case gone:
			done.gone(it)
		default:
			done.Recent += it.size
			done.Left += it.size
		}
	}
	return nil
}

// discard removes one file. A build that uses it says so by its time, so that
// is looked at once more before it is renamed, and after: what was used between
// goes back. Whoever opens a blob in that moment finds it where it is, see
// openBlob.
func (it item) discard(away string, limit time.Time) (gone bool, err error) {
	info, err := os.Lstat(it.path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || info.ModTime().After(limit) {
		return false, err
	}
	if err := os.Rename(it.path, away); errors.Is(err, syscall.EXDEV) { // tmp is a file system of its own
		return true, os.Remove(it.path)
	} else if err != nil {
		return false, err
	}
	if info, err := os.Lstat(away); err == nil && info.ModTime().After(limit) {
		return false, os.Rename(away, it.path)
	}
	return true, os.Remove(away)
}

// LastCollected returns what the last collection did, by its own account.
func (c *Cache) LastCollected() (Collected, bool) {
	var last Collected
	b, err := os.ReadFile(c.path("collected"))
	if err != nil || json.Unmarshal(b, &last) != nil || last.Time.IsZero() {
		return Collected{}, false
	}
	return last, true
}

// CollectionDue tells whether the last collection is a day ago or more.
func (c *Cache) CollectionDue() bool {
	last, ok := c.LastCollected()
	age := c.now().Sub(last.Time)
	return !ok || age >= 24*time.Hour || age < -time.Hour // in the future: the clock was set back
}
