package flow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/release"
	"kmx/report/ci"
)

// CIMerge are the choices of ci:merge.
type CIMerge struct {
	Plan    string // file of the plan
	Jobs    int
	Summary string // Markdown is added to this file
	Before  string // a release, or a folder with one in it, to compare with when its toolchain was another
}

// CIMerge takes the bundles below a folder into the cache and makes of them what
// one machine would have made.
func (p *Project) CIMerge(ctx context.Context, dir string, c CIMerge) error {
	build := Build{Jobs: c.Jobs, KeepGoing: true, Fold: never()}
	if err := build.check(); err != nil {
		return err
	}
	made, err := p.ciReadPlan(c.Plan)
	if err != nil {
		return err
	}
	build.Vars = made.Vars
	bundles, err := findBundles(dir, len(made.Shards) == 0)
	if err != nil {
		return err
	}
	run, err := p.ciRun(ctx, made.Selectors, made.Vars)
	if err != nil {
		return err
	}
	defer run.q.close()
	if unlike := made.Identity.Unlike(&run.identity); len(unlike) > 0 && len(made.Shards) == 0 {
		return &diag.Failure{Class: diag.Verify, Messages: diag.List{{
			Summary: "the plan was made for something else than what is here",
			Detail:  "here " + strings.Join(unlike, "\nhere "),
			Hint:    "merge where the plan was made, or plan again with: mage ci:plan",
		}}}
	}
	if list := ci.Agree(made, &run.identity, bundles); len(list) > 0 {
		return &diag.Failure{Class: diag.Verify, Messages: list}
	}
	rows, missing, err := p.take(run, bundles)
	if err != nil {
		return err
	}
	summary := ci.Summary{Title: mergeTitle(made, rows), Rows: rows}
	if err := failedCells(bundles, func(label string) bool { return !missing[label] }); err != nil {
		return errors.Join(err, ciSummarise(c.Summary, summary))
	}
	if n := len(missing); n > 0 {
		p.Say("%s in no bundle and no longer in the cache: built here", count(n, "result"))
	}
	if made.Selectors != "" {
		err = p.Build(ctx, made.Selectors, "", build)
	} else {
		err = p.Release(ctx, build)
	}
	if err == nil && c.Before != "" && made.Selectors == "" {
		summary.Lines, summary.More, err = p.sinceBefore(ctx, c.Before, run.q.d)
	}
	return errors.Join(err, ciSummarise(c.Summary, summary))
}

// findBundles opens every bundle below a folder, which need not be there where
// there are none to find.
func findBundles(dir string, none bool) ([]*ci.Bundle, error) {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, ci.BundleSuffix) {
			paths = append(paths, path)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) && none {
		err = nil
	}
	if err != nil {
		return nil, diag.Failf(diag.IO, "name the folder that holds the bundles", "%w", err)
	}
	bundles, list := ci.FindBundles(paths)
	if len(list) > 0 {
		return nil, &diag.Failure{Class: diag.Verify, Messages: list}
	}
	return bundles, nil
}

