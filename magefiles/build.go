//go:build mage

package main

import (
	"context"

	"github.com/magefile/mage/mg"

	"kmx/flow"
)

// Release makes and stamps whole releases.
type Release mg.Namespace

// Build builds every set of the matrix into dist/, complete or not at all (`release` for short).
func (Release) Build(ctx context.Context,
	jobs *int, // processes at once (default: one per processor)
	failFast *bool, // stop at the first failure instead of finishing the rest
	deferred *bool, // what compilers say of failures is shown together at the end
	accept *string, // takes on PTX modules that nobody has approved: "WHO: WHY"
	fold *bool, // derive objects that are proven equal to others but for their GPU (default: as KMX_FOLD says)
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Release(ctx, flow.Build{
			Jobs: or(jobs, 0), KeepGoing: !or(failFast, false), Defer: or(deferred, false), Accept: or(accept, ""), Vars: or(vars, ""), Fold: fold,
		})
	})
}

// Stamp adds the hashes of DLSS libraries to a finished release; it needs no compiler.
func (Release) Stamp(ctx context.Context, dir, libraries string,
	accept *string, // takes on PTX modules that nobody has approved: "WHO: WHY"
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.Stamp(ctx, dir, libraries, or(accept, "")) })
}

// Kernels builds one family for some GPUs, into dist/dev.
type Kernels mg.Namespace

// K builds the DLSS 4 kernels for some GPUs (gfx1201, gfx12, all).
func (Kernels) K(ctx context.Context, targets string,
	numerics *string, // fast or accuracy (default: fast)
	fp8 *bool, // the FP8 set of a GPU that has one (default: true)
	all *bool, // every numerics and FP8 variant
	jobs *int, // processes at once (default: one per processor)
	keepGoing *bool, // finish the rest after a failure, and end with a table of outcomes
	deferred *bool, // what compilers say of failures is shown together at the end
	fold *bool, // derive objects that are proven equal to others but for their GPU (default: as KMX_FOLD says)
	cflags *string, // compiler flags to try on these cells; what they make is kept apart
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return kernels(ctx, "k", targets, numerics, fp8, all, choices{jobs, keepGoing, deferred, fold, cflags, vars}.build())
}

// M builds the DLSS 4.5 kernels for some GPUs (gfx1201, gfx12, all).
func (Kernels) M(ctx context.Context, targets string,
	numerics *string, // fast or accuracy (default: fast)
	fp8 *bool, // the FP8 set of a GPU that has one (default: true)
	all *bool, // every numerics and FP8 variant
	jobs *int, // processes at once (default: one per processor)
	keepGoing *bool, // finish the rest after a failure, and end with a table of outcomes
	deferred *bool, // what compilers say of failures is shown together at the end
	fold *bool, // derive objects that are proven equal to others but for their GPU (default: as KMX_FOLD says)
	cflags *string, // compiler flags to try on these cells; what they make is kept apart
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return kernels(ctx, "m", targets, numerics, fp8, all, choices{jobs, keepGoing, deferred, fold, cflags, vars}.build())
}

// Tex builds the texture kernels for some GPUs (gfx1201, gfx12, all), from the DLSS library in D4R_DLSS_DLLS.
func (Kernels) Tex(ctx context.Context, targets string,
	numerics *string, // fast or accuracy (default: fast)
	fp8 *bool, // the FP8 set of a GPU that has one (default: true)
	all *bool, // every numerics and FP8 variant
	jobs *int, // processes at once (default: one per processor)
	keepGoing *bool, // finish the rest after a failure, and end with a table of outcomes
	deferred *bool, // what compilers say of failures is shown together at the end
	accept *string, // takes on PTX modules that nobody has approved: "WHO: WHY"
	fold *bool, // derive objects that are proven equal to others but for their GPU (default: as KMX_FOLD says)
	cflags *string, // compiler flags to try on the helpers; what they make is kept apart
	vars *string, // matrix variables, name=value, comma-separated
) error {
	b := choices{jobs, keepGoing, deferred, fold, cflags, vars}.build()
	b.Accept = or(accept, "")
	return kernels(ctx, "tex", targets, numerics, fp8, all, b)
}

