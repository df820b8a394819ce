//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Several at once.
func togetherRows() []row {
	return []row{
		{name: "two releases at once in one checkout", run: func(l *lab, o *outcome) {
			for range 5 {
				s, err := l.site("site")
				if !o.check(err) {
					return
				}
				a, b := s.start("release"), s.start("release")
				o.both(s, a, b)
				o.after(s, false)
			}
			o.trim()
		}},
		{name: "a release and a build into dist/dev at once", run: func(l *lab, o *outcome) {
			for range 3 {
				s, err := l.site("site")
				if !o.check(err) {
					return
				}
				a, b := s.start("release"), s.start("build", "toy+*")
				o.both(s, a, b)
				o.after(s, true)
			}
			o.trim()
		}},
		{name: "a cache shared by two checkouts that build at once", run: func(l *lab, o *outcome) {
			for range 5 {
				s, err := l.site("site")
				if !o.check(err) {
					return
				}
				other, err := l.site("other")
				if !o.check(err) {
					return
				}
				other.cache = s.cache
				a, b := s.start("release"), other.start("release")
				o.both(s, a, b)
				o.after(s, false)
				o.after(other, false)
			}
			o.trim()
		}},
		{name: "the holder of a lock is killed while another waits", run: func(l *lab, o *outcome) {
			s, err := l.site("site")
			if !o.check(err) || !o.check(l.setFault(fault{Delay: 2 * time.Second})) {
				return
			}
			a := s.start("release")
			waitFor(a, func() bool {
				locks, _ := os.ReadDir(filepath.Join(s.cache, "lock"))
				return len(locks) > 0
			})
			b := s.start("release")
			waitFor(b, func() bool {
				text, _ := os.ReadFile(b.out.Name())
				return strings.Contains(string(text), "waiting for")
			})
			a.cmd.Process.Kill()
			a.wait()
			o.see(s, b.wait(), "waiting for", 0)
			o.after(s, false)
			o.trim()
		}},
		{name: "a collection beside a release", run: func(l *lab, o *outcome) {
			for range 3 {
				s, err := l.site("site")
				if !o.check(err) {
					return
				}
				a := s.start("release")
				for n := 0; ; n++ {
					if e := s.do("cache:gc", "-size=0", "-age=1h"); e.code != 0 {
						o.problem("cache:gc ends with %s: %s", e.exit(), tail(e.text))
					}
					select {
					case <-a.gone:
					default:
						continue
					}
					o.Note = fmt.Sprintf("%d collections meanwhile, or more", n+1)
					break
				}
				o.see(s, a.wait(), "12 cells: 12 built", 0)
				o.after(s, false)
			}
		}},
	}
}

// both waits for two commands that should both succeed, and of which one may
// have waited for the other.
func (o *outcome) both(s *site, a, b *command) {
	for _, e := range []ending{a.wait(), b.wait()} {
		o.see(s, e, "", 0)
		if line := e.line(s, "waiting for"); line != "" {
			o.line(line)
		}
	}
}
