package flow

import (
	"context"
	"path/filepath"
	"slices"

	"kmx/internal/diag"
	"kmx/release"
)

// Stamp adds the hashes of DLSS libraries to the release in dir. Libraries are
// files or folders, separated as in PATH. No compiler and no matrix is needed.
func (p *Project) Stamp(ctx context.Context, dir, libraries string) error {
	paths := slices.DeleteFunc(filepath.SplitList(libraries), func(path string) bool { return path == "" })
	if len(paths) == 0 {
		return diag.Failf(diag.Usage, "mage release:stamp dist/d4r-kernels-1.0 /path/to/nvngx_dlss.dll", "no library is named")
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
