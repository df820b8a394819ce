package flow

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
	"kmx/plan"
)

// PlanView are the choices of the plan command.
type PlanView struct {
	Selectors string // the cells to look at; those of a release if empty
	Commands  bool   // print command lines
	JSON      bool
	Vars      string
}

// plannedAction is one action as `plan -json` prints it, format kmx.plan/1.
type plannedAction struct {
	Address string   `json:"address"`
	Key     string   `json:"key"`
	Cached  bool     `json:"cached"`
	Guess   float64  `json:"guess_seconds"`
	Tool    string   `json:"tool"`
	Argv    []string `json:"argv"`
	Inputs  []string `json:"inputs"`
}

// Plan prints what building the cells would take. Nothing is built.
func (p *Project) Plan(ctx context.Context, v PlanView) error {
	d, err := p.load(v.Vars)
	if err != nil {
		return err
	}
	cells, err := pick(d, v.Selectors)
	if err != nil {
		return err
	}
	store, err := p.Cache()
	if err != nil {
		return err
	}
	found, err := p.find(ctx, d, cells, false)
	if err != nil {
		return err
	}
	state, err := p.state()
	if err != nil {
		return err
	}
	history, err := cache.OpenHistory(state)
	if err != nil {
		return err
	}
	defer history.Close()
	pl, list := plan.New(cells, plan.Source{Root: p.Root, Memo: store.Memo(), Toolchains: found, Past: history.Last})
	if list.HasErrors() {
		return &diag.Failure{Class: diag.Matrix, Messages: list}
	}
	tools := map[string]engine.Tool{}
	for _, tc := range found {
		for name, tool := range tc.Tools {
			tools[name] = tool
		}
	}
	var actions []plannedAction
	for _, n := range pl.Graph.Nodes {
		if v.Commands {
			fmt.Fprintln(p.Out, commandLine(n, tools[n.Action.Tool]))
			continue
		}
		key := n.Action.Key()
		_, err := store.Lookup(key)
		a := plannedAction{
			Address: n.Label, Key: key.String(), Cached: err == nil, Guess: n.Guess.Wall.Seconds(),
			Tool: n.Action.Tool, Argv: n.Action.Args,
		}
		for _, in := range n.Action.Inputs {
			a.Inputs = append(a.Inputs, in.Path)
		}
		actions = append(actions, a)
	}
	switch {
	case v.Commands:
		return nil
	case v.JSON:
		e := json.NewEncoder(p.Out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Format  string          `json:"format"`
			Actions []plannedAction `json:"actions"`
		}{"kmx.plan/1", actions})
	}
	build, seconds := 0, 0.0
	for _, a := range actions {
		if !a.Cached {
			build++
			seconds += a.Guess
			fmt.Fprintln(p.Out, a.Address)
		}
	}
	p.Say("%d cells from %d actions: %d in the cache, %d to build, about %s of compiler time",
		len(pl.Cells), len(actions), len(actions)-build, build, (time.Duration(seconds * float64(time.Second))).Round(time.Second))
	return nil
}

// commandLine is the action of n as a line for a POSIX shell, run from the
// project's directory. The object goes to dist/plan, which has to exist.
func commandLine(n *engine.Node, tool engine.Tool) string {
	words := tool.Env
	if len(words) > 0 {
		words = append([]string{"env"}, words...)
	}
	words = append(words, tool.Path)
	base := "dist/plan/" + strings.ReplaceAll(n.Label, "/", "-")
	for _, a := range n.Action.Args {
		switch a {
		case n.Action.Outputs[0]:
			a = base + ".hsaco"
		case n.Action.Depfile:
			a = base + ".d"
		}
		words = append(words, a)
	}
	for i, w := range words {
		words[i] = shellWord(w)
	}
	return strings.Join(words, " ")
}

// shellWord quotes w for a POSIX shell where it has to be.
func shellWord(w string) string {
	if w != "" && !strings.ContainsFunc(w, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_", r)
	}) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
