//go:build mage

package main

import (
	"context"

	"kmx/flow"
)

// Stats counts what one seeded launch of each network kernel executes on the emulator; builds and releases show it.
func (Validate) Stats(ctx context.Context,
	selectors *string, // only these cells (default: those of all sets)
	again *bool, // also objects that were counted before
	json *bool, // the statistics as JSON instead of a table
	jobs *int, // processes at once (default: one per processor)
	workers *int, // work-groups at a time (default: processors)
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Stats(ctx, flow.Stats{
			Selectors: or(selectors, ""), Workers: or(workers, 0), Again: or(again, false), JSON: or(json, false),
			Build: flow.Build{Jobs: or(jobs, 0), Vars: or(vars, "")},
		})
	})
}