// All builds every family for some GPUs (gfx1201, gfx12, all).
func (Kernels) All(ctx context.Context, targets string,
	numerics *string, // fast or accuracy (default: fast)
	fp8 *bool, // the FP8 set of a GPU that has one (default: true)
	all *bool, // every numerics and FP8 variant
	jobs *int, // processes at once (default: one per processor)
	keepGoing *bool, // finish the rest after a failure, and end with a table of outcomes
	deferred *bool, // what compilers say of failures is shown together at the end
	accept *string, // takes on PTX modules that nobody has approved: "WHO: WHY"
	fold *bool, // derive objects that are proven equal to others but for their GPU (default: as KMX_FOLD says)
	cflags *string, // compiler flags to try on these cells; what they make is kept apart
	vars *string, // matrix variables, name=value, comma-separated
) error {
	b := choices{jobs, keepGoing, deferred, fold, cflags, vars}.build()
	b.Accept = or(accept, "")
	return kernels(ctx, "*", targets, numerics, fp8, all, b)
}

// choices are those that every command with a result in dist/dev has.
type choices struct {
	jobs                *int
	keepGoing, deferred *bool
	fold                *bool
	cflags, vars        *string
}

func (c choices) build() flow.Build {
	return flow.Build{
		Jobs: or(c.jobs, 0), KeepGoing: or(c.keepGoing, false), Defer: or(c.deferred, false),
		Fold: c.fold, Flags: or(c.cflags, ""), Vars: or(c.vars, ""),
	}
}

func kernels(ctx context.Context, family, targets string, numerics *string, fp8, all *bool, b flow.Build) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Kernels(ctx, flow.Kernels{
			Family: family, Targets: targets, Numerics: or(numerics, "fast"), FP8: or(fp8, true), All: or(all, false),
			Build: b,
		})
	})
}

// Build builds the cells that selectors name, into dist/dev.
func Build(ctx context.Context, selectors string,
	not *string, // cells to leave out, as selectors
	jobs *int, // processes at once (default: one per processor)
	keepGoing *bool, // finish the rest after a failure, and end with a table of outcomes
	deferred *bool, // what compilers say of failures is shown together at the end
	accept *string, // takes on PTX modules that nobody has approved: "WHO: WHY"
	fold *bool, // derive objects that are proven equal to others but for their GPU (default: as KMX_FOLD says)
	cflags *string, // compiler flags to try on these cells; what they make is kept apart
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		b := choices{jobs, keepGoing, deferred, fold, cflags, vars}.build()
		b.Accept = or(accept, "")
		return p.Build(ctx, selectors, or(not, ""), b)
	})
}

// Watch builds cells into dist/dev, and again on every save, until Ctrl-C.
func Watch(ctx context.Context, selectors string,
	not *string, // cells to leave out, as selectors
	jobs *int, // processes at once (default: one per processor)
	cflags *string, // compiler flags to try on these cells; what they make is kept apart
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Watch(ctx, selectors, or(not, ""), choices{jobs: jobs, cflags: cflags, vars: vars}.build())
	})
}

// Guard fails when an object's code is not what a git revision makes of it, and says what differs.
func Guard(ctx context.Context, selectors string,
	since *string, // the revision to compare with (default: HEAD)
	not *string, // cells to leave out, as selectors
	json *bool, // as JSON (kmx.guard/1)
	jobs *int, // processes at once (default: one per processor)
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Guard(ctx, flow.Guard{
			Selectors: selectors, Not: or(not, ""), Since: or(since, "HEAD"), JSON: or(json, false), Build: choices{jobs: jobs, vars: vars}.build(),
		})
	})
}

// Plan prints what a release would have to build, and why.
func Plan(ctx context.Context,
	selectors *string, // the cells to look at (default: those of a release)
	commands *bool, // the compiler's command lines, ready to run from here
	json *bool, // as JSON (kmx.plan/1)
	all *bool, // every address, where a long list would be cut
	check *bool, // exit code 7 when there is something to do
	fold *bool, // as a folded build would go about it (default: as KMX_FOLD says)
	jobs *int, // processes at once, for the prediction (default: one per processor)
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Plan(ctx, flow.PlanView{
			Selectors: or(selectors, ""), Commands: or(commands, false), JSON: or(json, false), All: or(all, false),
			Check: or(check, false), Jobs: or(jobs, 0), Vars: or(vars, ""), Fold: fold,
		})
	})
}

// Explain says why a cell was built last, and why it would be built now.
func Explain(ctx context.Context, address string,
	json *bool, // as JSON (kmx.explain/1)
	cflags *string, // with these compiler flags on trial
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Explain(ctx, address, or(json, false), or(cflags, ""), or(vars, ""))
	})
}
