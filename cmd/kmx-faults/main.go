//go:build linux

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// options are the choices of the command line.
type options struct {
	rows         *regexp.Regexp
	seed         uint64
	moments      int
	allowMissing bool
	markdown     string
	keep         bool
	list         bool
	soak         time.Duration
	programs     string
}

func main() {
	if isCompiler() {
		os.Exit(compile(os.Args[1:]))
	}
	if len(os.Args) == 4 && os.Args[1] == insideWord {
		os.Exit(inside(os.Args[2], os.Args[3]))
	}
	o, err := readOptions(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(2)
	}
	ok, err := faults(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(5)
	}
	if !ok {
		os.Exit(1)
	}
}

func readOptions(args []string) (o options, err error) {
	f := flag.NewFlagSet("kmx-faults", flag.ContinueOnError)
	rows := f.String("rows", "", "only the rows whose names match this regular expression")
	f.Uint64Var(&o.seed, "seed", uint64(time.Now().Unix()), "of all random moments and places")
	f.IntVar(&o.moments, "moments", 20, "random moments of each signal")
	f.BoolVar(&o.allowMissing, "allow-missing", false, "rows that cannot run here do not fail the run")
	f.StringVar(&o.markdown, "markdown", "", "write the table to this file as well")
	f.BoolVar(&o.keep, "keep", false, "leave the folder with the projects")
	f.BoolVar(&o.list, "list", false, "only list the rows")
	f.StringVar(&o.programs, "programs", "", "the front door in this folder (kmx and kmx-mage), instead of compiling it from the checkout")
	f.DurationVar(&o.soak, "soak", 0, "no table: random edits, builds and faults for this long")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q is one word too many; choices are written as -rows=kill", f.Arg(0))
	}
	if o.moments < 1 {
		return o, fmt.Errorf("-moments begins at 1, not %d", o.moments)
	}
	if o.rows, err = regexp.Compile("(?i)" + *rows); err != nil {
		return o, fmt.Errorf("-rows: %w", err)
	}
	return o, nil
}

// faults runs the table, or the soak, and tells whether all was as promised.
func faults(o options) (ok bool, err error) {
	all := rows()
	if o.list {
		for _, r := range all {
			fmt.Println(r.name)
		}
		return true, nil
	}
	// What a killed kmx leaves behind becomes a child of this process, which can
	// so tell what is left.
	if err := becomeReaper(); err != nil {
		return false, err
	}
	work, err := os.MkdirTemp("", "kmx-faults-")
	if err != nil {
		return false, err
	}
	if o.keep {
		fmt.Fprintln(os.Stderr, "the projects stay in", work)
	} else {
		defer os.RemoveAll(work)
	}
	// Nothing of this stays when it is broken off, either.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-signals
		fmt.Fprintln(os.Stderr, "Error: interrupted")
		for range 3 { // the row that is cut short may just be making something
			killAll()
			if !o.keep {
				os.RemoveAll(work)
			}
		}
		os.Exit(130)
	}()
	l, err := newLab(work, o)
	if err != nil {
		return false, err
	}
	if o.soak > 0 {
		return l.soak(o.soak)
	}
	t := table{lab: l, begun: time.Now()}
	for _, r := range all {
		if o.rows.MatchString(r.name) {
			t.add(r, l.perform(r))
		}
	}
	if len(t.done) == 0 {
		return false, fmt.Errorf("-rows=%s matches no row; -list lists them", o.rows)
	}
	if o.markdown != "" {
		if err := os.MkdirAll(filepath.Dir(o.markdown), 0o755); err != nil {
			return false, err
		}
		if err := os.WriteFile(o.markdown, t.markdown(), 0o644); err != nil {
			return false, err
		}
	}
	return t.summary(o.allowMissing), nil
}
