//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"kmx/cache"
	"kmx/release"
)

// A reference knows what every object has to be: it was built in a fresh cache,
// undisturbed.
type reference struct {
	lab  *lab
	want map[string]cache.Digest // by variant.object
	any  map[string][]cache.Digest
}

var setPaths = []string{"gfx1101", "gfx1201", "accuracy/gfx1101", "accuracy/gfx1201"}

// learn builds a variant in a fresh cache, unless all its objects are known.
func (f *reference) learn(v variant) error {
	known := true
	for _, set := range setPaths {
		for _, k := range kernels {
			_, ok := f.want[v.object(set, k)]
			known = known && ok
		}
	}
	if known {
		return nil
	}
	s, err := f.lab.site("reference")
	if err != nil {
		return err
	}
	if err := s.write(v); err != nil {
		return err
	}
	if e := s.do("release"); e.code != 0 {
		return fmt.Errorf("the reference does not build: %s", tail(e.text))
	}
	for _, set := range setPaths {
		for _, k := range kernels {
			data, err := os.ReadFile(s.path("dist/" + releaseName + "/" + set + "/" + k + ".hsaco"))
			if err != nil {
				return err
			}
			name, d := v.object(set, k), cache.Sum(data)
			if old, ok := f.want[name]; ok && old != d {
				return fmt.Errorf("%s: built twice in fresh caches it differs", name)
			}
			f.want[name] = d
			f.any[set+"/"+k] = append(f.any[set+"/"+k], d)
		}
	}
	return nil
}

// released lists what is wrong with a release of a variant: every file is held
// against its manifests, every object against the reference.
func (f *reference) released(s *site, v variant) (problems []string) {
	dir := s.path("dist/" + releaseName)
	for _, p := range release.VerifyDir(dir) {
		problems = append(problems, p.String())
	}
	for _, set := range setPaths {
		for _, k := range kernels {
			problems = append(problems, f.object(filepath.Join(dir, set, k+".hsaco"), f.want[v.object(set, k)])...)
		}
	}
	return problems
}

// developed lists what is wrong in dist/dev: nothing that no variant gives, and
// what is listed in changed is of this one.
func (f *reference) developed(s *site, v variant, changed func(set, kernel string) bool) (problems []string) {
	for _, set := range setPaths {
		dir := s.path("dist/dev/" + set)
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		for _, k := range kernels {
			path := filepath.Join(dir, k+".hsaco")
			data, err := os.ReadFile(path)
			if os.IsNotExist(err) && !changed(set, k) {
				continue
			}
			switch d := cache.Sum(data); {
			case err != nil:
				problems = append(problems, err.Error())
			case changed(set, k) && d != f.want[v.object(set, k)]:
				problems = append(problems, fmt.Sprintf("%s is not what %s gives", s.plain(path), v.object(set, k)))
			case !slices.Contains(f.any[set+"/"+k], d):
				problems = append(problems, s.plain(path)+" is what no variant gives")
			}
		}
	}
	return problems
}

func (f *reference) object(path string, want cache.Digest) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		return []string{err.Error()}
	}
	if d := cache.Sum(data); d != want {
		return []string{fmt.Sprintf("%s is %s, the reference %s", path, d, want)}
	}
	return nil
}
