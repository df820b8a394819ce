//go:build mage

package main

import (
	"context"

	"github.com/magefile/mage/mg"

	"kmx/flow"
)

// Matrix answers questions about matrix.hcl.
type Matrix mg.Namespace

// List prints the address of every cell.
func (Matrix) List(ctx context.Context,
	selectors *string, // only these cells
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.MatrixList(or(selectors, ""), or(vars, ""))
	})
}

// Check reports every mistake in matrix.hcl.
func (Matrix) Check(ctx context.Context,
	json *bool, // as JSON
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.MatrixCheck(or(json, false), or(vars, ""))
	})
}

// Blame prints every word of a cell's command with what put it there.
func (Matrix) Blame(ctx context.Context, address string,
	json *bool, // as JSON (kmx.blame/1)
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.MatrixBlame(address, or(json, false), or(vars, ""))
	})
}

// Toolchains answers questions about compilers.
type Toolchains mg.Namespace

// List prints the compilers found, in order of preference, and the one in use.
func (Toolchains) List(ctx context.Context) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.ToolchainsList(ctx) })
}

// Lock pins the toolchains in use in matrix.lock.hcl.
func (Toolchains) Lock(ctx context.Context) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.ToolchainsLock(ctx) })
}

// Cache answers questions about the cache.
type Cache mg.Namespace

// Stats prints what the cache holds and where it is.
func (Cache) Stats(ctx context.Context) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.CacheStats() })
}
