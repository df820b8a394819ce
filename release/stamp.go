package release

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"

	"kmx/internal/diag"
	"kmx/internal/durable"
)

// Stamp writes d4r-kernels.txt into every set of the release in dir from the
// libraries given (files or folders) and brings the manifests up to date, all
// in a copy that then takes the place of dir. A stamp that is there already is
// replaced. It needs no compiler and no matrix: what each object may be
// stamped from is in the manifests.
//
// Errors: the release is not what its manifests say (class Verify), a library
// matches no rule of the release or a kernel is in none (class Usage); dir is
// then unchanged.
func Stamp(ctx context.Context, dir string, libraries []string) error {
	return realDisk.stamp(ctx, dir, libraries, readModules)
}

func (d disk) stamp(ctx context.Context, dir string, libraries []string, read func(string) (KernelHashes, error)) error {
	// "." has no folder beside it by name, and a link to a release must go on
	// being one.
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return diag.Failf(diag.Usage, "give the folder of a release", "%w", err)
	}
	r, err := ReadRelease(dir)
	if err != nil {
		hint := "give the folder that holds the manifest.json of the whole release"
		if s, serr := ReadSet(dir); serr == nil {
			hint = "this is set " + s.Path + " alone; stamp the release it belongs to"
			if s.Partial {
				hint = "this is a partial build, which is served without a stamp; `mage release` makes what can be stamped"
			}
		}
		return diag.Failf(diag.Usage, hint, "%s is not a release: %w", dir, err)
	}
	rules := make([]LibraryRule, len(r.Libraries))
	for i, l := range r.Libraries {
		rules[i] = LibraryRule{l.Name, l.Match}
	}
	if len(libraries) == 0 {
		return diag.Failf(diag.Usage, ruleHint(rules), "no library to stamp from")
	}
	libs, err := readLibraries(ctx, rules, libraries, read)
	if err != nil {
		return err
	}
	return d.replace(ctx, dir, func(fresh string) error {
		if err := copyTree(ctx, dir, fresh); err != nil {
			return err
		}
		// A damaged stamp is no obstacle: it is about to be replaced.
		problems := slices.DeleteFunc(VerifyDir(fresh), func(p Problem) bool { return p.Set != "" && p.File == KernelsFile })
		if err := ProblemsError(dir, problems); err != nil {
			return err
		}
		sets := make([]*Set, len(r.Sets))
		objects := make([][]Entry, len(r.Sets))
		for i, ref := range r.Sets {
			s, err := ReadSet(filepath.Join(fresh, filepath.FromSlash(ref.Path)))
			if err != nil {
				return ioFailure(err)
			}
			sets[i], objects[i] = s, s.Objects
		}
		if err := libs.check(objects); err != nil {
			return err
		}
		for i, s := range sets {
			ref, err := s.restamp(filepath.Join(fresh, filepath.FromSlash(s.Path)), libs)
			if err != nil {
				return err
			}
			r.Sets[i] = ref
		}
		libs.sign(r)
		data, err := checked(r)
		if err != nil {
			return err
		}
		if err := durable.WriteFile(filepath.Join(fresh, ManifestFile), data, fileMode); err != nil {
			return ioFailure(err)
		}
		return ProblemsError(dir, verify(fresh, false, nil))
	})
}

// restamp writes the hashes of one set, whose kernels are known to have some.
func (s *Set) restamp(dir string, libs Libraries) (SetRef, error) {
	hashes, _ := libs.hashes(s.Objects)
	text := hashes.Text()
	if err := durable.WriteFile(filepath.Join(dir, KernelsFile), text, fileMode); err != nil {
		return SetRef{}, ioFailure(err)
	}
	s.Files = slices.DeleteFunc(s.Files, func(f File) bool { return f.Name == KernelsFile })
	s.Files = append(s.Files, describe(KernelsFile, text))
	return s.write(dir)
}

// copyTree copies folders and plain files. Anything else would be an extra in
// the release, so it is left for VerifyDir to miss or the caller to mourn:
// links are an error here, since a copy could not stand for them.
func copyTree(ctx context.Context, from, to string) error {
	return filepath.WalkDir(from, func(p string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		switch {
		case e.IsDir():
			err = mkdirs(dst)
		case e.Type().IsRegular():
			err = durable.Place(p, dst, fileMode)
		default:
			return ProblemsError(from, []Problem{{Set: filepath.ToSlash(filepath.Dir(rel)), File: filepath.Base(rel), What: "not a plain file"}})
		}
		if err != nil {
			return ioFailure(err)
		}
		return nil
	})
}
