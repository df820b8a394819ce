package toolchains

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"kmx/cache"
)

// steady tells whether the files of a toolchain are still those that its digest
// was made from. A package manager may replace them while a build runs; what
// the new ones make must not be kept under the name of the old.
type steady struct {
	memo *cache.Memo // nil: stats alone decide
	was  map[string]cache.Digest

	mu      sync.Mutex
	always  *cache.Watch            // all that takes part in every run
	headers map[string]*cache.Watch // by real path: each counts where it is read
}

// newSteady begins to watch. An error means that a file is already another one.
func newSteady(driver string, files []File, memo *cache.Memo) (*steady, error) {
	s := &steady{memo: memo, was: map[string]cache.Digest{}, always: cache.NewWatch(), headers: map[string]*cache.Watch{}}
	s.always.Add(driver) // a link may come to lead elsewhere
	for _, f := range files {
		s.was[f.Path] = f.Digest
		if f.Name == "bin/clang++" {
			s.was[driver] = f.Digest
		}
		if !strings.HasPrefix(f.Name, "include/") {
			s.always.Add(f.Path)
			continue
		}
		w := cache.NewWatch()
		w.Add(f.Path)
		s.headers[f.Path] = w
	}
	for path := range s.was { // between reading them and watching them, too
		if memo != nil && !s.same(path) {
			return nil, fmt.Errorf("%s changes at this moment", path)
		}
	}
	return s, nil
}

// same compares bytes, as a file that was only touched is the same.
func (s *steady) same(path string) bool {
	if s.memo == nil {
		return false
	}
	is, _, err := s.memo.File(path)
	return err == nil && is == s.was[path]
}

// changed is engine.Tool.Changed.
func (s *steady) changed(read []string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if path := s.moved(&s.always); path != "" {
		return path
	}
	for _, path := range read {
		path = filepath.Clean(path)
		if s.headers[path] == nil {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				path = real
			}
		}
		if w := s.headers[path]; w != nil {
			if path := s.moved(&w); path != "" {
				return path
			}
			s.headers[path] = w
		}
	}
	return ""
}

// moved names a file of a watch that holds other bytes. The watch is renewed
// where stats are other and bytes are not.
func (s *steady) moved(w **cache.Watch) string {
	for path := (*w).Changed(); path != ""; path = (*w).Changed() {
		now := (*w).Renew() // before the bytes are read
		for path := range s.was {
			if (*w).Has(path) && !s.same(path) {
				return path
			}
		}
		*w = now
	}
	return ""
}
