//go:build linux

package main

import (
	"os"
)

// Disks that are full or read-only. Each row has mounts of its own.
func spaceRows() []row {
	// The last line, which says what helps, rather than the first cell that failed.
	const noSpace = `the disk of the cache is full|(?i)no space left`
	const noWrite = `the cache cannot be written|(?i)read-only file system`
	return []row{
		{name: "full disk: the cache", mounts: true, run: func(l *lab, o *outcome) {
			fill := []int{8, 32, 64, 96, 128, 160}
			o.full(l, fill, noSpace, func(s *site) string { return s.cache })
		}},
		{name: "full disk: the sandboxes (tmp in the cache)", mounts: true, run: func(l *lab, o *outcome) {
			o.full(l, []int{4, 8, 16, 24, 40}, noSpace, func(s *site) string { return s.cache + "/tmp" })
		}},
		{name: "full disk: a compiler fills the sandbox", mounts: true, run: func(l *lab, o *outcome) {
			s, err := l.site("site")
			if !o.check(err) || !o.check(tmpfs(s.cache, 4096)) || !o.check(l.setFault(fault{What: floods, Kernel: "mix"})) {
				return
			}
			o.see(s, s.do("release"), noSpace, 1, 5)
			o.after(s, false)
		}},
		{name: "full disk: dist", mounts: true, run: func(l *lab, o *outcome) {
			o.full(l, []int{0, 16, 48, 80}, noSpace, func(s *site) string { return s.path("dist") })
		}},
		{name: "full disk: dist, a build into dist/dev", mounts: true, run: func(l *lab, o *outcome) {
			s, err := l.site("site")
			if !o.check(err) || !o.check(tmpfs(s.path("dist"), 48)) {
				return
			}
			o.see(s, s.do("build", "toy+*"), noSpace, 5)
			if o.check(grow(s.path("dist"), 1<<16)) {
				o.after(s, true)
			}
		}},
		{name: "read-only: the cache, empty", mounts: true, run: func(l *lab, o *outcome) {
			o.locked(l, false, noWrite, func(s *site) string { return s.cache })
		}},
		{name: "read-only: the cache, with everything in it", mounts: true, run: func(l *lab, o *outcome) {
			o.locked(l, true, noWrite, func(s *site) string { return s.cache })
		}},
		{name: "read-only: the sandboxes (tmp in the cache)", mounts: true, run: func(l *lab, o *outcome) {
			o.locked(l, false, noWrite, func(s *site) string { return s.cache + "/tmp" })
		}},
		{name: "read-only: dist", mounts: true, run: func(l *lab, o *outcome) {
			o.locked(l, false, noWrite, func(s *site) string { return s.path("dist") })
		}},
		{name: "read-only: the whole checkout, nothing to do", mounts: true, run: func(l *lab, o *outcome) {
			s, err := l.site("site")
			if !o.check(err) {
				return
			}
			settle()
			if e := s.do("release"); e.code != 0 {
				o.problem("the release before: %s", tail(e.text))
			}
			if !o.check(readOnly(s.dir)) {
				return
			}
			e := s.do("release")
			o.see(s, e, "toy-1.0: 4 sets, 12 objects, stamped", 0)
			if o.check(unmount(s.dir)) {
				o.after(s, false)
			}
		}},
	}
}

// full runs releases with a small file system in a place, of several sizes in
// KiB, then gives it room.
func (o *outcome) full(l *lab, sizes []int, says string, place func(*site) string) {
	for _, kib := range sizes {
		s, err := l.site("site")
		if !o.check(err) {
			return
		}
		dir := place(s)
		if !o.check(tmpfs(dir, max(kib, 4))) {
			return
		}
		if kib == 0 { // not a page is left
			o.check(os.WriteFile(dir+"/other", make([]byte, 4096), 0o644))
		}
		e := s.do("release")
		if e.code == 0 {
			o.problem("%d KiB are enough", kib)
		}
		o.see(s, e, says, 5)
		os.Remove(dir + "/other")
		if o.check(grow(dir, 1<<16)) {
			o.after(s, false)
		}
		o.check(unmount(dir))
	}
	o.trim()
}

// locked runs a release with a place that is read-only, then makes it writable.
func (o *outcome) locked(l *lab, warm bool, says string, place func(*site) string) {
	s, err := l.site("site")
	if !o.check(err) {
		return
	}
	if warm {
		if e := s.do("release"); e.code != 0 {
			o.problem("the release before: %s", tail(e.text))
		}
		o.check(os.RemoveAll(s.path("dist")))
	}
	dir := place(s)
	if !o.check(readOnly(dir)) {
		return
	}
	o.see(s, s.do("release"), says, 5)
	if o.check(unmount(dir)) {
		o.after(s, false)
	}
}
