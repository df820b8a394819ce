package flow

import (
	"context"
	"path/filepath"
	"slices"

	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/release"
)

// Stamp adds the hashes of DLSS libraries to the release in dir. Libraries are
// files or folders, separated as in PATH. No compiler is needed, and of the
// matrix only where the approved modules are: accept takes on those that are
// not among them.
func (p *Project) Stamp(ctx context.Context, dir, libraries, accept string) error {
	paths := slices.DeleteFunc(filepath.SplitList(libraries), func(path string) bool { return path == "" })
	if len(paths) == 0 {
		return diag.Failf(diag.Usage, "mage release:stamp dist/d4r-kernels-1.0 /path/to/nvngx_dlss.dll", "no library is named")
	}
	if err := p.approveStampOf(ctx, dir, paths, accept); err != nil {
		return err
	}
	if err := release.Stamp(ctx, dir, paths); err != nil {
		return err
	}
	r, err := release.ReadRelease(dir)
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for _, line := range r.Advice(abs) {
		p.Say("%s", line)
	}
	return nil
}

// approveStampOf holds the modules that would stamp a finished release against
// the approvals. What is wrong with the release or the files, stamping says.
func (p *Project) approveStampOf(ctx context.Context, dir string, paths []string, accept string) error {
	r, err := release.ReadRelease(dir)
	if err != nil {
		return nil
	}
	d, err := p.load("")
	if err != nil {
		return err
	}
	kernels := map[string]map[string]bool{} // by library
	for _, ref := range r.Sets {
		s, err := release.ReadSet(filepath.Join(dir, filepath.FromSlash(ref.Path)))
		if err != nil {
			return nil
		}
		for _, o := range s.Objects {
			if kernels[o.Library] == nil {
				kernels[o.Library] = map[string]bool{}
			}
			kernels[o.Library][o.Name] = true
		}
	}
	reader := p.libraryReader(ctx)
	var libraries []matrix.Library
	var uses []release.Use
	for _, l := range d.Libraries {
		l.Paths = paths
		more, err := reader.uses(l, kernels[l.Name])
		if err != nil {
			return nil
		}
		libraries, uses = append(libraries, l), append(uses, more...)
	}
	return p.approve(libraries, uses, accept)
}
