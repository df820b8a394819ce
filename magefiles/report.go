//go:build mage

package main

import (
	"context"

	"github.com/magefile/mage/mg"

	"kmx/flow"
)

// Report writes a page about the last build, or another one, also a failed one; or its trace for Perfetto.
func Report(ctx context.Context,
	log *string, // last, last~1 ..., the name of a log of this checkout, or a path (default: last)
	o *string, // the page (default: dist/report.html)
	against *string, // a release to compare with: its folder, that of a set, or dist/dev
	trace *string, // write a trace (JSON) to this file; alone: no page
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Report(ctx, flow.Report{Log: or(log, ""), Out: or(o, ""), Against: or(against, ""), Trace: or(trace, "")})
	})
}

// Log reads the logs of builds afterwards.
type Log mg.Namespace

// WhatRan lists the cells that a build ran a process for (`log:what-ran`).
func (Log) WhatRan(ctx context.Context,
	log *string, // last, last~1 ..., the name of a log of this checkout, or a path (default: last)
	json *bool, // as JSON (kmx.log/1)
) error {
	return askLog(ctx, "what-ran", nil, choice("log", log), choice("json", json))
}

// WhatFailed lists the cells that failed, with what their tools said (`log:what-failed`).
func (Log) WhatFailed(ctx context.Context,
	log *string, // last, last~1 ..., the name of a log of this checkout, or a path (default: last)
	json *bool, // as JSON (kmx.log/1)
) error {
	return askLog(ctx, "what-failed", nil, choice("log", log), choice("json", json))
}

// Slowest lists the cells whose processes took longest.
func (Log) Slowest(ctx context.Context,
	log *string, // last, last~1 ..., the name of a log of this checkout, or a path (default: last)
	n *int, // how many (default: 20)
	json *bool, // as JSON (kmx.log/1)
) error {
	return askLog(ctx, "slowest", nil, choice("log", log), choice("n", n), choice("json", json))
}

// CriticalPath lists the processes that the end of a build waited for (`log:critical-path`).
func (Log) CriticalPath(ctx context.Context,
	log *string, // last, last~1 ..., the name of a log of this checkout, or a path (default: last)
	json *bool, // as JSON (kmx.log/1)
) error {
	return askLog(ctx, "critical-path", nil, choice("log", log), choice("json", json))
}

// Diff compares the logs of two builds: cells, ends, times.
func (Log) Diff(ctx context.Context, before, now string,
	json *bool, // as JSON (kmx.logdiff/1)
) error {
	return askLog(ctx, "diff", []string{before, now}, choice("json", json))
}

func askLog(ctx context.Context, question string, words []string, choices ...string) error {
	args := words
	for _, c := range choices {
		if c != "" {
			args = append(args, c)
		}
	}
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.AskLog(ctx, question, args...) })
}
