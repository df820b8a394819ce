//go:build mage

package main

import (
	"context"

	"github.com/magefile/mage/mg"

	"kmx/flow"
)

// CI makes one release on many machines.
type CI mg.Namespace

// Plan shares out what a release has to build, writes the plan and prints its shards; fewer when results exist, none when all do.
func (CI) Plan(ctx context.Context,
	shards *int, // at most (default: 4)
	github *bool, // print the matrix of a GitHub job (256 jobs at most)
	gitlab *bool, // print a GitLab child pipeline (200 jobs at most)
	json *bool, // print the plan (kmx.ci-plan/1)
	selectors *string, // these cells, into dist/dev (default: those of a release)
	jobs *int, // processes at once on one runner (default: 4)
	memory *string, // memory of one runner (default: 16GiB)
	out *string, // file of the plan (default: dist/ci/plan.json)
	summary *string, // add Markdown for people to this file
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.CIPlan(ctx, flow.CIPlan{
			Shards: or(shards, 4), GitHub: or(github, false), GitLab: or(gitlab, false), JSON: or(json, false), Selectors: or(selectors, ""),
			Jobs: or(jobs, 4), Memory: or(memory, "16GiB"), Out: or(out, ""), Summary: or(summary, ""), Vars: or(vars, ""),
		})
	})
}

// Build builds one shard of a plan (2/4@0123456789ab) and writes a bundle of its results.
func (CI) Build(ctx context.Context, shard string,
	plan *string, // file of the plan (default: dist/ci/plan.json)
	out *string, // file of the bundle (default: dist/ci/bundles/shard-I-of-N.kmxb)
	jobs *int, // processes at once (default: one per processor)
	summary *string, // add Markdown for people to this file
	quality *string, // write GitLab's code quality report to this file
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.CIBuild(ctx, shard, flow.CIBuild{
			Plan: or(plan, ""), Out: or(out, ""), Jobs: or(jobs, 0), Summary: or(summary, ""), Quality: or(quality, ""),
		})
	})
}

// Merge proves that the bundles below a folder belong together, and makes the release that one machine would.
func (CI) Merge(ctx context.Context, dir string,
	plan *string, // file of the plan (default: dist/ci/plan.json)
	jobs *int, // processes at once (default: one per processor)
	summary *string, // add Markdown for people to this file
	before *string, // an earlier release; where its toolchain was another, the summary compares the two
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.CIMerge(ctx, dir, flow.CIMerge{Plan: or(plan, ""), Jobs: or(jobs, 0), Summary: or(summary, ""), Before: or(before, "")})
	})
}
