package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/release/pack"
)

func packRelease(ctx context.Context, out io.Writer, flags *flag.FlagSet, args []string) error {
	o := pack.Options{Epoch: os.Getenv("SOURCE_DATE_EPOCH")}
	flags.StringVar(&o.Release, "release", "", "")
	flags.StringVar(&o.Out, "out", "", "")
	archives := flags.String("archives", "", "")
	notice := flags.String("notice", "", "")
	flags.StringVar(&o.Builder, "builder", "", "")
	key := flags.String("key", os.Getenv(pack.KeyEnv), "")
	if err := parse(flags, args, "release", "out", "archives"); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(*archives), &o.Archives); err != nil {
		return diag.Failf(diag.Usage, "", "-archives: %w", err)
	}
	var err error
	if o.Notices, err = notices(*notice); err != nil {
		return err
	}
	if *key != "" {
		if o.Key, err = pack.ReadKey(*key, os.Getenv(pack.PassphraseEnv)); err != nil {
			return err
		}
	}
	r, err := pack.Pack(ctx, o)
	if err != nil {
		return err
	}
	for _, f := range r.Files {
		fmt.Fprintln(out, f)
	}
	fmt.Fprintf(os.Stderr, "packed into %s, everything of %s\n", o.Out, r.Time.Format("2006-01-02 15:04:05 UTC"))
	if n := len(r.Gone); n > 0 {
		names, rest := r.Gone[:min(n, 3)], ""
		if n > 3 {
			rest = fmt.Sprintf(" and %d more", n-3)
		}
		fmt.Fprintf(os.Stderr, "note: the folder was replaced as a whole; removed from it: %s%s\n", strings.Join(names, ", "), rest)
	}
	if r.Signed {
		fmt.Fprintf(os.Stderr, "signed; others verify with: minisign -V -P %s -m FILE\n", o.Key.Public())
	} else {
		fmt.Fprintf(os.Stderr, "not signed: there was no key (-key or %s)\n", pack.KeyEnv)
	}
	if len(o.Notices) == 0 {
		fmt.Fprintln(os.Stderr, "warning: there is no LICENSE file, so the archives hold no licence text")
	}
	return nil
}

// notices are the file of that name, or nothing.
func notices(name string) ([]pack.Notice, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, diag.Failf(diag.Usage, "", "%w", err)
	}
	return []pack.Notice{{Name: filepath.Base(name), Data: data}}, nil
}

// scan looks through files and archives and prints what it finds. What cannot be
// read is told with the rest.
func scan(_ context.Context, out io.Writer, flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return diag.Failf(diag.Usage, "", "scan: %w", err)
	}
	if flags.NArg() == 0 {
		return diag.Failf(diag.Usage, "", "scan needs files")
	}
	all := &diag.Failure{}
	add := func(err error) {
		if f := (*diag.Failure)(nil); errors.As(err, &f) {
			all.Class = max(all.Class, f.Class)
			all.Messages = append(all.Messages, f.Messages...)
		}
	}
	for _, name := range flags.Args() {
		found, err := scanned(name)
		add(err)
		add(pack.FindingsError(name, found))
	}
	if len(all.Messages) > 0 {
		return all
	}
	fmt.Fprintf(out, "nothing found in %d files\n", flags.NArg())
	return nil
}

// scanned is what there is in a file, or in the files of an archive. Errors are
// failures.
func scanned(name string) ([]pack.Finding, error) {
	if pack.IsArchive(name) {
		c, _, err := pack.Open(name)
		if err != nil {
			return nil, err
		}
		t, _ := pack.Parse(c.Items)
		return pack.ScanTree(t), nil
	}
	data, err := durable.ReadFile(name, pack.MaxScanned)
	if err != nil {
		return nil, diag.Failf(diag.IO, "", "%w", err)
	}
	return pack.Scan(name, data, nil), nil
}
