//go:build !linux

package cache

import "syscall"

var errNotDir error = syscall.ENOTDIR

// A checker compares groups on one goroutine.
type checker struct{}

// group returns the first difference in g, or nothing.
func (checker) group(g group) string {
	for len(g.entries) > 0 {
		want, absent, name, ok := g.next()
		if !ok {
			return "the snapshot of the last run is not usable: an entry is damaged"
		}
		path := text(g.dir) + text(name)
		is, err := statPath(path)
		if diff := differs(path, want, absent, is, err); diff != "" {
			return diff
		}
	}
	return ""
}
