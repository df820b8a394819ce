package flow

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"

	"kmx/engine"
	"kmx/internal/diag"
	"kmx/plan"
)

// PlanView are the choices of the plan command.
type PlanView struct {
	Selectors string // the cells to look at; those of a release if empty
	Commands  bool   // print command lines
	JSON      bool
	All       bool // every address, where a long list would be cut
	Check     bool // something to do is an exit code
	Jobs      int  // processes at once, for the prediction; 0: one per processor
	Vars      string
	Fold      *bool // as Build has it
}

// planned is what `plan -json` prints, format kmx.plan/1. Fields are added as
// time goes by; one that changes its meaning makes a new format.
type planned struct {
	Format  string          `json:"format"`
	ToDo    bool            `json:"to_do"` // building would run a process or change a file
	Cells   int             `json:"cells"`
	Build   int             `json:"build"`            // cells whose object has to be made
	Derive  int             `json:"derive,omitempty"` // of these, cells whose object is derived from another one
	Actions []plannedAction `json:"actions"`
	Reasons []plannedReason `json:"reasons"`
	Predict prediction      `json:"predicted"`
	Dist    distChange      `json:"dist"`
}

// plannedAction is one process that makes an object.
type plannedAction struct {
	Address string       `json:"address"`
	Cells   []string     `json:"cells"` // addresses that share the object, this one first
	Key     string       `json:"key"`
	Cached  bool         `json:"cached"`
	Guess   float64      `json:"guess_seconds"`
	Low     float64      `json:"low_seconds"` // as in the last builds
	High    float64      `json:"high_seconds"`
	Tool    string       `json:"tool"`
	Argv    []string     `json:"argv"`
	Env     []string     `json:"env,omitempty"`
	Closure string       `json:"toolchain"` // digest
	Inputs  []string     `json:"inputs"`
	Causes  []plan.Cause `json:"causes"`            // why it is not what was last built here
	Command string       `json:"command,omitempty"` // with -commands: a line for a shell
	// DerivedFrom is the cell whose object this one is derived from, without a
	// process; Proven names the compiler with which both were compared.
	DerivedFrom string `json:"derived_from,omitempty"`
	Proven      string `json:"proven,omitempty"`
}

// plannedReason is a root cause with the cells to build because of it. Each
// cell stands under one.
type plannedReason struct {
	plan.Cause
	Cells []string `json:"cells"`
	Also  int      `json:"also"` // cells under other reasons that have this one as well
}

// prediction is how long building takes.
type prediction struct {
	Jobs     int     `json:"jobs"`
	Likely   float64 `json:"seconds"`
	Low      float64 `json:"low_seconds"`
	High     float64 `json:"high_seconds"`
	Measured int     `json:"measured"` // actions whose time is known from this checkout
	Guessed  int     `json:"guessed"`
}

