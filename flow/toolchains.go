package flow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"kmx/internal/diag"
	"kmx/toolchains"
)

// lockFile pins the toolchains of the project.
const lockFile = "matrix.lock.hcl"

// lock reads the lock; nil if the project pins nothing.
func (p *Project) lock() (*toolchains.Lock, error) {
	if _, err := os.Stat(p.path(lockFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	l, list := toolchains.ReadLock(p.path(lockFile))
	if list.HasErrors() {
		return nil, &diag.Failure{Class: diag.Toolchain, Messages: list}
	}
	return l, nil
}

// holdLock compares the toolchains in use with the locked ones. A difference
// is a warning in daily work and an error where strict.
func (p *Project) holdLock(found map[string]*toolchains.Toolchain, strict bool) error {
	lock, err := p.lock()
	if err != nil || lock == nil {
		return err
	}
	var differences []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		for _, d := range lock.Compare(found[name]) {
			differences = append(differences, d.String())
		}
	}
	if len(differences) == 0 {
		return nil
	}
	text := "the toolchain is not the one " + lockFile + " pins:\n  " + strings.Join(differences, "\n  ")
	if strict || os.Getenv("KMX_LOCKED") == "1" {
		return diag.Failf(diag.Toolchain, "install the pinned one, or accept this one with: mage toolchains:lock", "%s", text)
	}
	p.Warn(text)
	return nil
}

// ToolchainsList prints the compilers found, in order of preference.
func (p *Project) ToolchainsList(ctx context.Context) error {
	for _, c := range toolchains.Search() {
		if c.Err != nil {
			fmt.Fprintf(p.Out, "-  %s  %s: %v\n", c.Path, c.Why, c.Err)
			continue
		}
		fmt.Fprintf(p.Out, "ok %s  %s, version %s\n", c.Path, c.Why, c.Version)
	}
	used, err := p.inUse(ctx)
	if err != nil {
		return err
	}
	for _, tc := range used {
		fmt.Fprintf(p.Out, "in use: %s = %s, %d files, closure blake3:%s\n", tc.Name, tc.Version, len(tc.Files), tc.Digest)
	}
	return nil
}

// inUse finds every toolchain that the matrix names.
func (p *Project) inUse(ctx context.Context) ([]*toolchains.Toolchain, error) {
	d, err := p.load("")
	if err != nil {
		return nil, err
	}
	store, err := p.Cache()
	if err != nil {
		return nil, err
	}
	var used []*toolchains.Toolchain
	for _, t := range d.Toolchains {
		tc, err := toolchains.Find(ctx, toolchains.Request{Name: t.Name, Kind: t.Kind}, store.Memo())
		if err != nil {
			return nil, err
		}
		used = append(used, tc)
	}
	return used, nil
}

// ToolchainsLock pins the toolchains in use.
func (p *Project) ToolchainsLock(ctx context.Context) error {
	used, err := p.inUse(ctx)
	if err != nil {
		return err
	}
	if err := toolchains.WriteLock(p.path(lockFile), used); err != nil {
		return err
	}
	p.Say("pinned in %s; commit it", lockFile)
	return nil
}
