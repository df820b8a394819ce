//go:build linux

package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// The clock of a machine cannot be set for one process: a time namespace moves
// the clocks that count from the start of the machine, not the time of day. What
// a clock that was set back leaves behind can be made, though: files from the
// future. Only the times of change (ctime) stay true.
func clockRows() []row {
	return []row{
		{name: "clock set back by a day: everything is from the future", run: func(l *lab, o *outcome) { o.dated(l, 24*time.Hour) }},
		{name: "clock set back by ten years", run: func(l *lab, o *outcome) { o.dated(l, 3653*24*time.Hour) }},
		{name: "clock set forth by ten years: everything is old", run: func(l *lab, o *outcome) { o.dated(l, -3653*24*time.Hour) }},
		{name: "an edit whose size and time are those of the file before", run: func(l *lab, o *outcome) {
			s, err := l.site("site")
			if !o.check(err) {
				return
			}
			settle()
			if e := s.do("release"); e.code != 0 {
				o.problem("the release before: %s", tail(e.text))
			}
			settle()
			info, err := os.Stat(s.path(headerFile))
			if o.check(err) && o.check(s.edit(headerFile, "STEP 1", "STEP 2")) {
				o.check(os.Chtimes(s.path(headerFile), info.ModTime(), info.ModTime()))
			}
			o.see(s, s.do("release"), "12 cells: 12 built", 0)
			o.after(s, false)
		}},
		{name: "uptime set back (a time namespace)", run: func(l *lab, o *outcome) {
			s, err := l.site("site")
			if !o.check(err) {
				return
			}
			unshare, err := exec.LookPath("unshare")
			if err != nil {
				o.Missing = "there is no unshare, which starts a program in a time namespace"
				return
			}
			var now unix.Timespec
			o.check(unix.ClockGettime(unix.CLOCK_MONOTONIC, &now))
			argv := []string{"--time", fmt.Sprintf("--monotonic=-%d", now.Sec-1), fmt.Sprintf("--boottime=-%d", now.Sec-1)}
			if os.Geteuid() != 0 {
				argv = append(argv, "--user", "--map-root-user")
			}
			if out, err := exec.Command(unshare, append(argv, "true")...).CombinedOutput(); err != nil {
				o.Missing = fmt.Sprintf("no time namespace: %s", tail(string(out)))
				return
			}
			settle()
			if e := s.do("release"); e.code != 0 {
				o.problem("the release before: %s", tail(e.text))
			}
			o.check(os.RemoveAll(s.path("dist")))
			e := s.launch(unshare, append(argv, l.Kmx, "release")...).wait()
			o.see(s, e, "12 cells: 0 built, 12 cached", 0)
			o.after(s, false)
		}},
	}
}

// dated gives every file of checkout, cache and dist a time that far in the
// future, then releases, edits, collects and releases again.
func (o *outcome) dated(l *lab, ahead time.Duration) {
	s, err := l.site("site")
	if !o.check(err) {
		return
	}
	if e := s.do("release"); e.code != 0 {
		o.problem("the release before: %s", tail(e.text))
	}
	date := func() {
		then := time.Now().Add(ahead)
		for _, root := range []string{s.dir, s.cache} {
			o.check(filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				return os.Chtimes(path, then, then)
			}))
		}
	}
	date()
	o.see(s, s.do("release"), releaseName+": 4 sets, 12 objects, stamped", 0)
	date()
	if !o.check(s.edit(headerFile, "STEP 1", "STEP 3")) {
		return
	}
	o.check(os.Chtimes(s.path(headerFile), time.Now().Add(ahead), time.Now().Add(ahead)))
	o.see(s, s.do("release"), "12 cells: 12 built", 0)
	date()
	// What a release in use is made of stays, whatever its times.
	if e := s.do("cache:gc", "-age=1h", "-size=0"); e.code != 0 {
		o.problem("cache:gc ends with %s: %s", e.exit(), tail(e.text))
	}
	o.check(os.RemoveAll(s.path("dist")))
	o.see(s, s.do("release"), "12 cells: 0 built, 12 cached", 0)
	o.after(s, false)
}
