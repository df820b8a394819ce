//go:build mage

package main

import (
	"context"

	"kmx/flow"
)

// GC removes what was not used for long, and the least recently used of what is too much; never what a run of the last day or a pinned release uses.
func (Cache) GC(ctx context.Context,
	size *string, // above this, the least recently used goes until 80 % are left: 10GiB, 512MiB, 20GB (default: KMX_CACHE_SIZE, or 10GiB)
	age *string, // what was not used for longer goes: 30d, 2w, 36h (default: 30d)
	dryRun *bool, // remove nothing, say what would be
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.CacheGC(ctx, flow.CacheGC{Size: or(size, ""), Age: or(age, ""), DryRun: or(dryRun, false)})
	})
}

// Verify reads everything in the cache and sets damage aside; exit code 6 if there was any.
func (Cache) Verify(ctx context.Context,
	sample *int, // build this percentage of what the matrix plans again, and compare it with what is stored
	jobs *int, // processes at once (default: one per processor)
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.CacheVerify(ctx, flow.CacheVerify{Sample: or(sample, 0), Jobs: or(jobs, 0), Vars: or(vars, "")})
	})
}

// Pin keeps what the release in a folder was made of in the cache, also when the folder is gone.
func (Cache) Pin(ctx context.Context, dir string,
	remove *bool, // take the pin away
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.CachePin(dir, or(remove, false)) })
}
