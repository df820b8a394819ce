package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"kmx/internal/diag"
	"kmx/internal/durable"
)

// Do opens the project, runs one verb and tells what went wrong. It returns
// the exit code and, for a failure, its last line: the command that repeats
// just what failed where there is one. An unusable command line is told before
// anything is looked at.
func Do(ctx context.Context, out, errOut io.Writer, usage error, verb func(context.Context, *Project) error) (code int, last string) {
	ctx, i := interruptible(ctx, errOut)
	defer i.leave()
	var p *Project
	err := usage
	if err == nil {
		err = keepOffline()
	}
	if err == nil {
		p, err = open(out, errOut)
	}
	if err == nil {
		p.leaving = i
		defer func() {
			p.tidy(ctx)
			p.close()
		}()
		p.warnUnknown(os.Environ())
		err = p.fresh()
	}
	if err == nil {
		err = verb(ctx, p)
	}
	if err == nil {
		return 0, ""
	}
	if p == nil {
		p = &Project{Out: out, Err: errOut, Color: colours(errOut)}
	}
	code = diag.ExitCode(err)
	var f *diag.Failure
	switch {
	case ctx.Err() != nil:
		return int(diag.Interrupted), "interrupted; what was finished is kept, the same command goes on from there"
	case errors.As(err, &f):
		f.Advise(durable.Advice(err))
		p.show(f.Messages)
		switch {
		case f.Rerun != "":
			return code, p.words("again: " + f.Rerun)
		case len(f.Messages) > 0 || f.Err == nil:
			return code, fmt.Sprintf("stopped (%s, exit code %d; docs/exit-codes.md lists the codes)", diag.Class(code), code)
		}
		return code, f.Error()
	default:
		return code, err.Error()
	}
}
