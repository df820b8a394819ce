package cache

import (
	"fmt"
	"io/fs"
	"path/filepath"
)

// Stats counts what is in a cache.
type Stats struct {
	Dir         string
	Blobs       int
	Records     int
	Bytes       int64 // of blobs and records
	Quarantined int   // damaged files kept for a look
	MemoEntries int
}

// Stats walks the cache. What other processes add or remove meanwhile may or
// may not be counted.
func (c *Cache) Stats() (Stats, error) {
	s := Stats{Dir: c.dir, MemoEntries: c.Memo().Len()}
	count := func(kind string, n *int) error {
		return filepath.WalkDir(c.path(kind), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() {
				return nil
			}
			if info, err := e.Info(); err == nil {
				*n++
				s.Bytes += info.Size()
			}
			return nil
		})
	}
	for kind, n := range map[string]*int{"cas": &s.Blobs, "act": &s.Records} {
		if err := count(kind, n); err != nil {
			return s, fmt.Errorf("count what is in the cache: %w", err)
		}
	}
	bytes := s.Bytes
	err := count("quarantine", &s.Quarantined)
	s.Bytes = bytes
	if err != nil {
		return s, fmt.Errorf("count what is in the cache: %w", err)
	}
	return s, nil
}

// String describes the cache for people, over several lines.
func (s Stats) String() string {
	return fmt.Sprintf("cache %s\n  blobs        %d\n  records      %d\n  size         %s\n  file digests %d\n  quarantined  %d\n",
		s.Dir, s.Blobs, s.Records, size(s.Bytes), s.MemoEntries, s.Quarantined)
}

func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
