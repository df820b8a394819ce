package page

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/internal/diag"
	"kmx/release"
)

// there is an object of the other release.
type there struct {
	release.Entry
	dir string // of its set
}

// readOther reads the manifests of a release, a set, or a folder of sets.
func readOther(dir string) (name string, objects map[string]there, err error) {
	sets := map[string]*release.Set{}
	r, err := release.ReadRelease(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(dir); err != nil {
			return "", nil, err
		}
		name = filepath.Base(filepath.Clean(dir))
		err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || e.Name() != release.ManifestFile {
				return err
			}
			s, err := release.ReadSet(filepath.Dir(path))
			sets[filepath.Dir(path)] = s
			return err
		})
		if err == nil && len(sets) == 0 {
			err = fmt.Errorf("%s holds no manifest of a release or of a set", dir)
		}
	case err == nil:
		name = r.Name()
		for _, ref := range r.Sets {
			at := filepath.Join(dir, filepath.FromSlash(ref.Path))
			if sets[at], err = release.ReadSet(at); err != nil {
				break
			}
		}
	default:
		s, other := release.ReadSet(dir)
		if other != nil {
			return "", nil, err
		}
		name, sets[dir], err = s.Path, s, nil
	}
	if err != nil {
		return "", nil, err
	}
	objects = map[string]there{}
	for at, s := range sets {
		for _, e := range s.Objects {
			objects[e.Address] = there{e, at}
		}
	}
	return name, objects, nil
}

// against compares the objects of the build with those of another release.
func (d *Data) against(s *Sources) error {
	name, objects, err := readOther(s.Against)
	if err != nil {
		return err
	}
	a := &Against{Name: name, Rows: []AgainstRow{}, Kinds: []Kind{}}
	d.Against = a
	kinds := map[string]int{}
	likeness := map[string]string{} // by label
	for i := range d.Objects {
		o := &d.Objects[i]
		old, ok := objects[o.Label]
		row := AgainstRow{Label: o.Label, Word: "new", Is: o.Kernel, Sizes: [2]int64{0, o.Size}}
		if ok {
			if _, known := likeness[o.Label]; !known {
				likeness[o.Label] = compare(s.Store, old, o)
			}
			row.Word, row.Sizes[0] = likeness[o.Label], old.Size
			if n := slices.IndexFunc(old.Kernels, func(k release.Kernel) bool { return k.Name == o.Kernel.Name }); n >= 0 {
				row.Was = &old.Kernels[n]
			}
		}
		if !o.Prep {
			kinds[row.Word]++
		}
		a.Rows = append(a.Rows, row)
	}
	for _, o := range d.Objects {
		delete(objects, o.Label)
	}
	a.Gone = len(objects)
	for _, word := range []string{codeobj.Identical.String(), codeobj.MetadataOnly.String(), codeobj.Constants.String(), codeobj.Code.String(), changed, "new"} {
		if kinds[word] > 0 {
			a.Kinds = append(a.Kinds, Kind{word, kinds[word]})
		}
	}
	return nil
}

// changed is said where the other object cannot be read to say more.
const changed = "changed"

func compare(store *cache.Cache, old there, o *Object) string {
	if old.BLAKE3 == o.full {
		return codeobj.Identical.String()
	}
	a, err := readObject(filepath.Join(old.dir, old.File.Name), old.BLAKE3)
	if err != nil {
		return changed
	}
	data, err := store.Blob(o.full)
	if err != nil {
		return changed
	}
	b, err := codeobj.Read(data)
	if err != nil {
		return changed
	}
	return codeobj.Compare(a, b).Likeness.String()
}

// readObject reads an object that is what its manifest says.
func readObject(path string, digest cache.Digest) (*codeobj.Object, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxObject {
		return nil, diag.Failf(diag.IO, "", "%s is no code object", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if cache.Sum(data) != digest {
		return nil, diag.Failf(diag.Verify, "", "%s is not what its manifest says", path)
	}
	return codeobj.Read(data)
}
