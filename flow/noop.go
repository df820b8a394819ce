package flow

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"

	"kmx/cache"
	"kmx/toolchains"
)

// snapshotName is the file that holds the last answer of a verb called with
// these choices.
func (p *Project) snapshotName(verb, choices string) (string, error) {
	state, err := p.state()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(choices))
	return filepath.Join(state, verb+"-"+hex.EncodeToString(sum[:6])+".snapshot"), nil
}

// unchanged gives the last answer of a verb if everything that answer was made
// from is as it was: no file is read but the snapshot. Otherwise why says what
// is not.
func (p *Project) unchanged(verb, choices string) (answer []byte, why string, ok bool) {
	name, err := p.snapshotName(verb, choices)
	if err != nil {
		return nil, err.Error(), false
	}
	return cache.CheckSnapshot(name)
}

// remember completes the snapshot of everything that an answer was made from:
// the matrix, the sources and every place a header was looked for in, the
// toolchains, the libraries, the environment, the outputs, and this program.
// What cannot be watched only costs the shortcut.
func (p *Project) remember(s *cache.Snapshot, verb, choices string, d *declared, m *made, dir string, answer []byte) {
	name, err := p.snapshotName(verb, choices)
	if err != nil {
		return
	}
	if exe, err := os.Executable(); err == nil {
		s.AddFile(exe)
	}
	for _, f := range d.Files {
		s.AddFile(p.path(f.Name))
	}
	if _, err := os.Lstat(p.path(lockFile)); err == nil {
		s.AddFile(p.path(lockFile))
	} else {
		s.AddAbsent(p.path(lockFile))
	}
	for _, name := range m.plan.Files {
		s.AddFile(p.path(name))
	}
	for _, name := range m.plan.Absent {
		if _, err := os.Lstat(p.path(name)); err == nil {
			s.AddDir(p.path(name)) // something that is no file: a directory
		} else {
			s.AddAbsent(p.path(name))
		}
	}
	for _, tc := range m.toolchains {
		for _, f := range tc.Files {
			s.AddFile(f.Path)
		}
		for _, path := range tc.Seen.Present {
			s.AddDir(path)
		}
		for _, path := range tc.Seen.Absent {
			s.AddAbsent(path)
		}
	}
	for _, path := range libraryPaths(d) {
		everything(path, s.AddFile)
	}
	for _, e := range d.Env {
		s.AddEnv(e.Name)
	}
	for _, name := range append(toolchains.Environment(), "KMX_LOCKED") {
		s.AddEnv(name)
	}
	everything(dir, s.AddOutput)
	s.SetAnswer(answer)
	if err := s.Save(name); err != nil {
		p.Warn("the next release will not be instant: " + err.Error())
	}
}

// everything visits path and all below it.
func everything(path string, visit func(string)) {
	_ = filepath.WalkDir(path, func(name string, _ fs.DirEntry, err error) error {
		visit(name)
		return err
	})
}
