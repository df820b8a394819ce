// kmx-validate runs captures of kernel launches on the emulator and on the
// reference models, compares results, and reads frames and profiles. The
// validate: targets of the front door start it, so that what it needs costs
// nothing there.
//
// It prints data on standard output and what is wrong on standard error, with
// the exit codes of docs/exit-codes.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"kmx/internal/diag"
)

// toDo is the exit code for a check that finds a difference.
const toDo diag.Class = 7

// verb is one command: how many words it takes and what it does with them.
type verb struct {
	words string // for its usage
	n     int
	run   func(ctx context.Context, out io.Writer, flags *flag.FlagSet, args, choices []string) error
}

var verbs = map[string]verb{
	"replay":   {"CAPTURE OBJECT", 2, replay},
	"model":    {"CAPTURE", 1, reference},
	"compare":  {"REFERENCE RESULT", 2, compare},
	"psnr":     {"A B", 2, psnr},
	"profile":  {"LOG FRAMES", 2, profile},
	"generate": {"LAYER DIR", 2, generate},
	"stats":    {"OBJECTS FILE", 2, stats},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	if err == nil {
		return
	}
	var f *diag.Failure
	if !errors.As(err, &f) {
		f = diag.Failf(diag.IO, "", "%w", err)
	}
	diag.Print(os.Stderr, f.Messages, diag.Style{})
	os.Exit(diag.ExitCode(err))
}

func run(ctx context.Context, out io.Writer, args []string) error {
	var names []string
	for name := range verbs {
		names = append(names, name)
	}
	if len(args) == 0 {
		return diag.Failf(diag.Usage, "", "kmx-validate takes one of %s", diag.Or(sorted(names)))
	}
	v, ok := verbs[args[0]]
	if !ok {
		return diag.Failf(diag.Usage, diag.DidYouMean(args[0], sorted(names)), "%q is none of %s", args[0], diag.Or(sorted(names)))
	}
	rest := args[1:]
	if len(rest) < v.n {
		return diag.Failf(diag.Usage, "", "%s takes %s", args[0], v.words)
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return v.run(ctx, out, flags, rest[:v.n], rest[v.n:])
}

// parse reads the choices of a verb.
func parse(flags *flag.FlagSet, choices []string) error {
	err := flags.Parse(choices)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("%q is one word too many", flags.Arg(0))
	}
	if err != nil {
		return diag.Failf(diag.Usage, "", "%s: %w", flags.Name(), err)
	}
	return nil
}
