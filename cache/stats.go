package cache

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Stats counts what is in a cache.
type Stats struct {
	Dir         string
	Blobs       int
	Records     int
	Bytes       int64 // of blobs and records
	MemoEntries int

	Ages  []Share // blobs and records by when they were used last
	Sizes []Share // the same by size

	Quarantined     int // damaged files kept for a look
	QuarantineBytes int64
	Logs            int // of all checkouts
	LogBytes        int64

	Pins      []Pin
	PinError  error // a pin that cannot be understood
	Collected Collected
	Ever      bool // Collected is of a collection
}

// A Share is a part of the blobs and records.
type Share struct {
	Name  string
	Files int
	Bytes int64
}

func (s *Share) add(bytes int64) { s.Files++; s.Bytes += bytes }

const day = 24 * time.Hour

var (
	ageNames  = []string{"last day", "last week", "last month", "last year", "older"}
	ageLimits = []time.Duration{day, 7 * day, 30 * day, 365 * day}

	sizeNames  = []string{"to 4 KiB", "to 64 KiB", "to 1 MiB", "to 16 MiB", "larger"}
	sizeLimits = []int64{4 << 10, 64 << 10, 1 << 20, 16 << 20}
)

// rank is the place of n in rising limits.
func rank[T int64 | time.Duration](n T, limits []T) int {
	for i, limit := range limits {
		if n <= limit {
			return i
		}
	}
	return len(limits)
}

func shares(names []string) []Share {
	s := make([]Share, len(names))
	for i, n := range names {
		s[i].Name = n
	}
	return s
}

// Stats walks the cache. What other processes add or remove meanwhile may or
// may not be counted.
func (c *Cache) Stats() (Stats, error) {
	s := Stats{Dir: c.dir, MemoEntries: c.Memo().Len(), Ages: shares(ageNames), Sizes: shares(sizeNames)}
	now := c.now()
	for kind, n := range map[string]*int{"cas": &s.Blobs, "act": &s.Records} {
		err := c.each(kind, func(_, _ string, e fs.DirEntry) {
			if info, err := e.Info(); err == nil {
				*n++
				s.Bytes += info.Size()
				s.Ages[rank(now.Sub(info.ModTime()), ageLimits)].add(info.Size())
				s.Sizes[rank(info.Size(), sizeLimits)].add(info.Size())
			}
		})
		if err != nil {
			return s, fmt.Errorf("count what is in the cache: %w", err)
		}
	}
	s.Quarantined, s.QuarantineBytes = volume(c.path("quarantine"))
	states, _ := os.ReadDir(c.path("state"))
	for _, e := range states {
		files, bytes := volume(c.path("state", e.Name(), "log"))
		s.Logs += files
		s.LogBytes += bytes
	}
	s.Pins, s.PinError = c.Pins()
	s.Collected, s.Ever = c.LastCollected()
	return s, nil
}

// volume counts the files below a folder; none when there is none.
func volume(dir string) (files int, bytes int64) {
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			files++
			bytes += info.Size()
		}
		return nil
	})
	return files, bytes
}

// String describes the cache for people, over several lines.
func (s Stats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cache %s\n", s.Dir)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-13s%s\n", name, fmt.Sprintf(format, args...))
	}
	line("blobs", "%d", s.Blobs)
	line("records", "%d", s.Records)
	line("size", "%s", Size(s.Bytes))
	for _, list := range []struct {
		title  string
		shares []Share
	}{{"by last use", s.Ages}, {"by size", s.Sizes}} {
		title := list.title
		for _, sh := range list.shares {
			if sh.Files > 0 {
				line(title, "%-11s%d, %s", sh.Name, sh.Files, Size(sh.Bytes))
				title = ""
			}
		}
	}
	line("file digests", "%d", s.MemoEntries)
	line("logs", "%d, %s", s.Logs, Size(s.LogBytes))
	line("quarantined", "%d, %s", s.Quarantined, Size(s.QuarantineBytes))
	title := "pins"
	if len(s.Pins) == 0 {
		line(title, "none")
	}
	for _, p := range s.Pins {
		how := ""
		switch {
		case p.Held:
			how = ", held"
		case p.over():
			how = ", gone; the next collection drops the pin"
		}
		line(title, "%s (%s%s)", p.Dir, plural(len(p.Keys), "record"), how)
		title = ""
	}
	if s.PinError != nil {
		line("", "%v; cache:verify sets it aside", s.PinError)
	}
	if s.Ever {
		line("collected", "%s: %s", s.Collected.Time.Local().Format("2006-01-02 15:04"), s.Collected)
	} else {
		line("collected", "never")
	}
	return b.String()
}

// String says what a collection did, in part of a line.
func (done Collected) String() string {
	text := fmt.Sprintf("%s and %s (%s) removed, %s left", plural(done.Blobs, "blob"), plural(done.Records, "record"), Size(done.Bytes), Size(done.Left))
	for _, part := range []struct {
		n    int
		what string
	}{{done.Logs, "old log"}, {done.Quarantined, "quarantined file"}, {done.States, "lost checkout"}} {
		if part.n > 0 {
			text += ", also " + plural(part.n, part.what)
		}
	}
	if done.Failed > 0 {
		text += fmt.Sprintf(", %s could not be removed", plural(done.Failed, "file"))
	}
	return text
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Size is a number of bytes for people; ParseSize reads it.
type Size int64

func (n Size) String() string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", int64(n))
}
