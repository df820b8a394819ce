// kmx-verify proves, compares and selects among finished releases. The release:
// targets of the front door start it, so that archives, signatures and code
// objects cost nothing there; whoever has a release and no checkout runs it alone.
//
// It prints data on standard output and what is wrong on standard error, with the
// exit codes of docs/exit-codes.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/release/pack"
	"kmx/release/verify"
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
	"verify": {"DIR|ARCHIVE", 1, prove},
	"diff":   {"A B", 2, diff},
	"select": {"DIR", 1, choose},
}

const usage = `kmx-verify verify DIR|ARCHIVE   proves a release, a set, an archive or a folder of archives
    -requireSignature=KEY       minisign's public key, a file or the line in it, must have signed
    -date=YYYY-MM-DD            the day for what is left out until one
kmx-verify diff A B             compares two releases, sets or archives, worst first
    -markdown, -json            in another form
    -check                      exit code 7 where code or constants differ, or an object came or went
kmx-verify select DIR           says what the bridge would serve to a machine, and why
    -ini=FILE                   the d4r.ini with its settings
    -set=NAME=VALUE,...         settings over those, such as D4R_GPU_ARCH=gfx1201
    -topology=DIR               its GPUs (default: ` + verify.TopologyDir + `)
    -libraries=PATHS            DLSS libraries that will be loaded, or folders of them, separated as in PATH
    -json                       in another form
    -check                      exit code 7 where native kernels stay off or something is wrong
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
		f = &diag.Failure{}
		if ctx.Err() == nil {
			f = diag.Failf(diag.IO, "", "%w", err)
			err = f
		}
	}
	f.Advise(durable.Advice(err))
	diag.Print(os.Stderr, f.Messages, diag.Style{})
	os.Exit(diag.ExitCode(err))
}

func run(ctx context.Context, out io.Writer, args []string) error {
	names := []string{"diff", "select", "verify"}
	if len(args) == 0 {
		return diag.Failf(diag.Usage, "kmx-verify -h lists their choices", "kmx-verify takes one of %s", diag.Or(names))
	}
	if args[0] == "help" || slices.ContainsFunc(args, func(s string) bool { return s == "-h" || s == "-help" || s == "--help" }) {
		_, err := io.WriteString(out, usage)
		return err
	}
	v, ok := verbs[args[0]]
	if !ok {
		return diag.Failf(diag.Usage, diag.DidYouMean(args[0], names), "%q is none of %s", args[0], diag.Or(names))
	}
	rest := args[1:]
	if len(rest) < v.n || slices.ContainsFunc(rest[:v.n], func(s string) bool { return strings.HasPrefix(s, "-") }) {
		return diag.Failf(diag.Usage, "choices follow them: kmx-verify -h", "%s takes %s", args[0], v.words)
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

func prove(ctx context.Context, out io.Writer, flags *flag.FlagSet, args, choices []string) error {
	key := flags.String("requireSignature", "", "")
	flags.StringVar(key, "require-signature", "", "")
	date := flags.String("date", "", "")
	if err := parse(flags, choices); err != nil {
		return err
	}
	o := verify.Options{Today: *date}
	if *date != "" {
		if _, err := time.Parse(time.DateOnly, *date); err != nil {
			return diag.Failf(diag.Usage, "as in -date=2026-11-30", "-date=%s is no day", *date)
		}
	} else if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		at, err := pack.Epoch(epoch)
		if err != nil {
			return err
		}
		o.Today = at.Format(time.DateOnly)
	}
	if *key != "" {
		k, err := pack.PublicKey(*key)
		if err != nil {
			return err
		}
		o.Key = &k
	}
	var proofs []*verify.Proof
	if info, err := os.Stat(args[0]); err == nil && info.IsDir() && verify.IsArchives(args[0]) {
		if proofs, err = verify.ProveArchives(ctx, args[0], o); err != nil {
			return err
		}
	} else {
		proof, err := verify.Prove(ctx, args[0], o)
		if err != nil {
			return err
		}
		proofs = append(proofs, proof)
	}
	var wrong diag.List
	for _, p := range proofs {
		if f := (*diag.Failure)(nil); errors.As(p.Err(), &f) {
			wrong = append(wrong, f.Messages...)
			if len(proofs) > 1 {
				wrong[len(wrong)-1].Hint = "" // one for the folder follows
			}
			continue
		}
		if p.Sets > 0 {
			fmt.Fprintln(out, diag.Plain(p.String()))
		} else {
			fmt.Fprintf(out, "%s: %d files, as its lists say\n", p.Title, p.Files)
		}
		for _, n := range p.Notes {
			fmt.Fprintf(out, "  %s\n", diag.Plain(n))
		}
	}
	if len(wrong) > 0 {
		if len(proofs) > 1 {
			wrong[len(wrong)-1].Hint = args[0] + " is not to be trusted as it is; fetch or pack it again"
			if o.Key != nil {
				wrong[len(wrong)-1].Hint += ", or give the key that signed it"
			}
		}
		return &diag.Failure{Class: diag.Verify, Messages: wrong}
	}
	return nil
}

func diff(ctx context.Context, out io.Writer, flags *flag.FlagSet, args, choices []string) error {
	markdown, json := flags.Bool("markdown", false, ""), flags.Bool("json", false, "")
	check := flags.Bool("check", false, "")
	if err := parse(flags, choices); err != nil {
		return err
	}
	if *markdown && *json {
		return diag.Failf(diag.Usage, "choose one", "-markdown and -json are two forms of one answer")
	}
	var sides [2]*verify.Opened
	for i, name := range args {
		o, err := verify.Open(name)
		if err != nil {
			return err
		}
		defer o.Close()
		if len(o.Sets) == 0 {
			return diag.Failf(diag.Verify, "mage release:verify "+name+" says why", "%s has no set with a readable manifest", name)
		}
		sides[i] = o
	}
	d, err := verify.Compare(ctx, sides[0], sides[1])
	if err != nil {
		return err
	}
	write := d.WriteText
	switch {
	case *markdown:
		write = d.WriteMarkdown
	case *json:
		write = d.WriteJSON
	}
	if err := write(out); err != nil {
		return err
	}
	if *check && !d.Same() {
		return &diag.Failure{Class: toDo}
	}
	return nil
}

func choose(ctx context.Context, out io.Writer, flags *flag.FlagSet, args, choices []string) error {
	ini, set := flags.String("ini", "", ""), flags.String("set", "", "")
	topology, libraries := flags.String("topology", verify.TopologyDir, ""), flags.String("libraries", "", "")
	json, check := flags.Bool("json", false, ""), flags.Bool("check", false, "")
	if err := parse(flags, choices); err != nil {
		return err
	}
	m := verify.Machine{Settings: verify.Settings{}}
	var err error
	if *ini != "" {
		if m.Settings, err = verify.ReadSettings(*ini); err != nil {
			return err
		}
	}
	if err := m.Settings.Set(*set); err != nil {
		return err
	}
	if m.Nodes, err = verify.ReadTopology(*topology); err != nil {
		return err
	}
	for _, name := range filepath.SplitList(*libraries) {
		if name != "" {
			m.Libraries = append(m.Libraries, name)
		}
	}
	s, err := verify.Select(ctx, args[0], m)
	if err != nil {
		return err
	}
	write := s.WriteText
	if *json {
		write = s.WriteJSON
	}
	if err := write(out); err != nil {
		return err
	}
	if *check && len(s.Wrong) > 0 {
		return &diag.Failure{Class: toDo}
	}
	return nil
}
