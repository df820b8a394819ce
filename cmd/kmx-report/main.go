// kmx-report reads event logs afterwards: it makes the page of a build and its
// trace, and answers the questions of the log: targets. The targets report and
// log:* of the front door start it, so that what it needs costs nothing there.
//
//	kmx-report page -o=FILE [-log=LOG] [-against=DIR] [-leftout=FILE]
//	kmx-report trace -o=FILE [-log=LOG]
//	kmx-report what-ran|what-failed|critical-path [-log=LOG] [-json]
//	kmx-report slowest [-log=LOG] [-n=20] [-json]
//	kmx-report diff BEFORE NOW [-json]
//
// All take -state=DIR, the folder of a checkout in the cache, and page takes
// -cache=DIR. LOG is last, last~N, the name of a log there, or a path.
//
// It prints data on standard output and what is wrong on standard error, with
// the exit codes of docs/exit-codes.md.
package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"

	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/report/logs"
)

// call is a command with its words and choices.
type call struct {
	out   io.Writer
	err   io.Writer
	flags *flag.FlagSet
	state *string
	words []string // before the choices
	rest  []string
}

const usage = `kmx-report reads event logs of builds afterwards.

  kmx-report page -o=FILE [-log=LOG] [-against=DIR] [-leftout=FILE] [-cache=DIR]
  kmx-report trace -o=FILE [-log=LOG]
  kmx-report what-ran|what-failed|critical-path [-log=LOG] [-json]
  kmx-report slowest [-log=LOG] [-n=20] [-json]
  kmx-report diff BEFORE NOW [-json]

All take -state=DIR, the folder of a checkout in the cache. LOG is last, last~N, the
name of a log there, or a path. kmx report and kmx log:* say all of this themselves.
`

var verbs = map[string]struct {
	words int
	run   func(c *call) error
}{
	"page":          {0, writePage},
	"trace":         {0, writeTrace},
	"what-ran":      {0, ask((*logs.Build).WhatRan)},
	"what-failed":   {0, ask((*logs.Build).WhatFailed)},
	"critical-path": {0, ask((*logs.Build).CriticalPath)},
	"slowest":       {0, slowest},
	"diff":          {2, difference},
}

func main() {
	err := run(os.Stdout, os.Stderr, os.Args[1:])
	if err == nil {
		return
	}
	var f *diag.Failure
	if !errors.As(err, &f) {
		f = diag.Failf(diag.IO, "", "%w", err)
	}
	f.Advise(durable.Advice(err))
	diag.Print(os.Stderr, f.Messages, diag.Style{})
	os.Exit(diag.ExitCode(f))
}

func run(out, errOut io.Writer, args []string) error {
	var names []string
	for name := range verbs {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(args) == 0 {
		return diag.Failf(diag.Usage, "kmx-report -h lists their choices", "kmx-report takes one of %s", diag.Or(names))
	}
	if args[0] == "help" || slices.ContainsFunc(args, func(s string) bool { return s == "-h" || s == "-help" || s == "--help" }) {
		_, err := io.WriteString(out, usage)
		return err
	}
	v, ok := verbs[args[0]]
	if !ok {
		return diag.Failf(diag.Usage, diag.DidYouMean(args[0], names), "%q is none of %s", args[0], diag.Or(names))
	}
	if len(args) < 1+v.words {
		return diag.Failf(diag.Usage, "", "%s takes %d words", args[0], v.words)
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return v.run(&call{out: out, err: errOut, flags: flags, state: flags.String("state", "", ""), words: args[1 : 1+v.words], rest: args[1+v.words:]})
}

// parse reads the choices.
func (c *call) parse() error {
	err := c.flags.Parse(c.rest)
	if err != nil {
		return diag.Failf(diag.Usage, "", "%s: %w", c.flags.Name(), err)
	}
	if c.flags.NArg() > 0 {
		return diag.Failf(diag.Usage, "", "%s: %q is one word too many", c.flags.Name(), c.flags.Arg(0))
	}
	return nil
}

// build reads the log that a word means.
func (c *call) build(word string) (*logs.Build, error) {
	path, err := logs.Find(filepath.Join(*c.state, "log"), word)
	if err != nil {
		return nil, err
	}
	b, err := logs.Read(path)
	if err != nil {
		return nil, diag.Failf(diag.Usage, "name another log", "%w", err)
	}
	return b, nil
}
