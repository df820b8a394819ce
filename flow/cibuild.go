package flow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/report"
	"kmx/report/ci"
)

// CIBuild are the choices of ci:build.
type CIBuild struct {
	Plan    string // file of the plan
	Out     string // file of the bundle
	Jobs    int
	Summary string // Markdown is added to this file
	Quality string // GitLab's code quality report is written to this file
}

// CIBuild builds one shard of a plan and writes its bundle, also where some of
// it failed: what was built is not built again.
func (p *Project) CIBuild(ctx context.Context, shard string, c CIBuild) error {
	build := Build{Jobs: c.Jobs, KeepGoing: true, Fold: never()}
	if err := build.check(); err != nil {
		return err
	}
	name, err := ci.ParseName(shard)
	if err != nil {
		return diag.Failf(diag.Usage, "", "%w", err)
	}
	made, err := p.ciReadPlan(c.Plan)
	if err != nil {
		return err
	}
	if name.Of != len(made.Shards) || made.Name(name.Shard-1) != name {
		return diag.Failf(diag.Verify, "build the shards of one plan: mage ci:plan prints them", "shard %s is of another plan than the one here (%s)", name, planName(made))
	}
	build.Vars = made.Vars
	run, err := p.ciRun(ctx, made.Selectors, made.Vars)
	if err != nil {
		return err
	}
	defer run.q.close()
	if unlike := made.Identity.Unlike(&run.identity); len(unlike) > 0 {
		return &diag.Failure{Class: diag.Verify, Messages: diag.List{{
			Summary: fmt.Sprintf("shard %s was planned for something else than what is here", name),
			Detail:  "here " + strings.Join(unlike, "\nhere "),
			Hint:    "check out what was planned, with the same compiler, or plan again with: mage ci:plan",
		}}}
	}
	m, failure := p.make(ctx, run.q.d, run.shard(&made.Shards[name.Shard-1]), build, made.Selectors == "")
	if ctx.Err() != nil || m == nil || len(m.results) == 0 {
		return failure
	}
	bundle, list, err := p.bundle(made, name, run.identity, m)
	if err != nil {
		return err
	}
	if err := p.ciWrite(c.Out, "dist/ci/bundles/"+name.File()+ci.BundleSuffix, bundle); err != nil {
		return err
	}
	if c.Quality != "" {
		text, err := ci.Quality(list, matrixFile)
		if err == nil {
			err = p.ciWrite(c.Quality, "", text)
		}
		if err != nil {
			return err
		}
	}
	if err := ciSummarise(c.Summary, shardSummary(name, m)); err != nil {
		return err
	}
	p.Say("shard %s: bundle of %s", name, size(int64(len(bundle))))
	return failure
}

// planName names a plan for people.
func planName(p *ci.Plan) string {
	return fmt.Sprintf("%s, plan %.12s", count(len(p.Shards), "shard"), p.Digest)
}

// shard gives the cells of a shard.
func (r *ciRun) shard(s *ci.Shard) []*matrix.Cell {
	wanted := map[string]bool{}
	for _, a := range s.Actions {
		for _, address := range a.Cells {
			wanted[address] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(r.cells), func(c *matrix.Cell) bool { return !wanted[c.Address()] })
}

// bundle is what a build gave, and the places that its failures are shown at.
func (p *Project) bundle(made *ci.Plan, name ci.Name, id ci.Identity, m *made) ([]byte, diag.List, error) {
	store, err := p.Cache()
	if err != nil {
		return nil, nil, err
	}
	h := ci.Head{Plan: made.Digest, Shard: name.Shard, Of: name.Of, Identity: id, Failed: []ci.Failed{}}
	declaredAt := map[string]diag.Range{}
	for _, c := range m.plan.Cells {
		declaredAt[c.Address()] = c.Declared
	}
	for label, helper := range m.plan.Helper {
		declaredAt[label] = helper.Declared
	}
	var list diag.List
	var records []*cache.Record
	for _, r := range m.results {
		if r.State == engine.Done {
			record, err := store.Lookup(r.Key) // with its fields
			if err != nil {
				return nil, nil, diag.Failf(diag.IO, "run the command again", "%s: its result is gone: %w", r.Node.Label, err)
			}
			records = append(records, record)
			continue
		}
		f := ci.Failed{Label: r.Node.Label, State: fmt.Sprint(r.State)}
		if r.Err != nil {
			f.Error = strings.TrimPrefix(r.Err.Error(), r.Node.Label+": ")
			f.Output = report.Said(r.Err)
		}
		if r.State == engine.Failed {
			at := report.Annotations(r.Node.Label, r.Err, declaredAt[r.Node.Label], p.words("mage build "+r.Node.Label))
			for _, m := range at {
				f.Places = append(f.Places, m.Where.String())
			}
			list = append(list, at...)
		}
		h.Failed = append(h.Failed, f)
	}
	var b bytes.Buffer
	if err := ci.WriteBundle(&b, h, records, store.Blob); err != nil {
		return nil, nil, diag.Failf(diag.IO, "run the command again", "the bundle cannot be made: %w", err)
	}
	return b.Bytes(), list, nil
}

// outcomes are the words of a summary for what became of an action.
var outcomes = map[engine.State]string{
	engine.Failed: ci.OutcomeFailed, engine.Skipped: ci.OutcomeSkipped, engine.Cancelled: ci.OutcomeCancelled,
}

// shardSummary tells people of a shard.
func shardSummary(name ci.Name, m *made) ci.Summary {
	counts := map[string]int{}
	var rows []ci.Row
	for _, r := range m.results {
		row := ci.Row{Label: r.Node.Label, Shard: fmt.Sprintf("%d/%d", name.Shard, name.Of), Outcome: outcomes[r.State]}
		switch {
		case r.State == engine.Done && r.Cached:
			row.Outcome = ci.OutcomeCached
		case r.State == engine.Done:
			row.Outcome = ci.OutcomeBuilt
			row.Wall, row.Memory = r.Record.Wall, r.Record.PeakRSS
		case r.Err != nil:
			row.Text = r.Err.Error() + "\n" + report.Said(r.Err)
		}
		counts[row.Outcome]++
		rows = append(rows, row)
	}
	return ci.Summary{Title: fmt.Sprintf("Shard %s: %s", name, counted(counts)), Rows: rows}
}

// counted says how often there is each outcome.
func counted(counts map[string]int) string {
	var parts []string
	for _, o := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[o], o))
	}
	if len(parts) == 0 {
		return "nothing to build"
	}
	return strings.Join(parts, ", ")
}

func rounded(d time.Duration) string {
	if d > time.Minute {
		return d.Round(time.Second).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// failedCells is the failure of shards in which cells failed.
func failedCells(bundles []*ci.Bundle, have func(label string) bool) error {
	var list diag.List
	for _, b := range bundles {
		for _, f := range b.Failed {
			if have(f.Label) || f.State != fmt.Sprint(engine.Failed) {
				continue
			}
			first, _, _ := strings.Cut(f.Error, "\n")
			list = append(list, diag.Message{Summary: f.Label + " failed in shard " + b.Name().String() + ": " + first, Detail: strings.Join(f.Places, "\n")})
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &diag.Failure{Class: diag.Cells, Messages: list, Err: errors.New("cells failed")}
}
