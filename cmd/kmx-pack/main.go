// kmx-pack makes archives of a release and installs it. The targets release:pack,
// install and uninstall of the front door start it, so that compressors and
// signatures cost nothing there.
//
//	kmx-pack pack -release=DIR -out=DIR -archives=JSON [-notice=FILE] [-builder=URI] [-key=FILE]
//	kmx-pack install -release=DIR -to=DIR [-archive=JSON] [-notice=FILE] [-restricted]
//	kmx-pack uninstall -from=DIR
//	kmx-pack scan FILE...
//
// It prints data on standard output and what is wrong on standard error, with
// the exit codes of docs/exit-codes.md. SOURCE_DATE_EPOCH is the time of what is
// packed; KMX_SIGN_KEY and KMX_SIGN_PASSPHRASE are the key and its passphrase.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/signal"
	"slices"

	"kmx/internal/diag"
	"kmx/internal/durable"
)

// verbs are the commands.
var verbs = map[string]func(ctx context.Context, out io.Writer, flags *flag.FlagSet, args []string) error{
	"pack":      packRelease,
	"install":   install,
	"uninstall": uninstall,
	"scan":      scan,
}

const usage = `kmx-pack scan FILE...           looks into files and archives for what must not be in a release
kmx-pack pack -release=DIR -out=DIR -archives=JSON [-notice=FILE] [-builder=URI] [-key=FILE]
kmx-pack install -release=DIR -to=DIR [-archive=JSON] [-notice=FILE] [-restricted]
kmx-pack uninstall -from=DIR
The last three are what release:pack, install and uninstall start.
`

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
		if errors.Is(err, context.Canceled) {
			f = diag.Failf(diag.Interrupted, "", "interrupted")
		}
	}
	f.Advise(durable.Advice(err))
	diag.Print(os.Stderr, f.Messages, diag.Style{})
	os.Exit(diag.ExitCode(f))
}

func run(ctx context.Context, out io.Writer, args []string) error {
	var names []string
	for name := range verbs {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(args) == 0 {
		return diag.Failf(diag.Usage, "kmx-pack -h lists their choices", "kmx-pack takes one of %s", diag.Or(names))
	}
	if args[0] == "help" || slices.ContainsFunc(args, func(s string) bool { return s == "-h" || s == "-help" || s == "--help" }) {
		_, err := io.WriteString(out, usage)
		return err
	}
	verb, ok := verbs[args[0]]
	if !ok {
		return diag.Failf(diag.Usage, diag.DidYouMean(args[0], names), "%q is none of %s", args[0], diag.Or(names))
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return verb(ctx, out, flags, args[1:])
}

// parse reads the choices of a verb and demands those that are needed.
func parse(flags *flag.FlagSet, args []string, needed ...string) error {
	if err := flags.Parse(args); err != nil {
		return diag.Failf(diag.Usage, "", "%s: %w", flags.Name(), err)
	}
	if flags.NArg() > 0 {
		return diag.Failf(diag.Usage, "", "%s: %q is one word too many", flags.Name(), flags.Arg(0))
	}
	for _, name := range needed {
		if flags.Lookup(name).Value.String() == "" {
			return diag.Failf(diag.Usage, "", "%s needs -%s", flags.Name(), name)
		}
	}
	return nil
}