// Plan prints what building the cells would take and why. Nothing is built.
func (p *Project) Plan(ctx context.Context, v PlanView) error {
	d, err := p.load(v.Vars)
	if err != nil {
		return err
	}
	cells, err := pick(d, v.Selectors)
	if err != nil {
		return err
	}
	fold, err := folds(v.Fold, os.Getenv)
	if err != nil {
		return err
	}
	how, err := p.foldPlan(d, fold, v.Selectors == "")
	if err != nil {
		return err
	}
	q, err := p.inquireFolded(ctx, d, cells, how)
	if err != nil {
		return err
	}
	defer q.close()
	if v.Commands && !v.JSON {
		tools := q.tools()
		for _, n := range q.Graph.Nodes {
			if n.Action.Tool != "" && n.Action.Kind != plan.DeriveKind { // that is no command
				fmt.Fprintln(p.Out, commandLine(n, tools[n.Action.Tool]))
			}
		}
		return nil
	}
	out := q.planned(v)
	out.Dist = p.distChange(q, v.Selectors != "")
	out.ToDo = out.Build > 0 || out.Dist.any()
	if v.JSON {
		e := json.NewEncoder(p.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		err = e.Encode(out)
	} else {
		p.tellPlan(out, v.All)
	}
	if err == nil && v.Check && out.ToDo {
		err = &diag.Failure{Class: toDo, Err: fmt.Errorf("there is something to do (-check, exit code %d)", toDo)}
	}
	return err
}

// toDo is the exit code of -check where something is not as it would be made.
// It is none of the classes of failures.
const toDo diag.Class = 7

func (q *inquiry) tools() map[string]engine.Tool {
	tools := map[string]engine.Tool{}
	for _, tc := range q.found {
		for name, tool := range tc.Tools {
			tools[name] = tool
		}
	}
	return tools
}

func (q *inquiry) planned(v PlanView) planned {
	out := planned{Format: "kmx.plan/1", Cells: len(q.Cells), Predict: prediction{Jobs: v.Jobs}, Actions: []plannedAction{}, Reasons: []plannedReason{}}
	if out.Predict.Jobs <= 0 {
		out.Predict.Jobs = runtime.GOMAXPROCS(0)
	}
	tools := q.tools()
	var todo []string
	var causes [][]plan.Cause
	var spans []plan.Span
	at := map[int]int{} // action by node
	for i, c := range q.Cells {
		verdict := q.why(i)
		if !verdict.Cached {
			todo, causes = append(todo, c.Address()), append(causes, verdict.Causes)
			if q.Derived[q.Node[i]] != nil {
				out.Derive++
			}
		}
		if n, known := at[q.Node[i]]; known {
			out.Actions[n].Cells = append(out.Actions[n].Cells, c.Address())
			continue
		}
		at[q.Node[i]] = len(out.Actions)
		n := q.node(i)
		span, measured := plan.Recent(walls(q.history, c.Address()))
		derived, leader := q.DerivedFrom(i)
		if !measured || derived != nil {
			span = plan.Unmeasured(n.Guess.Wall)
		}
		if !verdict.Cached {
			spans = append(spans, span)
			if measured || derived != nil {
				out.Predict.Measured++
			} else {
				out.Predict.Guessed++
			}
		}
		a := plannedAction{
			Address: n.Label, Cells: []string{c.Address()}, Key: verdict.Key.String(), Cached: verdict.Cached,
			Guess: span.Likely.Seconds(), Low: span.Low.Seconds(), High: span.High.Seconds(),
			Tool: n.Action.Tool, Argv: n.Action.Args, Closure: n.Action.Toolchain.String(),
			Inputs: []string{}, Causes: append([]plan.Cause{}, verdict.Causes...),
		}
		if derived != nil {
			a.DerivedFrom, a.Proven = leader, derived.Proven.Version
		}
		for _, e := range n.Action.Env {
			a.Env = append(a.Env, e.Name+"="+e.Value)
		}
		for _, in := range n.Action.Inputs {
			a.Inputs = append(a.Inputs, in.Path)
		}
		if v.Commands && n.Action.Tool != "" && derived == nil {
			a.Command = commandLine(n, tools[a.Tool])
		}
		out.Actions = append(out.Actions, a)
	}
	out.Build = len(todo)
	for _, g := range plan.GroupCauses(todo, causes) {
		out.Reasons = append(out.Reasons, plannedReason{g.Cause, g.Cells, g.Also})
	}
	if len(spans) > 0 {
		s := plan.Makespan(spans, out.Predict.Jobs)
		out.Predict.Low, out.Predict.Likely, out.Predict.High = s.Low.Seconds(), s.Likely.Seconds(), s.High.Seconds()
	}
	return out
}

// shown is how many addresses are listed under a reason.
const shown = 8

// tellPlan is the plan for people: each reason with its cells, then the sums.
func (p *Project) tellPlan(out planned, all bool) {
	for _, r := range out.Reasons {
		switch { // groups come by size, so cells that stand elsewhere stand above
		case len(r.Cells) == 0:
			fmt.Fprintf(p.Out, "%s: %d of the cells above\n", r.Text, r.Also)
		case r.Also > 0:
			fmt.Fprintf(p.Out, "%s: %s, and %d of those above\n", r.Text, count(len(r.Cells), "cell"), r.Also)
		default:
			fmt.Fprintf(p.Out, "%s: %s\n", r.Text, count(len(r.Cells), "cell"))
		}
		for i, address := range r.Cells {
			if i == shown && !all && len(r.Cells) > shown+1 {
				fmt.Fprintf(p.Out, "  ... and %d more (-all lists them)\n", len(r.Cells)-i)
				break
			}
			fmt.Fprintf(p.Out, "  %s\n", address)
		}
	}
	if out.Build == 0 {
		p.Say("nothing to build: %s from %s, all in the cache", count(out.Cells, "cell"), count(len(out.Actions), "action"))
	} else {
		p.Say("%d of %s to build, %d in the cache", out.Build, count(out.Cells, "cell"), out.Cells-out.Build)
		if out.Derive > 0 {
			p.Say("%d of them derived from equal objects, without a process", out.Derive)
		}
		p.Say("%s", out.Predict)
	}
	p.Say("%s", out.Dist)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (r prediction) String() string {
	known := fmt.Sprintf("%d of %d measured here", r.Measured, r.Measured+r.Guessed)
	if r.Measured == 0 {
		known = "a guess, none was measured here"
	}
	return fmt.Sprintf("about %s with %s (%s to %s; %s)", seconds(r.Likely), count(r.Jobs, "job"), seconds(r.Low), seconds(r.High), known)
}

func seconds(s float64) time.Duration {
	d := time.Duration(s * float64(time.Second))
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
