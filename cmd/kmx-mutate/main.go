package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"

	"kmx/door"
	"kmx/internal/diag"
	"kmx/internal/durable"
)

// choices are those of the command line.
type choices struct {
	seed    uint64
	n, jobs int
	results string
	report  string
	why     string
	list    bool
	kernels *regexp.Regexp
	places  *regexp.Regexp
	only    string
	atLeast float64
}

func main() {
	o, err := readChoices(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ok, err := mutate(ctx, o)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "Error: interrupted; the same command goes on")
		os.Exit(130)
	case err != nil:
		var f *diag.Failure
		if !errors.As(err, &f) {
			f = diag.Failf(diag.IO, "", "%w", err)
		}
		diag.Print(os.Stderr, f.Messages, diag.Style{})
		os.Exit(diag.ExitCode(f))
	case !ok:
		os.Exit(7)
	}
}

func readChoices(args []string) (o choices, err error) {
	f := flag.NewFlagSet("kmx-mutate", flag.ContinueOnError)
	f.Uint64Var(&o.seed, "seed", 1, "which mutants are drawn")
	f.IntVar(&o.n, "n", 240, "mutants that count: those that compile to another object")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "mutants at a time")
	f.StringVar(&o.results, "results", "", "what was judged: appended to, and not done again; default: bin/mutants.jsonl of the checkout")
	f.StringVar(&o.report, "report", "", "write the report to this Markdown file; default: standard output")
	f.StringVar(&o.why, "why", "", "file with the reasons of survivors, an ID and a text a line; default: cmd/kmx-mutate/reasons.txt as compiled in")
	f.BoolVar(&o.list, "list", false, "only list the places that can be mutated")
	f.StringVar(&o.only, "only", "", "only the mutant with this ID, judged by every kernel that has it")
	f.Float64Var(&o.atLeast, "atLeast", 95, "exit code 7 when fewer of the mutants that are faults are killed, in percent")
	kernels := f.String("kernels", "", "only kernels whose names match this regular expression")
	places := f.String("places", "", "only places whose FILE:LINE OPERATOR match this regular expression")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q is one word too many; choices are written as -seed=2", f.Arg(0))
	}
	if o.n < 1 || o.jobs < 1 {
		return o, fmt.Errorf("-n and -jobs begin at 1")
	}
	if o.kernels, err = regexp.Compile(*kernels); err != nil {
		return o, fmt.Errorf("-kernels: %w", err)
	}
	if o.places, err = regexp.Compile(*places); err != nil {
		return o, fmt.Errorf("-places: %w", err)
	}
	return o, nil
}

// checkout is that of kmx around the working directory.
func checkout() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if door.Of(dir).HasSources() {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", diag.Failf(diag.Usage, "", "run this in a checkout of kmx, whose kernels it breaks")
		}
	}
	return "", err
}

// mutate lists or judges, and tells whether enough was killed.
func mutate(ctx context.Context, o choices) (ok bool, err error) {
	root, err := checkout()
	if err != nil {
		return false, err
	}
	if o.results == "" {
		o.results = filepath.Join(root, "bin", "mutants.jsonl")
	}
	ks, err := kernels(root)
	if err != nil {
		return false, err
	}
	ks = slices.DeleteFunc(ks, func(k kernel) bool { return !o.kernels.MatchString(k.layer.Name) })
	if len(ks) == 0 {
		return false, diag.Failf(diag.Usage, "kernels are called dltss_pwin_enc0_layer ... and rrlite_enc1_4x4 ...", "-kernels=%v matches no kernel", o.kernels)
	}
	all, err := catalogue(root, ks)
	if err != nil {
		return false, err
	}
	for f, list := range all {
		all[f] = slices.DeleteFunc(list, func(s site) bool {
			return !o.places.MatchString(fmt.Sprintf("%s:%d %s", s.File, s.Line, s.Operator)) || o.only != "" && s.ID() != o.only
		})
	}
	if o.list {
		list(all)
		return true, nil
	}
	why, err := readReasons(o.why)
	if err != nil {
		return false, err
	}
	return judge(ctx, o, root, ks, all, why)
}

func judge(ctx context.Context, o choices, root string, ks []kernel, all map[string][]site, why reasons) (bool, error) {
	c, err := newCampaign(ctx, o, root, ks)
	if err != nil {
		return false, err
	}
	records, err := c.run(ctx, draws(o.seed, ks, all))
	if err != nil {
		return false, err
	}
	text := markdown(o.seed, c.compiler, records, why)
	if o.report == "" {
		fmt.Print(text)
	} else if err := durable.WriteFile(o.report, []byte(text), 0o644); err != nil {
		return false, err
	}
	fmt.Fprintln(os.Stderr, summary(o.seed, records, why))
	return why.faults(records).rate() >= o.atLeast, nil
}

// list prints all places, and how many each operator has.
func list(all map[string][]site) {
	count, total := map[string]int{}, 0
	for _, f := range slices.Sorted(maps.Keys(all)) {
		for _, s := range all[f] {
			fmt.Printf("%s  %s:%d  %s: %s -> %s\n", s.ID(), s.File, s.Line, s.Operator, oneLine(s.Before), oneLine(s.After))
			count[s.Operator]++
			total++
		}
	}
	for _, op := range operators() {
		fmt.Printf("%5d  %s\n", count[op.name], op.name)
	}
	fmt.Printf("%5d places in %d sources\n", total, len(all))
}
