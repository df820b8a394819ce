package release

import (
	"context"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/internal/durable"
)

// Assemble writes the release of the plan as distDir/<project>-<version> and
// returns that folder and the manifest it wrote there. Libraries give the stamp; nil leaves the release
// unstamped. A plan with a hole is an error that lists every hole; then, as
// with any other failure, what was in the folder before is still there.
func Assemble(ctx context.Context, distDir string, p Plan, libs Libraries) (dir string, r *Release, err error) {
	return realDisk.assemble(ctx, distDir, p, libs)
}

func (d disk) assemble(ctx context.Context, distDir string, p Plan, libs Libraries) (string, *Release, error) {
	if err := p.check(); err != nil {
		return "", nil, err
	}
	if libs != nil {
		sets := make([][]Entry, len(p.Sets))
		for i, s := range p.Sets {
			for j := range s.Objects {
				sets[i] = append(sets[i], s.Objects[j].entry(File{}))
			}
		}
		if err := libs.check(sets); err != nil {
			return "", nil, err
		}
	}
	dir := filepath.Join(distDir, p.Name())
	r := p.manifest()
	err := d.replace(ctx, dir, func(fresh string) error {
		if libs != nil {
			libs.sign(r)
		}
		sets, err := p.writeSets(ctx, fresh, libs)
		if err != nil {
			return err
		}
		known := map[cache.Digest]*Set{}
		for _, s := range sets {
			r.Sets = append(r.Sets, s.ref)
			known[s.ref.Manifest.BLAKE3] = s.set
		}
		data, err := checked(r)
		if err == nil {
			r, err = ParseRelease(data) // as everybody else will read it
		}
		if err != nil {
			return err
		}
		if err := durable.WriteFile(filepath.Join(fresh, ManifestFile), data, fileMode); err != nil {
			return ioFailure(err)
		}
		// Digests were taken from the files as they lie there; what is left
		// to prove is that the tree is complete and holds nothing else.
		return ProblemsError(dir, verify(fresh, false, known))
	})
	return dir, r, err
}

// written is a set that is in its place.
type written struct {
	ref SetRef
	set *Set
}

// writeSets puts the sets into the release at root, some at a time; the error is
// that of the first in order.
func (p *Plan) writeSets(ctx context.Context, root string, libs Libraries) ([]written, error) {
	sets := make([]written, len(p.Sets))
	errs := make([]error, len(p.Sets))
	for i := range p.Sets { // folders in turn: one may lie in another
		if err := mkdirs(filepath.Join(root, filepath.FromSlash(p.Sets[i].Path))); err != nil {
			return nil, ioFailure(err)
		}
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range p.Sets {
		g.Go(func() error {
			sets[i], errs[i] = p.Sets[i].write(ctx, root, libs)
			return nil
		})
	}
	g.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// write puts the set into its folder in the release at root.
func (s *SetPlan) write(ctx context.Context, root string, libs Libraries) (written, error) {
	dir := filepath.Join(root, filepath.FromSlash(s.Path))
	entries, err := placeAll(ctx, dir, s.Objects, anew)
	if err != nil {
		return written{}, err
	}
	m := s.manifest()
	m.Objects = entries
	files := map[string][]byte{}
	for name, text := range s.Markers {
		files[name] = []byte(text)
	}
	if libs != nil {
		hashes, problems := libs.hashes(entries)
		if problems.HasErrors() {
			return written{}, &diag.Failure{Class: diag.Usage, Messages: problems}
		}
		files[KernelsFile] = hashes.Text()
	}
	for name, data := range files {
		if err := durable.WriteFile(filepath.Join(dir, name), data, fileMode); err != nil {
			return written{}, ioFailure(err)
		}
		m.Files = append(m.Files, describe(name, data))
	}
	ref, err := m.write(dir)
	return written{ref, m}, err
}

// write puts the manifest into the folder of its set.
func (s *Set) write(dir string) (SetRef, error) {
	data, err := checked(s)
	if err != nil {
		return SetRef{}, err
	}
	if err := durable.WriteFile(filepath.Join(dir, ManifestFile), data, fileMode); err != nil {
		return SetRef{}, ioFailure(err)
	}
	return SetRef{
		Path: s.Path, Target: s.Target, Axes: s.Axes, Objects: len(s.Objects),
		Manifest: describe(ManifestFile, data),
	}, nil
}

// checked encodes a manifest and reads it back: one that could not be read is
// never written.
func checked(m interface{ Encode() ([]byte, error) }) ([]byte, error) {
	data, err := m.Encode()
	if err == nil {
		if _, isSet := m.(*Set); isSet {
			_, err = ParseSet(data)
		} else {
			_, err = ParseRelease(data)
		}
	}
	if err != nil {
		return nil, diag.Failf(diag.Matrix, "", "the manifest would not be readable: %w", err)
	}
	return data, nil
}
