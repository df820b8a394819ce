package pack

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"kmx/internal/diag"
	"kmx/release"
)

// Load reads a release that is whole: its manifests are proved first, and each
// file is compared with its digests again as it is read.
func Load(dir string) (*Tree, error) {
	r, err := release.ReadRelease(dir)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, diag.Failf(diag.Usage, "build it first: mage release", "there is no release in %s", dir)
		}
		if s, serr := release.ReadSet(dir); serr == nil {
			return nil, diag.Failf(diag.Usage, "give the folder of the whole release", "%s is set %s alone", dir, s.Path)
		}
		return nil, diag.Failf(diag.Verify, "build it again: mage release", "%w", err)
	}
	if err := release.ProblemsError(dir, release.VerifyDir(dir)); err != nil {
		return nil, err
	}
	t := &Tree{Release: r}
	read := func(set string, f release.File) error {
		name := path.Join(set, f.Name)
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return diag.Failf(diag.IO, "", "%w", err)
		}
		if got := release.Describe(f.Name, data); got != f {
			return diag.Failf(diag.Verify, "", "%s changed while it was read", name)
		}
		t.Items = append(t.Items, Item{name, data})
		return nil
	}
	for _, ref := range r.Sets {
		s, err := release.ReadSet(filepath.Join(dir, filepath.FromSlash(ref.Path)))
		if err != nil {
			return nil, diag.Failf(diag.Verify, "", "%w", err)
		}
		t.Sets = append(t.Sets, s)
		for _, e := range s.Objects {
			if err := read(ref.Path, e.File); err != nil {
				return nil, err
			}
		}
		for _, f := range append(s.Files, ref.Manifest) {
			if err := read(ref.Path, f); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range r.Files {
		if err := read("", f); err != nil {
			return nil, err
		}
	}
	data, err := r.Encode()
	if err != nil {
		return nil, err
	}
	t.Items = append(t.Items, Item{release.ManifestFile, data})
	t.sort()
	return t, nil
}

// Parse makes a tree of files in memory, such as those of an archive, and says
// how they differ from what the manifests among them say.
func Parse(items []Item) (*Tree, []release.Problem) {
	t := &Tree{Items: append([]Item{}, items...)}
	t.sort()
	var problems []release.Problem
	say := func(set, file, format string, args ...any) {
		problems = append(problems, release.Problem{Set: set, File: file, What: fmt.Sprintf(format, args...)})
	}
	known := map[string]bool{release.ManifestFile: true}
	check := func(set string, f release.File) *Item {
		name := path.Join(set, f.Name)
		known[name] = true
		item := t.item(name)
		switch {
		case item == nil:
			say(set, f.Name, "missing")
		case release.Describe(f.Name, item.Data) != f:
			say(set, f.Name, "altered: size or digests are not what the manifest says")
		default:
			return item
		}
		return nil
	}
	first := t.item(release.ManifestFile)
	if first == nil {
		say("", release.ManifestFile, "missing")
		return t, problems
	}
	var err error
	if t.Release, err = release.ParseRelease(first.Data); err != nil {
		say("", release.ManifestFile, "%v", err)
		return t, problems
	}
	for _, f := range t.Release.Files {
		check("", f)
	}
	for _, ref := range t.Release.Sets {
		item := check(ref.Path, ref.Manifest)
		if item == nil {
			continue
		}
		s, err := release.ParseSet(item.Data)
		if err != nil {
			say(ref.Path, release.ManifestFile, "%v", err)
			continue
		}
		t.Sets = append(t.Sets, s)
		for _, e := range s.Objects {
			check(ref.Path, e.File)
		}
		for _, f := range s.Files {
			check(ref.Path, f)
		}
	}
	for _, item := range t.Items {
		if !known[item.Path] {
			say("", item.Path, "extra: no manifest speaks of it")
		}
	}
	return t, problems
}
