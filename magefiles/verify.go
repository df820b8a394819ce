//go:build mage

package main

import (
	"context"

	"kmx/flow"
)

// Verify proves a release or an archive: complete, as its digests say, every object what its manifest says; no compiler needed.
func (Release) Verify(ctx context.Context, release string,
	requireSignature *string, // public key (a file of minisign, or its line) that must have signed the archives
	date *string, // day that exclusions are held against, YYYY-MM-DD (default: SOURCE_DATE_EPOCH, else the release's date)
) error {
	return verify(ctx, "verify", []string{release}, choice("requireSignature", requireSignature), choice("date", date))
}

// Diff compares two releases, sets or archives object by object, worst first.
func (Release) Diff(ctx context.Context, a, b string,
	markdown *bool, // as Markdown, for the summary of a CI run
	json *bool, // as JSON (kmx.diff/1)
	check *bool, // exit code 7 when code or constants of an object differ, or one came or went
) error {
	return verify(ctx, "diff", []string{a, b}, choice("markdown", markdown), choice("json", json), choice("check", check))
}

// Select says which folder and kernels of a release the bridge would serve on a machine, and why.
func (Release) Select(ctx context.Context, dir string,
	ini *string, // the d4r.ini with the machine's settings
	set *string, // settings over those, NAME=VALUE, comma-separated
	topology *string, // the machine's GPUs (default: /sys/class/kfd/kfd/topology/nodes)
	libraries *string, // DLSS libraries that will be loaded, or folders of them, separated as in PATH
	json *bool, // as JSON (kmx.select/1)
	check *bool, // exit code 7 when native kernels stay off or something would not work as meant
) error {
	return verify(ctx, "select", []string{dir}, choice("ini", ini), choice("set", set), choice("topology", topology),
		choice("libraries", libraries), choice("json", json), choice("check", check))
}

// Reproduce builds the release twice under different conditions and names what an object depends on that it must not.
func (Release) Reproduce(ctx context.Context,
	selectors *string, // these cells instead of the whole release
	jobs *int, // processes at once in the second build (default: one per processor, at least 2)
	keep *bool, // leave both trees
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Reproduce(ctx, flow.Reproduce{Selectors: or(selectors, ""), Jobs: or(jobs, 0), Keep: or(keep, false), Vars: or(vars, "")})
	})
}

func verify(ctx context.Context, verb string, words []string, choices ...string) error {
	args := words
	for _, c := range choices {
		if c != "" {
			args = append(args, c)
		}
	}
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.Verify(ctx, verb, args...) })
}

// Bisect finds the commit, or the toolchain, from which on a cell's object is another one or fails a test.
func Bisect(ctx context.Context, address string,
	good *string, // the revision with the good object
	bad *string, // the revision with the bad one
	test *string, // shell command that judges $BISECT_OBJECT: exit code 0 good, 125 cannot tell, else bad
	toolchains *string, // instead of commits: folders as D4R_ROCM_DIR names them, the good one first, comma-separated
	again *bool, // forget what an earlier run has found out
	jobs *int, // processes at once (default: one per processor)
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Bisect(ctx, flow.Bisect{
			Address: address, Good: or(good, ""), Bad: or(bad, ""), Test: or(test, ""), Toolchains: or(toolchains, ""), Again: or(again, false),
			Build: choices{jobs: jobs, vars: vars}.build(),
		})
	})
}
