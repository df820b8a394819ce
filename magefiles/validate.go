//go:build mage

package main

import (
	"context"
	"fmt"

	"github.com/magefile/mage/mg"

	"kmx/flow"
)

// Validate runs captured launches without a GPU and compares results.
type Validate mg.Namespace

// Replay runs a capture on the emulator, as the runtime's hook would, and writes the memory afterwards.
func (Validate) Replay(ctx context.Context, capture, object string,
	out *string, // folder for the memory afterwards (default: CAPTURE.replayed)
	order *string, // how the waves of a work-group take turns: forward, reverse, interleaved
	ulp *int, // added to the last place of each rcp, rsq, exp2 ... result
	gridX *int, // work-groups in x, instead of the capture's
	gridY *int, // work-groups in y
	noPrep *bool, // leave the prep kernel out
	workers *int, // work-groups at a time (default: processors)
) error {
	return validate(ctx, "replay", []string{capture, object}, choice("out", out), choice("order", order), choice("ulp", ulp),
		choice("gridX", gridX), choice("gridY", gridY), choice("noPrep", noPrep), choice("workers", workers))
}

// Model computes a capture of a K or M layer with the reference model and writes the memory afterwards.
func (Validate) Model(ctx context.Context, capture string,
	out *string, // folder for the memory afterwards (default: CAPTURE.model)
	mode *string, // exact (accuracy builds, the default), fast, fp8 (fast builds with FP8)
	generation *int, // of the GPU: 11 or 12 (default)
	ulp *int, // added to the last place of each rcp, rsq and exp2 result
	workers *int, // work-groups at a time (default: processors)
) error {
	return validate(ctx, "model", []string{capture}, choice("out", out), choice("mode", mode),
		choice("generation", generation), choice("ulp", ulp), choice("workers", workers))
}

// Compare says how far the outputs of two runs of one capture lie apart.
func (Validate) Compare(ctx context.Context, reference, result string,
	capture *string, // the capture, where a folder has only the alloc-N.bin files of dump_runner
	check *bool, // exit code 7 when a byte differs
) error {
	return validate(ctx, "compare", []string{reference, result}, choice("capture", capture), choice("check", check))
}

// Psnr compares the frames frame-*.rgba16f of two folders.
func (Validate) Psnr(ctx context.Context, a, b string,
	size *string, // pixels of a frame (default: 2560x1440)
	exclude *string, // rows,columns that do not count, or none (default: 1370-1391,1850-2459)
	atLeast *float64, // exit code 7 when a frame has less, in dB
) error {
	return validate(ctx, "psnr", []string{a, b}, choice("size", size), choice("exclude", exclude), choice("atLeast", atLeast))
}

// Profile sums up a kernel profile that the bridge wrote, by kernel and frame.
func (Validate) Profile(ctx context.Context, log, frames string,
	warm *int, // frames at the beginning that do not count (default: half)
) error {
	return validate(ctx, "profile", []string{log, frames}, choice("warm", warm))
}

// Generate writes seeded captures of a layer (k/enc1, m/dec2 ...) into a folder.
func (Validate) Generate(ctx context.Context, layer, dir string,
	size *string, // one capture of so many tokens, 40x24, instead of the usual cases
	shift *string, // of its windows (default: 0,0)
	seed *int, // of its numbers (default: 1)
	stress *bool, // numbers at the ends of the formats
) error {
	return validate(ctx, "generate", []string{layer, dir}, choice("size", size), choice("shift", shift), choice("seed", seed), choice("stress", stress))
}

// Mutate breaks the kernels' sources in small ways and shows which of them the models and the emulator find.
func (Validate) Mutate(ctx context.Context,
	seed *int, // which mutants are drawn (default: 1)
	n *int, // mutants that compile to another object (default: 240)
	jobs *int, // mutants at a time (default: processors)
	report *string, // Markdown file for the table
	why *string, // file with the reasons of survivors: an ID and a text a line
	kernels *string, // only kernels that match this regular expression
	places *string, // only places whose FILE:LINE OPERATOR match this regular expression
	list *bool, // only list the places
) error {
	var args []string
	for _, c := range []string{choice("seed", seed), choice("n", n), choice("jobs", jobs), choice("report", report), choice("why", why),
		choice("kernels", kernels), choice("places", places), choice("list", list)} {
		if c != "" {
			args = append(args, c)
		}
	}
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.Mutate(ctx, args...) })
}

// Nvidia runs small PTX kernels, roundf over all numbers and edited texture kernels on an NVIDIA GPU (Linux only).
func (Validate) Nvidia(ctx context.Context,
	out *string, // folder for new vectors and results.json, instead of comparing with the vectors there are
	ptxas *string, // the assembler (default: ptxas, without one the driver's compiler)
	only *string, // one part alone: corpus, roundf, assemble, edited
	limit *string, // give up after this long (default: 25m)
) error {
	var args []string
	for _, c := range []string{choice("out", out), choice("ptxas", ptxas), choice("only", only), choice("limit", limit)} {
		if c != "" {
			args = append(args, c)
		}
	}
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.Nvidia(ctx, args...) })
}

func validate(ctx context.Context, verb string, words []string, choices ...string) error {
	args := words
	for _, c := range choices {
		if c != "" {
			args = append(args, c)
		}
	}
	return run(ctx, func(ctx context.Context, p *flow.Project) error { return p.Validate(ctx, verb, args...) })
}

// choice is a choice as the validator takes it, or nothing.
func choice[T any](name string, value *T) string {
	if value == nil {
		return ""
	}
	return fmt.Sprintf("-%s=%v", name, *value)
}
