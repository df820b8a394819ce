//go:build mage

package main

import (
	"context"

	"github.com/magefile/mage/mg"

	"kmx/flow"
)

// Fold maps the objects that are the same but for the GPU that they name.
type Fold mg.Namespace

// Prove compiles cells and writes down in fold.lock.hcl which objects are equal; what differs now is told with its first instruction.
func (Fold) Prove(ctx context.Context,
	selectors *string, // the cells to compare (default: those of a release)
	differences *bool, // where the objects of one generation that are not equal differ first
	jobs *int, // processes at once (default: one per processor)
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.FoldProve(ctx, flow.FoldProve{
			Selectors: or(selectors, ""), Differences: or(differences, false), Build: choices{jobs: jobs, vars: vars}.build(),
		})
	})
}

// List prints which GPUs get the same code, per kernel and mode, and what is proven of it; nothing is built.
func (Fold) List(ctx context.Context,
	selectors *string, // the cells to look at (default: those of a release)
	json *bool, // as JSON (kmx.fold/1)
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.FoldList(ctx, flow.FoldList{Selectors: or(selectors, ""), JSON: or(json, false), Vars: or(vars, "")})
	})
}
