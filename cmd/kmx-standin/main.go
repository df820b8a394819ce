// Command kmx-standin writes the stand-in library: a PE32+ file with PTX
// modules of our own under the entry names of DLSS's kernels.
//
//	kmx-standin [-next] [-fault NAME] [-pad MB] OUT.dll
//	kmx-standin -modules DIR
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kmx/cuda/standin"
	"kmx/internal/diag"
	"kmx/internal/durable"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// run is the program; 2 is a wrong call, 5 a file that could not be written.
func run(args []string, talk io.Writer) int {
	flags := flag.NewFlagSet("kmx-standin", flag.ContinueOnError)
	flags.SetOutput(talk)
	flags.Usage = func() {
		fmt.Fprintln(talk, "usage: kmx-standin [-next] [-fault NAME] [-pad MB] OUT.dll\n       kmx-standin -modules DIR")
		flags.PrintDefaults()
	}
	next := flags.Bool("next", false, "write another version: kernels renamed, changed, gone and new")
	fault := flags.String("fault", "", "what is to be wrong with the library: "+strings.Join(names(), ", "))
	pad := flags.Int64("pad", 0, "add modules up to this many megabytes")
	modules := flags.String("modules", "", "write the PTX modules into this directory, no library")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	o := standin.Options{Fault: standin.Fault(*fault), Pad: *pad * 1e6}
	if *next {
		o.Version = standin.Next
	}
	if *fault != "" && !slices.Contains(standin.Faults(), o.Fault) {
		hint := "there are " + strings.Join(names(), ", ")
		if near := diag.DidYouMean(*fault, names()); near != "" {
			hint = near + " " + hint
		}
		diag.Print(talk, diag.List{{Summary: fmt.Sprintf("no fault is called %q", *fault), Hint: hint}}, diag.Style{})
		return 2
	}
	var err error
	switch {
	case *modules != "" && flags.NArg() == 0:
		err = extracted(o, *modules)
	case *modules == "" && flags.NArg() == 1 && *pad >= 0:
		err = library(o, flags.Arg(0))
	default:
		flags.Usage()
		return 2
	}
	if err != nil {
		fmt.Fprintln(talk, "kmx-standin:", err)
		return 5
	}
	return 0
}

func names() []string {
	var all []string
	for _, f := range standin.Faults() {
		all = append(all, string(f))
	}
	return all
}

// library writes the file whole or not at all, in a folder that it makes.
func library(o standin.Options, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	t, err := durable.NewTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer t.Discard()
	if err := standin.Write(t, o); err != nil {
		return err
	}
	return t.Commit(path, 0o644)
}

func extracted(o standin.Options, dir string) error {
	mods, err := standin.ModulesOf(o)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, m := range mods {
		if err := os.WriteFile(filepath.Join(dir, m.Name+".ptx"), m.Text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
