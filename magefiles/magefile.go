//go:build mage

// kmx builds d4r's kernel matrix. Every day: `release` (all sets, complete or
// not at all), `kernels:m gfx1201` (what the game would load there), `build
// m@gfx12` (any cells, by selector), `matrix:list` (what there is), and once
// `setup` (a compiler and the fast door bin/kmx). Choices follow a target as
// -name=value.
package main

import (
	"context"
	"os"

	"github.com/magefile/mage/mg"

	"kmx/flow"
)

// Aliases are verbs that are also namespaces, and names that no function can have.
var Aliases = map[string]any{
	"release":           Release.Build,
	"log:what-ran":      Log.WhatRan,
	"log:what-failed":   Log.WhatFailed,
	"log:critical-path": Log.CriticalPath,
}

// Setup finds a compiler, or installs one, and compiles the fast door bin/kmx.
func Setup(ctx context.Context) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.Setup(ctx) })
}

// Clean removes what was built here (dist and bin); the cache stays.
func Clean(ctx context.Context) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.Clean() })
}

// Test runs every test of this repository.
func Test(ctx context.Context) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.Test(ctx) })
}

// Lint checks format, vet, staticcheck, the race detector and cross-builds.
func Lint(ctx context.Context) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.Lint(ctx) })
}

// Bench measures kmx against ninja, make and ccache on this machine, and holds it against the numbers that it is to reach.
func Bench(ctx context.Context,
	cells *string, // sizes of the projects with nothing to do (default: 1000,10000,100000)
	rounds *int, // how often each has its turn (default: 11)
	cold *int, // rounds of cold builds (default: 3)
	large *int, // cells of one more cold build; 0: none (default: 1000)
	own *string, // selectors of the cells here that are built cold (default: *@gfx1201)
	parts *string, // only these: noop, makespan, tiny (kernels), own (kernels of this repository), ptx (a library), folded (the whole matrix, one of proven equal cells compiled; by name only)
	quick *bool, // little of everything, to see that it works
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Bench(ctx, flow.Bench{
			Cells: or(cells, "1000,10000,100000"), Rounds: or(rounds, 11), Cold: or(cold, 3), Large: or(large, 1000),
			Own: or(own, "*@gfx1201"), Parts: or(parts, "noop,makespan,tiny,own,ptx"), Quick: or(quick, false),
		})
	})
}

// Faults proves what kmx promises when something goes wrong: a table of injected faults, or a long soak.
func Faults(ctx context.Context,
	rows *string, // only the faults whose names match this regular expression
	moments *int, // random moments of each signal (default: 20)
	seed *int, // of all random choices (default: the time)
	soak *string, // no table: random work and faults for so long, such as 30m
	markdown *string, // write the table to this file as well
	allowMissing *bool, // what cannot run here does not fail the run
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Faults(ctx, flow.Faults{
			Rows: or(rows, ""), Moments: or(moments, 0), Seed: or(seed, 0), Soak: or(soak, ""), Markdown: or(markdown, ""), AllowMissing: or(allowMissing, false),
		})
	})
}

// run opens the project, calls one of its verbs, and turns an error into
// messages on standard error and an exit code.
func run(ctx context.Context, verb func(context.Context, *flow.Project) error) error {
	if code, last := flow.Do(ctx, os.Stdout, os.Stderr, argsError, verb); code != 0 {
		return mg.Fatal(code, last)
	}
	return nil
}

// or is what an optional argument says, or a default.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
