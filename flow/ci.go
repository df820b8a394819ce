package flow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/matrix"
	"kmx/report/ci"
)

// gitlabJobs is the file with the jobs that GitLab's child pipeline extends.
const gitlabJobs = ".gitlab/kmx.yml"

// ciPlanFile is where the plan of a CI run lies unless a choice says otherwise.
const ciPlanFile = "dist/ci/plan.json"

// CIPlan are the choices of ci:plan.
type CIPlan struct {
	Shards    int    // at most
	GitHub    bool   // print the matrix of a job
	GitLab    bool   // print a child pipeline
	JSON      bool   // print the plan
	Selectors string // cells; those of the release if empty
	Jobs      int    // processes at once on one runner
	Memory    string // of one runner
	Out       string // file of the plan
	Summary   string // Markdown is added to this file
	Vars      string
}

// CIPlan shares what has no result yet out among shards and prints them.
func (p *Project) CIPlan(ctx context.Context, c CIPlan) error {
	memory, err := c.check()
	if err != nil {
		return err
	}
	run, err := p.ciRun(ctx, c.Selectors, c.Vars)
	if err != nil {
		return err
	}
	defer run.q.close()
	made := run.plan(c, ci.Runner{Jobs: c.Jobs, Memory: memory})
	text, err := made.Encode()
	if err == nil {
		err = p.ciWrite(c.Out, ciPlanFile, text)
	}
	if err != nil {
		return err
	}
	for _, s := range made.Shards {
		if s.Memory > memory {
			p.Warn(fmt.Sprintf("an action takes %s and a runner has %s (-memory)", cache.Size(s.Memory), cache.Size(memory)))
			break
		}
	}
	p.Say("%s to run in %s, %s", count(made.Actions(), "action"), count(len(made.Shards), "shard"), count(made.Cached, "result")+" known")
	if err := ciSummarise(c.Summary, planSummary(made)); err != nil {
		return err
	}
	switch {
	case c.JSON:
		_, err = p.Out.Write(text)
	case c.GitHub:
		var line string
		if line, err = made.GitHub(); err == nil {
			_, err = fmt.Fprintln(p.Out, line)
		}
	case c.GitLab:
		_, err = fmt.Fprint(p.Out, made.GitLab(gitlabJobs))
	default:
		for i, s := range made.Shards {
			fmt.Fprintf(p.Out, "%s  %s, about %s\n", made.Name(i), count(len(s.Actions), "action"), rounded(s.Expected))
		}
	}
	return err
}

func (c CIPlan) check() (memory int64, err error) {
	forms := 0
	for _, on := range []bool{c.GitHub, c.GitLab, c.JSON} {
		if on {
			forms++
		}
	}
	if forms > 1 {
		return 0, diag.Failf(diag.Usage, "choose one", "-github, -gitlab and -json are forms of one answer")
	}
	if c.Jobs < 1 || c.Jobs > maxJobs {
		return 0, diag.Failf(diag.Usage, "", "-jobs is how many processes a runner runs, not %d", c.Jobs)
	}
	most, who := maxJobs, "nobody"
	switch {
	case c.GitHub:
		most, who = ci.GitHubJobs, "GitHub"
	case c.GitLab:
		most, who = ci.GitLabJobs, "GitLab"
	}
	if c.Shards < 1 || c.Shards > most {
		return 0, diag.Failf(diag.Usage, fmt.Sprintf("-shards goes from 1 to %d", most), "%s makes %d jobs of one matrix", who, c.Shards)
	}
	if memory, err = cache.ParseSize(c.Memory); err != nil || memory <= 0 {
		return 0, diag.Failf(diag.Usage, "as in -memory=16GiB", "-memory=%s is no size", c.Memory)
	}
	return memory, nil
}

// ciRun is what the verbs of ci know of this checkout.
type ciRun struct {
	q        *inquiry
	cells    []*matrix.Cell
	identity ci.Identity
}

// ciRun plans cells and says what they are made from here. The caller closes
// the inquiry.
func (p *Project) ciRun(ctx context.Context, selectors, vars string) (*ciRun, error) {
	d, err := p.load(vars)
	if err != nil {
		return nil, err
	}
	cells, err := pick(d, selectors)
	if err != nil {
		return nil, err
	}
	q, err := p.inquire(ctx, d, cells)
	if err != nil {
		return nil, err
	}
	return &ciRun{q, cells, q.identity()}, nil
}

