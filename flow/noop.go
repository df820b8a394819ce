package flow

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"kmx/cache"
	"kmx/plan"
	"kmx/release"
	"kmx/toolchains"
)

// snapshotName is the file that holds the last answer that this program gave to
// a verb with these choices. The small program of the front door looks for it
// too.
func (p *Project) snapshotName(verb, choices string) (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	return cache.SnapshotPath(p.Root, exe, verb, choices)
}

// unchanged gives the last answer of a verb if everything that answer was made
// from is as it was: no file is read but the snapshot. Otherwise why says what
// is not.
func (p *Project) unchanged(verb, choices string) (answer []byte, why string, ok bool, err error) {
	name, err := p.snapshotName(verb, choices)
	if err != nil {
		return nil, "", false, err
	}
	answer, why, ok = cache.CheckSnapshot(name)
	return answer, why, ok, nil
}

// remember completes the snapshot of everything that an answer was made from:
// the matrix, the sources and every place a header was looked for in, the
// toolchains, the libraries, the environment, the outputs, and this program.
// What cannot be watched only costs the shortcut.
func (p *Project) remember(s *cache.Snapshot, verb, choices string, d *declared, m *made, dir string, r *release.Release, answer []byte) {
	name, err := p.snapshotName(verb, choices)
	if err != nil {
		return
	}
	w := &watcher{p: p, s: s, memo: p.store.Memo()}
	if exe, err := os.Executable(); err == nil {
		s.AddFile(exe)
	}
	w.matrix(d)
	w.sources(m)
	for _, tc := range m.toolchains {
		w.toolchain(tc)
	}
	for _, path := range libraryPaths(d) {
		w.library(path)
	}
	for _, l := range d.Libraries {
		w.optional(p.approvedFile(l))
	}
	if m.plan.Derived != nil {
		w.optional(p.path(plan.ProofsName))
	}
	for _, e := range d.Env {
		s.AddEnv(e.Name)
	}
	for _, name := range append(toolchains.Environment(), lockedEnv, modulesEnv, foldEnv) {
		s.AddEnv(name)
	}
	w.output(dir, r)
	s.SetAnswer(answer)
	if err := s.Save(name); err != nil {
		p.Warn("the next release will not be instant: " + err.Error())
	}
}

// A watcher adds to a snapshot what an answer was made from. The file system
// vouches for a file that has been left alone since before the run. It does not
// for one whose folder was exchanged meanwhile: all times in the folder that
// came may be old. So what is there now is held against what was read.
type watcher struct {
	p    *Project
	s    *cache.Snapshot
	memo *cache.Memo
}

// file adds a file that was read when it had this digest.
func (w *watcher) file(path string, was cache.Digest) {
	w.s.AddFile(path)
	if is, _, err := w.memo.File(path); err != nil || is != was {
		w.s.Doubt("%s is not what the run read", path)
	}
}

func (w *watcher) matrix(d *declared) {
	for _, f := range d.Files {
		w.file(w.p.path(f.Name), cache.Sum(f.Bytes))
	}
	w.optional(w.p.path(lockFile))
}

// optional adds a file that need not be there; "" is none.
func (w *watcher) optional(path string) {
	if path == "" {
		return
	}
	if _, err := os.Lstat(path); err == nil {
		w.s.AddFile(path)
	} else {
		w.s.AddAbsent(path)
	}
}

func (w *watcher) sources(m *made) {
	read := map[string]cache.Digest{}
	for _, in := range m.plan.Sources() {
		read[in.Path] = in.Content()
	}
	for path, digest := range read {
		w.file(w.p.path(path), digest)
	}
	for _, name := range m.plan.Files {
		w.s.AddFile(w.p.path(name))
	}
	for _, name := range m.plan.Absent {
		path := w.p.path(name)
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			w.s.AddDir(path) // something that is no file: a directory
		} else {
			w.s.AddAbsent(path)
		}
	}
}

func (w *watcher) toolchain(tc *toolchains.Toolchain) {
	for _, f := range tc.Files {
		w.file(f.Path, f.Digest)
	}
	for _, path := range tc.Seen.Present {
		w.s.AddDir(path)
	}
	for _, path := range tc.Seen.Absent {
		w.s.AddAbsent(path)
	}
}

// library adds a library or a folder with libraries directly in it; either may
// be a link.
func (w *watcher) library(path string) {
	w.s.AddFile(path)
	entries, err := os.ReadDir(path)
	if err != nil {
		return // a file
	}
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		if _, err := os.Stat(name); err != nil {
			w.s.AddAbsent(name) // a link that leads nowhere
		} else if !e.IsDir() {
			w.s.AddFile(name)
		}
	}
}

// output adds the release that was written, unless another run has put its own
// in the place since.
func (w *watcher) output(dir string, r *release.Release) {
	_ = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		w.s.AddOutput(name)
		return err
	})
	want, err := r.Encode()
	if err != nil {
		w.s.Doubt("%v", err)
		return
	}
	if is, err := os.ReadFile(filepath.Join(dir, release.ManifestFile)); err != nil || !bytes.Equal(is, want) {
		w.s.Doubt("%s is not what the run wrote", dir)
	}
}
