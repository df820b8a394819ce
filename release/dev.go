package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"kmx/internal/diag"
	"kmx/internal/durable"
)

// DevSet is what a partial build left in one folder of dist/dev.
type DevSet struct {
	Dir     string   // the folder
	Set     *Set     // its manifest: what is there now, not only what was just built
	Changed []string // kernel names whose files are new or other than before
	Dropped []string // files that an earlier build listed and that are not what it wrote any more
	Removed []string // kernel names of an earlier build that this run does not declare; their files are gone
	// Why is the reason for each of them that a rule of the matrix leaves out now,
	// such as "library dlss is not there".
	Why map[string]string
}

// AssembleDev adds the given objects to the folders distDir/dev/<set>, or
// replaces them there; objects of earlier partial builds stay. Each file
// appears whole, and a file that is right already is not touched. The manifest
// speaks of exactly those objects in the folder that a build put there and
// nobody changed since, at every moment: what is about to be replaced leaves
// it first and comes back when it is in place.
//
// Twins and completeness do not count here. An object that an earlier build
// put there and that is not Declared now is removed: the bridge would load
// it. Two builds into one folder at the same time lose no file, but the
// manifest may miss some until the next one.
func AssembleDev(ctx context.Context, distDir string, sets []SetPlan) ([]DevSet, error) {
	var wrong diag.List
	for _, s := range sets {
		for _, o := range s.Objects {
			if o.Bytes == nil {
				wrong = append(wrong, diag.Message{Summary: fmt.Sprintf("set %s: %s did not build", s.Path, o.Address)})
			}
		}
		wrong = append(wrong, s.faults()...)
	}
	if len(wrong) > 0 {
		return nil, &diag.Failure{Class: diag.Matrix, Messages: wrong}
	}
	var out []DevSet
	for i := range sets {
		d, err := sets[i].dev(ctx, filepath.Join(distDir, "dev", filepath.FromSlash(sets[i].Path)))
		if err != nil {
			return out, err
		}
		out = append(out, d)
	}
	return out, nil
}

func (s *SetPlan) dev(ctx context.Context, dir string) (DevSet, error) {
	if err := mkdirs(dir); err != nil {
		return DevSet{}, ioFailure(err)
	}
	durable.SweepTemps(dir)
	d := DevSet{Dir: dir, Set: s.manifest(), Why: map[string]string{}}
	d.Set.Partial = true
	kept, altered := d.keep()
	for name, e := range kept {
		if !slices.Contains(s.Declared, e.Address) {
			delete(kept, name)
			d.Removed = append(d.Removed, name)
			if i := slices.IndexFunc(s.LeftOut, func(m Missing) bool { return m.Address == e.Address }); i >= 0 {
				d.Why[name] = s.LeftOut[i].Reason
			}
		}
	}
	slices.Sort(d.Removed)

	// Entries come from the plan even where the file stays: the same bytes
	// may come from another command line today.
	var place []Object
	var entries []Entry
	for _, o := range s.Objects {
		old, ok := kept[o.Name]
		delete(kept, o.Name)
		delete(altered, o.Name+ObjectSuffix)
		if ok && old.BLAKE3 == o.Digest && old.Size == o.Size {
			entries = append(entries, o.entry(old.File))
			continue
		}
		place = append(place, o)
		d.Changed = append(d.Changed, o.Name)
	}
	d.Set.Objects = append(slices.SortedFunc(maps.Values(kept), func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) }), entries...)
	d.Dropped = slices.Sorted(maps.Keys(altered))
	for name, text := range s.Markers {
		d.Set.Files = append(d.Set.Files, describe(name, []byte(text)))
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil && string(data) == text {
			continue
		}
		if err := durable.WriteFile(filepath.Join(dir, name), []byte(text), fileMode); err != nil {
			return d, ioFailure(err)
		}
	}
	if len(place) > 0 || len(d.Removed) > 0 {
		if err := d.write(); err != nil {
			return d, err
		}
	}
	for _, name := range d.Removed {
		if err := os.Remove(filepath.Join(dir, name+ObjectSuffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return d, ioFailure(err)
		}
	}
	placed, err := placeAll(ctx, dir, place, atOnce)
	if err != nil {
		return d, err
	}
	d.Set.Objects = append(d.Set.Objects, placed...)
	slices.Sort(d.Changed)
	return d, d.write()
}

// write writes the manifest where it would change.
func (d *DevSet) write() error {
	data, err := checked(d.Set)
	if err != nil {
		return err
	}
	name := filepath.Join(d.Dir, ManifestFile)
	if old, err := os.ReadFile(name); err == nil && string(old) == string(data) {
		return nil
	}
	if err := durable.WriteFile(name, data, fileMode); err != nil {
		return ioFailure(err)
	}
	return nil
}

// keep gives the entries of the last manifest that are still true, by kernel
// name, and the files that are there but not what it says. A manifest that
// cannot be read vouches for nothing.
func (d *DevSet) keep() (kept map[string]Entry, altered map[string]bool) {
	kept, altered = map[string]Entry{}, map[string]bool{}
	old, err := ReadSet(d.Dir)
	if err != nil || old.Path != d.Set.Path || old.Target != d.Set.Target || !old.Partial {
		return kept, altered
	}
	for _, e := range old.Objects {
		switch compare(filepath.Join(d.Dir, e.File.Name), e.File, true) {
		case "":
			kept[e.Name] = e
		case gone:
		default:
			altered[e.File.Name] = true
		}
	}
	return kept, altered
}
