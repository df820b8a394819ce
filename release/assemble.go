package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

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
		for i := range p.Sets {
			ref, err := p.Sets[i].write(ctx, fresh, libs)
			if err != nil {
				return err
			}
			r.Sets = append(r.Sets, ref)
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
		return ProblemsError(dir, verify(fresh, false))
	})
	return dir, r, err
}

// write puts the set into the release at root.
func (s *SetPlan) write(ctx context.Context, root string, libs Libraries) (SetRef, error) {
	dir := filepath.Join(root, filepath.FromSlash(s.Path))
	if err := mkdirs(dir); err != nil {
		return SetRef{}, ioFailure(err)
	}
	entries, err := placeAll(ctx, dir, s.Objects)
	if err != nil {
		return SetRef{}, err
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
			return SetRef{}, &diag.Failure{Class: diag.Usage, Messages: problems}
		}
		files[KernelsFile] = hashes.Text()
	}
	for name, data := range files {
		if err := durable.WriteFile(filepath.Join(dir, name), data, fileMode); err != nil {
			return SetRef{}, ioFailure(err)
		}
		m.Files = append(m.Files, describe(name, data))
	}
	return m.write(dir)
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

// placeAll places objects in parallel and returns their entries in order; all
// problems come in one error.
func placeAll(ctx context.Context, dir string, objects []Object) ([]Entry, error) {
	entries := make([]Entry, len(objects))
	errs := make([]error, len(objects))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range objects {
		g.Go(func() error {
			if errs[i] = ctx.Err(); errs[i] == nil {
				entries[i], errs[i] = objects[i].place(dir)
			}
			return nil
		})
	}
	g.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f := &diag.Failure{Class: diag.IO}
	var again []string
	for i, err := range errs {
		if err == nil {
			continue
		}
		m := diag.Message{Summary: err.Error()}
		var gone *cache.Miss
		if errors.As(err, &gone) { // the fault is not where it was to be placed
			m.Hint = "a rebuild of the cell puts it right"
			again = append(again, objects[i].Address)
		}
		f.Messages = append(f.Messages, m)
		f.Err = err
	}
	if len(f.Messages) == 0 {
		return entries, nil
	}
	if len(again) > 0 {
		slices.Sort(again)
		f.Rerun = "mage build " + strings.Join(slices.Compact(again), ",")
	}
	return nil, f
}

// place writes the object into dir and proves that what lies there is what was
// promised.
func (o *Object) place(dir string) (Entry, error) {
	name := filepath.Join(dir, o.Name+ObjectSuffix)
	if err := o.Place(name); err != nil {
		return Entry{}, fmt.Errorf("%s cannot be placed as %s: %w", o.Address, filepath.Base(name), err)
	}
	if err := os.Chmod(name, fileMode); err != nil {
		return Entry{}, err
	}
	f, err := digest(name)
	if err != nil {
		return Entry{}, err
	}
	switch {
	case f.BLAKE3 != o.Digest:
		return Entry{}, fmt.Errorf("%s: the placed file has BLAKE3 %s, expected %s", o.Address, f.BLAKE3, o.Digest)
	case f.Size != o.Size:
		return Entry{}, fmt.Errorf("%s: the placed file has %d bytes, expected %d", o.Address, f.Size, o.Size)
	case o.SHA256 != "" && f.SHA256 != o.SHA256:
		return Entry{}, fmt.Errorf("%s: the placed file has SHA-256 %s, expected %s", o.Address, f.SHA256, o.SHA256)
	}
	return o.entry(f), nil
}
