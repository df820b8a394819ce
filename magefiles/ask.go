//go:build mage

package main

import (
	"context"

	"github.com/magefile/mage/mg"

	"kmx/flow"
)

// Matrix answers questions about matrix.hcl.
type Matrix mg.Namespace

// List prints the address of every cell, or what else there is.
func (Matrix) List(ctx context.Context,
	selectors *string, // the addresses of these cells
	families *bool, // families and their groups and kernels instead
	axes *bool, // axes instead
	targets *bool, // generations and their targets instead
	variables *bool, // variables with types, values and where these come from instead
	sets *bool, // sets instead
	json *bool, // all of this as JSON (kmx.list/1)
	vars *string, // matrix variables, name=value, comma-separated
) error {
	v := flow.MatrixView{Selectors: or(selectors, ""), JSON: or(json, false), Vars: or(vars, "")}
	for _, part := range []struct {
		heading string
		wanted  *bool
	}{{"families", families}, {"axes", axes}, {"targets", targets}, {"variables", variables}, {"sets", sets}} {
		if or(part.wanted, false) {
			v.Parts = append(v.Parts, part.heading)
		}
	}
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.MatrixList(v) })
}

// Show prints families, targets, axes, variables, toolchains, libraries, sets and what is left out.
func (Matrix) Show(ctx context.Context,
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.MatrixShow(or(vars, "")) })
}

// Fmt formats matrix.hcl and what it includes, and prints what was not formatted.
func (Matrix) Fmt(ctx context.Context,
	check *bool, // change nothing; exit code 7 when there is something to format
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.MatrixFormat(or(check, false)) })
}

// Schema prints every block, attribute and function of the language.
func (Matrix) Schema(ctx context.Context,
	json *bool, // as JSON
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.MatrixSchema(or(json, false)) })
}

// Diff compares two matrices, each a file or a git revision: cells added, removed and changed, token by token.
func (Matrix) Diff(ctx context.Context, before, after string,
	json *bool, // as JSON
	check *bool, // exit code 7 when they differ
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.MatrixDiff(ctx, flow.MatrixDiff{
			Old: before, New: after, JSON: or(json, false), Check: or(check, false), Vars: or(vars, ""),
		})
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
	cflags *string, // with these compiler flags on trial
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.MatrixBlame(address, or(json, false), or(cflags, ""), or(vars, ""))
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
