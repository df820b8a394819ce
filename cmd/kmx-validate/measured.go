package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"kmx/internal/diag"
	"kmx/validate/capture"
)

func psnr(_ context.Context, out io.Writer, flags *flag.FlagSet, args, choices []string) error {
	d := capture.DefaultFrameShape
	size := flags.String("size", fmt.Sprintf("%dx%d", d.W, d.H), "")
	exclude := flags.String("exclude", "", "")
	atLeast := flags.Float64("atLeast", math.Inf(-1), "")
	if err := parse(flags, choices); err != nil {
		return err
	}
	shape := d
	if _, err := fmt.Sscanf(*size, "%dx%d", &shape.W, &shape.H); err != nil {
		return diag.Failf(diag.Usage, "as in -size=2560x1440", "-size=%s is no size", *size)
	}
	switch *exclude {
	case "":
	case "none":
		shape.Rows = capture.Span{From: 1, To: 0}
	default:
		if _, err := fmt.Sscanf(*exclude, "%d-%d,%d-%d", &shape.Rows.From, &shape.Rows.To, &shape.Columns.From, &shape.Columns.To); err != nil {
			return diag.Failf(diag.Usage, "rows, then columns, ends included, as in -exclude=1370-1391,1850-2459, or -exclude=none", "-exclude=%s is no part of a frame", *exclude)
		}
	}
	r, err := capture.PSNR(args[0], args[1], shape)
	if err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	fmt.Fprint(out, r)
	if !(r.Minimum >= *atLeast) {
		return &diag.Failure{Class: toDo}
	}
	return nil
}

func profile(_ context.Context, out io.Writer, flags *flag.FlagSet, args, choices []string) error {
	frames, err := strconv.Atoi(args[1])
	if err != nil {
		return diag.Failf(diag.Usage, "", "%q is no number of frames", args[1])
	}
	warm := flags.Int("warm", frames/2, "")
	if err := parse(flags, choices); err != nil {
		return err
	}
	log, err := os.Open(args[0])
	if err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	defer log.Close()
	p, err := capture.ReadProfile(log, frames, *warm)
	if err != nil {
		return diag.Failf(diag.Usage, "", "%w", err)
	}
	fmt.Fprint(out, p)
	return nil
}