// take puts the results of bundles that this plan asks for into the cache. A
// result that it does not ask for is an error. The rows say where each action's
// result came from; missing are the labels of those without one.
func (p *Project) take(run *ciRun, bundles []*ci.Bundle) (rows []ci.Row, missing map[string]bool, err error) {
	results := ci.Results(bundles)
	from := map[cache.Digest]string{}
	failed := map[string]ci.Row{}
	for _, b := range bundles {
		shard := fmt.Sprintf("%d/%d", b.Shard, b.Of)
		for _, r := range b.Records {
			from[r.Key] = shard
		}
		for _, f := range b.Failed {
			row := ci.Row{Label: f.Label, Outcome: ci.OutcomeSkipped, Shard: shard}
			if f.State == "failed" {
				row.Outcome, row.Text = ci.OutcomeFailed, strings.Join(append(f.Places, f.Error, f.Output), "\n")
			}
			failed[f.Label] = row
		}
	}
	find := func(key cache.Digest) *cache.Record {
		if r := results[key]; r != nil {
			return r
		}
		return run.q.record(key)
	}
	wanted, missing := map[cache.Digest]bool{}, map[string]bool{}
	for i, n := range run.q.Graph.Nodes {
		row := ci.Row{Label: n.Label, Outcome: ci.OutcomeHere}
		r := run.q.Graph.Resolve(i, find)
		if r.Missing < 0 {
			key := r.Action.Key()
			record := find(key)
			switch {
			case record == nil:
			case results[key] != nil:
				wanted[key] = true
				row = ci.Row{Label: n.Label, Outcome: ci.OutcomeBuilt, Shard: from[key], Wall: record.Wall, Memory: record.PeakRSS}
			default:
				row.Outcome = ci.OutcomeCached
			}
		}
		if row.Outcome == ci.OutcomeHere {
			missing[n.Label] = true
			if f, ok := failed[n.Label]; ok {
				row = f
			}
		}
		rows = append(rows, row)
	}
	store, err := p.Cache()
	if err != nil {
		return nil, nil, err
	}
	for _, b := range bundles {
		for _, r := range b.Records {
			if !wanted[r.Key] {
				return nil, nil, diag.Failf(diag.Verify, "build its shard again", "%s: it holds a result that nobody asked for, %s (%s)", b.Path, r.Label, r.Key)
			}
		}
	}
	taken, _, err := ci.Take(store, bundles, wanted)
	if err != nil {
		return nil, nil, diag.Failf(diag.IO, elsewhere, "%w", err)
	}
	p.Say("%s of %s taken into the cache", count(taken, "result"), count(len(bundles), "bundle"))
	return rows, missing, nil
}

func mergeTitle(made *ci.Plan, rows []ci.Row) string {
	counts := map[string]int{}
	for _, r := range rows {
		counts[r.Outcome]++
	}
	return fmt.Sprintf("Merge of %s: %s", count(len(made.Shards), "shard"), counted(counts))
}

// sinceBefore compares the release just made with an earlier one, where the
// toolchains of the two are not the same.
func (p *Project) sinceBefore(ctx context.Context, before string, d *declared) (lines []string, more string, err error) {
	old, dir := releaseIn(before)
	if old == nil {
		return []string{"There is no earlier release to compare with."}, "", nil
	}
	here := p.path("dist/" + (&release.Plan{Project: d.Project.Name, Version: d.Project.Version, Suffix: suffix(d)}).Name())
	now, err := release.ReadRelease(here)
	if err != nil {
		return nil, "", diag.Failf(diag.IO, "", "%w", err)
	}
	was := map[string]release.Toolchain{}
	for _, t := range old.Toolchains {
		was[t.Name] = t
	}
	for _, t := range now.Toolchains {
		if b, known := was[t.Name]; known && b.Closure != t.Closure {
			lines = append(lines, fmt.Sprintf("Toolchain %s is %s (closure %.12s), was %s (closure %.12s).", t.Name, t.Version, t.Closure, b.Version, b.Closure))
		}
	}
	if len(lines) == 0 {
		return []string{"The toolchains are those of the earlier release."}, "", nil
	}
	var text bytes.Buffer
	quiet := *p
	quiet.Out = &text
	err = quiet.Verify(ctx, "diff", dir, here, "-markdown")
	return lines, text.String(), err
}

// releaseIn finds the release that a folder is, or that lies directly in it.
func releaseIn(dir string) (*release.Release, string) {
	if r, err := release.ReadRelease(dir); err == nil {
		return r, dir
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, ""
	}
	for _, e := range entries {
		sub := filepath.Join(dir, e.Name())
		if r, err := release.ReadRelease(sub); err == nil {
			return r, sub
		}
	}
	return nil, ""
}
