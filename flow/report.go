package flow

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"kmx/internal/diag"
)

// reporter is the program behind the targets report and log:*.
const reporter = "kmx-report"

// Report are the choices of report.
type Report struct {
	Log     string // last, last~N, the name of a log of this checkout, a path
	Out     string // the page; "" is dist/report.html, or none where only a trace is asked for
	Trace   string // a trace; "" for none
	Against string // folder of a release, a set, or sets, to compare with
}

// Report writes the page of a build, or its trace.
func (p *Project) Report(ctx context.Context, r Report) error {
	state, err := p.state()
	if err != nil {
		return err
	}
	common := []string{"-state=" + state}
	if r.Log != "" {
		common = append(common, "-log="+r.Log)
	}
	if r.Trace != "" {
		if err := p.validateWith(ctx, reporter, append([]string{"trace", "-o=" + r.Trace}, common...)); err != nil || r.Out == "" && r.Against == "" {
			return err
		}
	}
	if r.Out == "" {
		r.Out = p.path("dist/report.html")
	}
	args := append([]string{"page", "-o=" + r.Out, "-cache=" + p.store.Dir()}, common...)
	if r.Against != "" {
		args = append(args, "-against="+r.Against)
	}
	dir, err := os.MkdirTemp("", "kmx-report-")
	if err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	defer os.RemoveAll(dir)
	d, err := p.load("")
	if err != nil { // the page of a build is wanted most when something is broken
		args = append(args, "-note=The matrix of this checkout has mistakes now: what it leaves out is not shown.")
	} else {
		text, err := json.Marshal(d.Describe(d.Expansion).LeftOut)
		name := filepath.Join(dir, "leftout.json")
		if err == nil {
			err = os.WriteFile(name, text, 0o600)
		}
		if err != nil {
			return diag.Failf(diag.IO, "", "%w", err)
		}
		args = append(args, "-leftout="+name)
	}
	return p.validateWith(ctx, reporter, args)
}

// AskLog puts a question to a log of this checkout.
func (p *Project) AskLog(ctx context.Context, question string, args ...string) error {
	state, err := p.state()
	if err != nil {
		return err
	}
	return p.validateWith(ctx, reporter, append(append([]string{question}, args...), "-state="+state))
}
