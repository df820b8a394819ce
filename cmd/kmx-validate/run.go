package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kmx/amdgpu/emu"
	"kmx/internal/diag"
	"kmx/validate/capture"
	"kmx/validate/layout"
	"kmx/validate/model"
)

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}

// read reads a capture; a bad one is a failed verification.
func read(dir string) (*capture.Capture, error) {
	c, err := capture.Read(dir)
	var bad *capture.BadCapture
	switch {
	case errors.As(err, &bad):
		var list diag.List
		for _, p := range bad.Problems {
			list = append(list, diag.Message{Summary: dir + ": " + p})
		}
		return nil, &diag.Failure{Class: diag.Verify, Messages: list, Err: err}
	case err != nil:
		return nil, diag.Failf(diag.IO, "", "%w", err)
	}
	return c, nil
}

// resultDir is where a result goes: -out, or beside the capture.
func resultDir(out, dir, what string) string {
	if out != "" {
		return out
	}
	return filepath.Clean(dir) + "." + what
}

func write(c *capture.Capture, dir string) error {
	if err := c.Write(dir); err != nil {
		return diag.Failf(diag.IO, "name a new folder with -out", "%w", err)
	}
	return nil
}

var orders = map[string]emu.Order{"forward": emu.Forward, "reverse": emu.Reverse, "interleaved": emu.Interleaved}

func replay(ctx context.Context, out io.Writer, flags *flag.FlagSet, args, choices []string) error {
	to := flags.String("out", "", "")
	order := flags.String("order", "forward", "")
	noPrep := flags.Bool("noPrep", false, "")
	ulp := flags.Int("ulp", 0, "")
	gridX, gridY := flags.Uint("gridX", 0, ""), flags.Uint("gridY", 0, "")
	workers := flags.Int("workers", 0, "")
	if err := parse(flags, choices); err != nil {
		return err
	}
	waves, ok := orders[*order]
	if !ok {
		return diag.Failf(diag.Usage, diag.DidYouMean(*order, []string{"forward", "reverse", "interleaved"}), "-order=%s is none of forward, reverse and interleaved", *order)
	}
	if *gridX > 1<<20 || *gridY > 1<<20 {
		return diag.Failf(diag.Usage, "", "-gridX and -gridY go up to %d", 1<<20)
	}
	c, err := read(args[0])
	if err != nil {
		return err
	}
	if err := c.Unreplayable(); err != nil {
		return diag.Failf(diag.Usage, "", "%w", err)
	}
	object, err := os.ReadFile(args[1])
	if err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	objdump, err := emu.FindObjdump()
	if err != nil {
		return diag.Failf(diag.Toolchain, "", "%w", err)
	}
	r, err := capture.Replay(ctx, object, c, capture.ReplayOptions{Objdump: objdump, NoPrep: *noPrep,
		GridX: uint32(*gridX), GridY: uint32(*gridY), Order: waves, ULP: *ulp, Workers: *workers})
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return diag.Failf(diag.Verify, "", "%w", err)
	}
	dir := resultDir(*to, args[0], "replayed")
	if err := write(r.After, dir); err != nil {
		return err
	}
	grid, block := r.Hook.Shape(c.Grid, c.Block)
	fmt.Fprintf(out, "%s on %s, emulated: %v work-groups of %v work-items\n", c.Kernel, r.Target, grid, block)
	if r.Prep != nil {
		fmt.Fprintf(out, "%s_prep, %d blocks of %d:\n%s\n", c.Kernel, r.Hook.PrepBlocks, capture.PrepThreads, indent(r.Prep.String()))
	}
	fmt.Fprintf(out, "%s:\n%s\nmemory afterwards: %s\n", c.Kernel, indent(r.Stats.String()), dir)
	return nil
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}

var modes = map[string]model.Mode{"exact": model.Exact, "fast": model.Fast, "fp8": model.FastFP8}

func reference(_ context.Context, out io.Writer, flags *flag.FlagSet, args, choices []string) error {
	to := flags.String("out", "", "")
	mode := flags.String("mode", "exact", "")
	generation := flags.Int("generation", 12, "")
	ulp := flags.Int("ulp", 0, "")
	workers := flags.Int("workers", 0, "")
	if err := parse(flags, choices); err != nil {
		return err
	}
	m, ok := modes[*mode]
	if !ok {
		return diag.Failf(diag.Usage, diag.DidYouMean(*mode, []string{"exact", "fast", "fp8"}), "-mode=%s is none of exact, fast and fp8", *mode)
	}
	if *generation != 11 && *generation != 12 {
		return diag.Failf(diag.Usage, "", "-generation=%d is neither 11 nor 12", *generation)
	}
	c, err := read(args[0])
	if err != nil {
		return err
	}
	after, err := capture.Model(c, model.Options{Mode: m, Generation: *generation, ULP: *ulp, Workers: *workers})
	if err != nil {
		return diag.Failf(diag.Usage, "the models know the layers of K and M", "%w", err)
	}
	dir := resultDir(*to, args[0], "model")
	if err := write(after, dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s by the %s model, generation %d\nmemory afterwards: %s\n", c.Kernel, *mode, *generation, dir)
	return nil
}

func compare(_ context.Context, out io.Writer, flags *flag.FlagSet, args, choices []string) error {
	from := flags.String("capture", "", "")
	check := flags.Bool("check", false, "")
	if err := parse(flags, choices); err != nil {
		return err
	}
	var base *capture.Capture
	var err error
	if *from != "" {
		if base, err = read(*from); err != nil {
			return err
		}
	}
	var sides [2]*capture.Capture
	for i, dir := range args {
		if sides[i], err = capture.ReadResults(dir, base); err != nil {
			return diag.Failf(diag.Verify, "results of dump_runner need the capture they are of: -capture=DIR", "%w", err)
		}
	}
	r, err := capture.Compare(sides[0], sides[1])
	if err != nil {
		return diag.Failf(diag.Verify, "", "%w", err)
	}
	fmt.Fprint(out, r)
	if *check && !r.Equal() {
		return &diag.Failure{Class: toDo}
	}
	return nil
}

func generate(_ context.Context, out io.Writer, flags *flag.FlagSet, args, choices []string) error {
	size := flags.String("size", "", "")
	shift := flags.String("shift", "0,0", "")
	seed := flags.Uint64("seed", 1, "")
	stress := flags.Bool("stress", false, "")
	if err := parse(flags, choices); err != nil {
		return err
	}
	l, err := layout.Find(args[0])
	if err != nil {
		return diag.Failf(diag.Usage, "", "%w", err)
	}
	cases := capture.Cases(l)
	if *size != "" {
		c := capture.Case{Name: "chosen", Seed: *seed, Stress: *stress}
		if _, err := fmt.Sscanf(*size+" "+*shift, "%dx%d %d,%d", &c.Grid.W, &c.Grid.H, &c.ShiftX, &c.ShiftY); err != nil {
			return diag.Failf(diag.Usage, "as in -size=40x24 -shift=2,2", "-size=%s -shift=%s is no size and shift", *size, *shift)
		}
		cases = []capture.Case{c}
	}
	for i, k := range cases {
		c, err := capture.Generate(l, k)
		if err != nil {
			return diag.Failf(diag.Usage, "", "%w", err)
		}
		dir := filepath.Join(args[1], capture.DirectoryName(i+1, l.Name))
		if err := write(c, dir); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s  %s\n", dir, k)
	}
	return nil
}
