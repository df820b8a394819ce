package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"

	"kmx/internal/diag"
	"kmx/release/pack"
)

func install(ctx context.Context, out io.Writer, flags *flag.FlagSet, args []string) error {
	var o pack.InstallOptions
	flags.StringVar(&o.Release, "release", "", "")
	flags.StringVar(&o.To, "to", "", "")
	flags.BoolVar(&o.Restricted, "restricted", false, "")
	archive := flags.String("archive", "", "")
	notice := flags.String("notice", "", "")
	if err := parse(flags, args, "release", "to"); err != nil {
		return err
	}
	if *archive != "" {
		o.Archive = &pack.Archive{}
		if err := json.Unmarshal([]byte(*archive), o.Archive); err != nil {
			return diag.Failf(diag.Usage, "", "-archive: %w", err)
		}
	}
	var err error
	if o.Notices, err = notices(*notice); err != nil {
		return err
	}
	changed, n, err := pack.Install(ctx, o)
	if err != nil {
		return err
	}
	if changed {
		fmt.Fprintf(out, "installed %d files in %s\n", n, o.To)
	} else {
		fmt.Fprintf(out, "%s is as it should be, nothing to do\n", o.To)
	}
	return nil
}

func uninstall(ctx context.Context, out io.Writer, flags *flag.FlagSet, args []string) error {
	from := flags.String("from", "", "")
	if err := parse(flags, args, "from"); err != nil {
		return err
	}
	n, err := pack.Uninstall(ctx, *from)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "removed %d files from %s\n", n, *from)
	return nil
}
