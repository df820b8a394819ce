package cache

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kmx/internal/durable"
)

// What is kept of what only people read. Files of the last day always stay.
const (
	quarantineFiles = 200
	quarantineBytes = 64 << 20
	quarantineAge   = 30 * 24 * time.Hour
	logFiles        = 100 // of each checkout
	logBytes        = 256 << 20
	logAge          = 60 * 24 * time.Hour
)

// bound removes old and surplus files of quarantine and logs, and the state of
// checkouts that are gone.
func (c *Cache) bound(look bool, now time.Time, done *Collected) {
	done.Quarantined = trim(c.path("quarantine"), quarantineFiles, quarantineBytes, quarantineAge, now, look)
	states, _ := os.ReadDir(c.path("state"))
	for _, s := range states {
		dir := c.path("state", s.Name())
		if forgotten(dir, now) {
			done.States++
			if !look {
				durable.RemoveTree(dir)
			}
			continue
		}
		done.Logs += trim(filepath.Join(dir, "log"), logFiles, logBytes, logAge, now, look)
	}
}

// trim removes the oldest files of a folder, and returns how many.
func trim(dir string, files int, bytes int64, age time.Duration, now time.Time, look bool) (gone int) {
	entries, _ := os.ReadDir(dir)
	var infos []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { // the newest first
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for i, info := range infos {
		bytes -= info.Size()
		old := now.Sub(info.ModTime())
		if old < recent || old <= age && i < files && bytes >= 0 {
			continue
		}
		if look || durable.RemoveTree(filepath.Join(dir, info.Name())) == nil {
			gone++
		}
	}
	return gone
}

// forgotten tells whether a state folder is that of a checkout that is gone,
// and was not written to for as long as logs are kept.
func forgotten(dir string, now time.Time) bool {
	b, err := os.ReadFile(filepath.Join(dir, "checkout"))
	if err != nil {
		return false
	}
	root := strings.TrimSuffix(string(b), "\n")
	if _, err := os.Lstat(root); !filepath.IsAbs(root) || !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	newest := time.Time{}
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil {
			if info, err := e.Info(); err == nil && info.ModTime().After(newest) {
				newest = info.ModTime()
			}
		}
		return nil
	})
	return now.Sub(newest) > logAge
}
