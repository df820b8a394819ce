//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// settle waits until files written before it are old enough for their stats to
// be trusted: only then is there anything to be fooled.
func settle() { time.Sleep(2100 * time.Millisecond) }

// A kind is one kind of file that can be damaged.
type kind struct {
	name    string
	pattern string // in the cache, or in dist
	dist    bool
	// says is what a release says of it when it is read; "": nothing is said, as
	// nothing is lost.
	says string
	// make puts one there, where none lies around.
	make func(s *site) error
}

func kinds() []kind {
	return []kind{
		{name: "a blob", pattern: "cas/*/*", says: "blob .* is damaged"},
		{name: "a record", pattern: "act/*/*", says: "record .* is damaged"},
		{name: "the memo of digests", pattern: "memo", says: "the memo of file digests is not usable"},
		{name: "the history", pattern: "state/*/history.jsonl"},
		{name: "the snapshot", pattern: "state/*/*.snapshot", says: "the snapshot of the last run"},
		{name: "an event log", pattern: "state/*/log/*"},
		{name: "a toolchain's list of files", pattern: "state/*/toolchains/*"},
		{name: "the name of the checkout", pattern: "state/*/checkout"},
		{name: "a pin", pattern: "pins/*"},
		{name: "the account of the last collection", pattern: "collected"},
		{name: "the tag of the cache", pattern: "CACHEDIR.TAG"},
		{name: "a lock of a dead process", pattern: "lock/dead", make: func(s *site) error {
			return os.WriteFile(filepath.Join(s.cache, "lock", "dead"), []byte("pid 1 (kmx), since 00:00:00\n"), 0o644)
		}},
		{name: "an object", pattern: "gfx1101/add.hsaco", dist: true},
		{name: "the manifest of a set", pattern: "accuracy/gfx1201/manifest.json", dist: true},
		{name: "the manifest of the release", pattern: "manifest.json", dist: true},
		{name: "a marker", pattern: "accuracy/gfx1101/d4r-accuracy.txt", dist: true},
		{name: "the list of kernels", pattern: "gfx1201/d4r-kernels.txt", dist: true},
	}
}

// A way is one way to damage a file.
type way struct {
	name string
	do   func(path string, r *rand.Rand) error
}

func ways() []way {
	return []way{
		{"one bit flipped", func(path string, r *rand.Rand) error {
			return rewrite(path, func(b []byte) []byte {
				if len(b) > 0 {
					b[r.IntN(len(b))] ^= 1 << r.IntN(8)
				}
				return b
			})
		}},
		{"cut at a random byte", func(path string, r *rand.Rand) error {
			return rewrite(path, func(b []byte) []byte { return b[:r.IntN(max(1, len(b)))] })
		}},
		{"empty", func(path string, _ *rand.Rand) error { return os.Truncate(path, 0) }},
		{"a folder in its place", func(path string, _ *rand.Rand) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o755)
		}},
	}
}

// rewrite changes a file where it lies: inode and name stay.
func rewrite(path string, change func([]byte) []byte) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, change(b), 0)
}

func damageRows() []row {
	var list []row
	for _, k := range kinds() {
		place := "cache"
		if k.dist {
			place = "dist"
		}
		list = append(list, row{name: fmt.Sprintf("damage in the %s: %s", place, k.name), run: func(l *lab, o *outcome) { k.damage(l, o) }})
	}
	return list
}

// damage damages a file of the kind in every way, releases, and checks what
// follows. Where the release reads the cache it is first made to: dist is
// removed. Damage in dist has to be noticed by the shortcut of a release that
// has nothing to do.
func (k kind) damage(l *lab, o *outcome) {
	r := l.random(k.name)
	s, err := l.site("site")
	if !o.check(err) {
		return
	}
	settle()
	if e := s.do("release"); e.code != 0 {
		o.problem("the release before: %s", tail(e.text))
		return
	}
	for _, w := range ways() {
		if k.make != nil && !o.check(k.make(s)) {
			return
		}
		var path string
		if k.dist {
			path = s.path("dist/" + releaseName + "/" + k.pattern)
			settle()
		} else if path, err = s.store(k.pattern); !o.check(err) {
			return
		}
		before := len(o.Problems)
		if !o.check(w.do(path, r)) {
			return
		}
		if !k.dist && k.pattern != "state/*/*.snapshot" {
			o.check(os.RemoveAll(s.path("dist")))
		}
		e := s.do("release")
		// A cut or a flip can hit nothing: the last line feed of a text.
		o.see(s, e, "", 0)
		if k.says != "" {
			if line := e.line(s, k.says); line != "" {
				o.line(line)
			} else {
				o.problem("no line says %q: %s", k.says, tail(e.text))
			}
		}
		is, err := readTree(s.path("dist"))
		o.check(err)
		for _, d := range is.differs(l.Want["release"]) {
			o.problem("the release itself: %s", d)
		}
		o.after(s, false)
		for j := before; j < len(o.Problems); j++ {
			o.Problems[j] = w.name + ": " + o.Problems[j]
		}
	}
	o.trim()
}
