//go:build mage

package main

import (
	"context"

	"github.com/magefile/mage/mg"

	"kmx/flow"
)

// Dlss looks into DLSS libraries.
type Dlss mg.Namespace

// List prints the PTX modules of a library: entries, versions, compression, sizes, hashes.
func (Dlss) List(ctx context.Context, library string,
	json *bool, // as JSON (kmx.dlss-list/1)
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.DLSSList(ctx, library, or(json, false)) })
}

// Diff says what became of every kernel of the matrix from one library to another, whether its recipe still applies, and what is to be approved.
func (Dlss) Diff(ctx context.Context, before, after string,
	json *bool, // as JSON (kmx.dlss-diff/1)
	all *bool, // every kernel, and every line of what differs
	check *bool, // exit code 7 when a kernel is not the same or a recipe does not apply
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.DLSSDiff(ctx, flow.DLSSDiff{
			Old: before, New: after, JSON: or(json, false), All: or(all, false), Check: or(check, false), Vars: or(vars, ""),
		})
	})
}

// Standin writes a library of kmx's own PTX under the entry names of DLSS's kernels, to try everything without NVIDIA's.
func (Dlss) Standin(ctx context.Context, out string,
	next *bool, // another version of it: kernels renamed, changed, gone and new
	fault *string, // what is to be wrong with it; an unknown one lists them
) error {
	var args []string
	if or(next, false) {
		args = append(args, "-next")
	}
	if fault != nil {
		args = append(args, "-fault="+*fault)
	}
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.DLSSStandin(ctx, out, args...) })
}

// Tex looks at the edits of NVIDIA's PTX.
type Tex mg.Namespace

// Diff prints the PTX that a cell is made of against what its recipe makes of it.
func (Tex) Diff(ctx context.Context, address string,
	all *bool, // every line of what is taken out; what comes out is a patch
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.TexDiff(ctx, address, or(all, false), or(vars, ""))
	})
}
