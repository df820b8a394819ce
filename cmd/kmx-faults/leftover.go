//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// What killed processes have left behind over a long time.
func leftoverRows() []row {
	const many = 10000
	fill := func(o *outcome, dir, format string, old bool) {
		if !o.check(os.MkdirAll(dir, 0o755)) {
			return
		}
		then := time.Now().Add(-48 * time.Hour)
		for i := range many {
			name := filepath.Join(dir, fmt.Sprintf(format, i))
			if !o.check(os.WriteFile(name, []byte("half of something"), 0o644)) {
				return
			}
			if old && !o.check(os.Chtimes(name, then, then)) {
				return
			}
		}
	}
	var list []row
	for _, c := range []struct {
		name, place, format string
		old                 bool
	}{
		{"10,000 old temporary files in the cache", "cache", ".kmx-tmp-1-%016x", true},
		{"10,000 temporary files of a moment ago in the cache", "cache", ".kmx-tmp-1-%016x", false},
		{"10,000 temporary files in the state of the checkout", "state", ".kmx-tmp-1-%016x", false},
		{"10,000 temporary files in dist", "dist", ".kmx-tmp-1-%016x", false},
		{"10,000 temporary files in a folder of dist/dev", "dev", ".kmx-tmp-1-%016x", false},
		{"10,000 locks of dead processes", "lock", "%064x", false},
		{"10,000 sandboxes' locks of dead processes", "tmp", "p4000000-%d.lock", false},
	} {
		list = append(list, row{name: c.name, run: func(l *lab, o *outcome) {
			s, err := l.site("site")
			if !o.check(err) {
				return
			}
			for _, args := range [][]string{{"build", "toy+*"}, {"release"}} {
				if e := s.do(args...); e.code != 0 {
					o.problem("%s before: %s", args[0], tail(e.text))
				}
			}
			state, err := s.store("state/*")
			o.check(err)
			dir := map[string]string{
				"cache": s.cache, "lock": filepath.Join(s.cache, "lock"), "tmp": filepath.Join(s.cache, "tmp"), "state": state,
				"dist": s.path("dist"), "dev": s.path("dist/dev/gfx1101"),
			}[c.place]
			fill(o, dir, c.format, c.old)
			o.check(s.edit(headerFile, "STEP 1", "STEP 4"))
			e := s.do("build", "toy+*")
			o.see(s, e, "12 cells: 12 built", 0)
			e = s.do("release")
			o.see(s, e, releaseName+": 4 sets, 12 objects, stamped", 0)
			o.Note = fmt.Sprintf("a release that takes them away and builds nothing: %.1f s", e.took.Seconds())
			if e.took > 10*time.Second {
				o.problem("it takes %s", e.took)
			}
			o.after(s, true)
		}})
	}
	return append(list, row{name: "1,000 sandboxes of dead processes", run: func(l *lab, o *outcome) {
		s, err := l.site("site")
		if !o.check(err) {
			return
		}
		for i := range 1000 {
			dir := filepath.Join(s.cache, "tmp", fmt.Sprintf("p4000000-%d", i), "action1", "include")
			if !o.check(os.MkdirAll(dir, 0o755)) || !o.check(os.WriteFile(filepath.Join(dir, "kernel.h"), nil, 0o444)) {
				return
			}
		}
		e := s.do("release")
		o.see(s, e, "12 cells: 12 built", 0)
		o.after(s, false)
	}})
}
