package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Random graphs with random failures, equal keys and interruptions: whatever happens, the states must fit together.
func TestRandomGraphs(t *testing.T) {
	p := newProject(t)
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		ctx, cancel := context.WithCancel(context.Background())
		var nodes []*Node
		for i := range 1 + rng.IntN(25) {
			text := fmt.Sprint(seed, " ", rng.IntN(30)) // some are equal
			if rng.IntN(8) == 0 {
				text += " fails"
			}
			n := script(fmt.Sprint("n", i), text)
			for j := range i {
				if rng.IntN(6) == 0 {
					needs(n, j)
				}
			}
			switch rng.IntN(10) {
			case 0:
				n.Check = func(map[string][]byte) error { return errors.New("refused") }
			case 1, 2:
				n.Check = func(map[string][]byte) error { return nil }
			}
			n.Guess = Cost{Wall: time.Duration(rng.IntN(1000)), Memory: rng.Int64N(50)}
			nodes = append(nodes, n)
		}
		interrupt := rng.IntN(4) == 0
		p.o.KeepGoing, p.o.Jobs, p.o.Memory = rng.IntN(2) == 0, 1+rng.IntN(4), 60
		p.o.Executor = &fake{cache: p.cache, during: func(ctx context.Context, j *Job) error {
			if strings.HasSuffix(j.Action.Args[1], "fails") {
				return errors.New("broken")
			}
			if interrupt && j.Label == "n5" {
				cancel()
			}
			return ctx.Err()
		}}
		results, err := p.run(ctx, nodes...)
		cancel()
		fits(t, fmt.Sprint("seed ", seed), p, results, err)
	}
}

func fits(t *testing.T, where string, p *project, results []Result, err error) {
	t.Helper()
	last := map[string]Event{}
	for _, e := range p.events {
		if e.Kind == NodeState {
			if before, ok := last[e.Label]; ok && before.State.Final() {
				t.Errorf("%s: %s was %s and became %s", where, e.Label, before.State, e.State)
			}
			last[e.Label] = e
		}
		if e.Counts.Running > p.o.Jobs {
			t.Errorf("%s: %d are running", where, e.Counts.Running)
		}
	}
	counts := Counts{Total: len(results)}
	for _, r := range results {
		label := r.Node.Label
		worst := Done // of its needs
		failed := false
		for _, need := range r.Node.Needs {
			worst = max(worst, results[need.Node].State)
			failed = failed || results[need.Node].State == Failed || results[need.Node].State == Skipped
		}
		bad := func(format string, args ...any) {
			t.Errorf("%s: %s is %s: %s", where, label, r.State, fmt.Sprintf(format, args...))
		}
		switch r.State {
		case Done:
			counts.Done++
			if r.Cached {
				counts.Cached++
			}
			if worst != Done || r.Record == nil || r.Err != nil || r.Key != r.Record.Key {
				bad("needs are %s, record %v, error %v", worst, r.Record, r.Err)
			}
		case Failed:
			counts.Failed++
			if worst != Done || r.Err == nil {
				bad("needs are %s, error %v", worst, r.Err)
			}
		case Skipped:
			counts.Skipped++
			if !failed {
				bad("none of its needs failed")
			}
		case Cancelled:
			counts.Cancelled++
			if failed || p.o.KeepGoing && !errors.Is(err, context.Canceled) {
				bad("it should not be")
			}
		default:
			bad("it is not final")
		}
		if e := last[label]; e.State != r.State || e.Err != r.Err {
			bad("its last event says %s, %v", e.State, e.Err)
		}
	}
	var partial *Incomplete
	if errors.As(err, &partial); partial != nil && partial.Counts != counts || (err == nil) != (counts.Done == counts.Total) {
		t.Errorf("%s: counts %+v, error %v", where, counts, err)
	}
	if end := p.events[len(p.events)-1]; end.Kind != BuildFinished || end.Counts != counts || end.Remaining != 0 {
		t.Errorf("%s: last event %+v, counts %+v", where, end, counts)
	}
}