// plan shares out what has no result in the cache.
func (r *ciRun) plan(c CIPlan, runner ci.Runner) *ci.Plan {
	p := &ci.Plan{Selectors: c.Selectors, Vars: c.Vars, Runner: runner, Asked: c.Shards, Identity: r.identity, Shards: []ci.Shard{}}
	helper := map[int]int{} // by node
	var helpers, all, todo []ci.Work
	var actions []ci.Action // parallel to todo
	at := map[int]int{}     // in all, by node
	cells := map[int][]string{}
	for i, c := range r.q.Cells {
		cells[r.q.Node[i]] = append(cells[r.q.Node[i]], c.Address())
	}
	for i := range r.q.Cells {
		node := r.q.Node[i]
		if _, known := at[node]; known {
			continue
		}
		at[node] = len(all)
		n := r.q.Graph.Nodes[node]
		w := work(n)
		for _, need := range n.Needs {
			h, known := helper[need.Node]
			if !known {
				h = len(helpers)
				helper[need.Node] = h
				helpers = append(helpers, work(r.q.Graph.Nodes[need.Node]))
			}
			w.Helpers = append(w.Helpers, h)
		}
		all = append(all, w)
		if r.q.look(i).err == nil {
			p.Cached++
			continue
		}
		todo = append(todo, w)
		actions = append(actions, ci.Action{Label: n.Label, Cells: cells[node], Wall: w.Wall, Memory: w.Memory})
	}
	for _, shard := range ci.Balance(all, todo, helpers, runner, c.Shards) {
		s := ci.Shard{Expected: ci.Expected(todo, helpers, shard, runner)}
		for _, i := range shard {
			s.Actions = append(s.Actions, actions[i])
			s.Memory = max(s.Memory, actions[i].Memory)
		}
		p.Shards = append(p.Shards, s)
	}
	p.Seal()
	return p
}

func work(n *engine.Node) ci.Work {
	return ci.Work{Label: n.Label, Wall: n.Guess.Wall, Memory: n.Guess.Memory}
}

// ciReadPlan reads the plan of a CI run; "" is where ci:plan puts it.
func (p *Project) ciReadPlan(name string) (*ci.Plan, error) {
	if name == "" {
		name = p.path(ciPlanFile)
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Failf(diag.Usage, "mage ci:plan writes it; -plan=FILE names another", "there is no plan at %s", name)
	}
	if err != nil {
		return nil, diag.Failf(diag.IO, "", "%w", err)
	}
	made, err := ci.DecodePlan(data)
	if err != nil {
		return nil, diag.Failf(diag.Verify, "mage ci:plan writes it anew", "%s: %w", name, err)
	}
	return made, nil
}

// ciWrite writes a file of a CI run and the folder that it lies in; "" is a
// place in the project.
func (p *Project) ciWrite(name, otherwise string, data []byte) error {
	if name == "" {
		name = p.path(otherwise)
	}
	err := os.MkdirAll(filepath.Dir(name), 0o777)
	if err == nil {
		err = durable.WriteFile(name, data, 0o644)
	}
	if err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	return nil
}

// ciSummarise adds a summary to a file, in what is left of the room that GitHub
// gives a step; "" is no file.
func ciSummarise(name string, s ci.Summary) error {
	if name == "" {
		return nil
	}
	var old []byte
	if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() { // a pipe or a terminal has nothing to be read
		if old, err = os.ReadFile(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return diag.Failf(diag.IO, "", "%w", err)
		}
	}
	text := s.Markdown(max(4096, ci.GitHubSummary-len(old)-1))
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		text = "\n" + text
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	return nil
}

// planSummary tells people of a plan.
func planSummary(p *ci.Plan) ci.Summary {
	s := ci.Summary{Title: fmt.Sprintf("Plan: %s to run in %s", count(p.Actions(), "action"), count(len(p.Shards), "shard"))}
	s.Lines = append(s.Lines, fmt.Sprintf("%s known already.", count(p.Cached, "result")))
	if len(p.Shards) > 0 {
		s.Lines = append(s.Lines, "", "| shard | actions | expected |", "|---|--:|--:|")
	}
	for i, shard := range p.Shards {
		s.Lines = append(s.Lines, fmt.Sprintf("| %s | %d | %s |", p.Name(i), len(shard.Actions), rounded(shard.Expected)))
	}
	return s
}
