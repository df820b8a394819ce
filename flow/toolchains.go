package flow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

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

// lockedEnv asks for the pinned toolchains and no others, in every command.
const lockedEnv = "KMX_LOCKED"

func lockedAsked(getenv func(string) string) (bool, error) {
	switch value := getenv(lockedEnv); value {
	case "", "0":
		return false, nil
	case "1":
		return true, nil
	default: // what means yes to one means no to another
		return false, diag.Failf(diag.Usage, "", "%s is 1 or nothing, not %q", lockedEnv, value)
	}
}

// holdLock compares the toolchains in use with the locked ones. Under
// KMX_LOCKED=1 there has to be a lock, and every difference is an error. For a
// release one of the compiler is; everything else is a warning.
func (p *Project) holdLock(found map[string]*toolchains.Toolchain, release bool) error {
	if p.unlocked {
		return nil
	}
	all, err := lockedAsked(os.Getenv)
	if err != nil {
		return err
	}
	lock, err := p.lock()
	if err != nil {
		return err
	}
	if lock == nil && all {
		return diag.Failf(diag.Toolchain, "write it with: mage toolchains:lock, and commit it", "%s=1, but no %s says which compiler to use", lockedEnv, lockFile)
	}
	var errors, warnings diag.List
	for _, name := range slices.Sorted(maps.Keys(found)) {
		for _, d := range lock.Compare(found[name]) {
			if all || release && d.Compiler {
				errors = append(errors, d.Message(diag.Error))
			} else {
				warnings = append(warnings, d.Message(diag.Warning))
			}
		}
	}
	p.show(warnings)
	if len(errors) > 0 {
		return &diag.Failure{Class: diag.Toolchain, Messages: errors}
	}
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
	lock, err := p.lock()
	if err != nil {
		return err
	}
	for _, tc := range used {
		differences := lock.Compare(tc)
		switch {
		case lock == nil:
			fmt.Fprintf(p.Out, "locked: no, there is no %s\n", lockFile)
			return nil
		case len(differences) == 0:
			fmt.Fprintf(p.Out, "locked: %s is the one that %s pins\n", tc.Name, lockFile)
		}
		for _, d := range differences {
			fmt.Fprintf(p.Out, "locked: no, %s\n", d)
		}
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
