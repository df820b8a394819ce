package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"kmx/cache"
	"kmx/engine"
)

// makespans runs graphs whose actions only wait, some milliseconds each, by a
// lognormal distribution as that of compilers, with known durations: what is
// over the least possible time is the engine's. Waiting needs no processor, so
// that other work on the machine disturbs little.
func (b *bench) makespans() error {
	const actions = 64
	rounds := 5
	if b.quick {
		rounds = 1
	}
	for _, jobs := range []int{runtime.NumCPU(), 8} {
		var spans []float64
		for round := range rounds {
			span, err := b.waiting(filepath.Join(b.work, fmt.Sprintf("wait-%d-%d", jobs, round)), actions, jobs, uint64(round))
			if err != nil {
				return err
			}
			spans = append(spans, span.makespan())
		}
		fmt.Printf("makespan, %d actions that wait, %d jobs: %.3f x max(longest, sum / jobs), median of %d builds\n\n",
			actions, jobs, median(spans), rounds)
		b.goals.ratio(fmt.Sprintf("makespan / max(longest, sum/P), P = %d, waiting actions", jobs), 1.02, median(spans))
	}
	return nil
}

// waiting builds one such graph in dir.
func (b *bench) waiting(dir string, actions, jobs int, seed uint64) (built, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return built{}, err
	}
	store, err := cache.Open(filepath.Join(dir, "cache"), nil)
	if err != nil {
		return built{}, err
	}
	defer store.Close()
	random := rand.New(rand.NewPCG(seed, 1))
	g := &engine.Graph{}
	for i := range actions {
		takes := time.Duration(60e6 * math.Exp(random.NormFloat64()*0.8))
		takes = min(takes, 400*time.Millisecond)
		g.Nodes = append(g.Nodes, &engine.Node{
			Label: fmt.Sprint("wait/", i), Guess: engine.Cost{Wall: takes},
			Action: engine.Action{Kind: "bench", Tool: "sh", Outputs: []string{"out"},
				Args: []string{"-c", fmt.Sprintf("sleep %.4f; echo %d >out", takes.Seconds(), i)}},
		})
	}
	var told built
	_, err = engine.Run(context.Background(), g, engine.Options{
		Cache: store, Root: dir, Jobs: jobs, Tools: map[string]engine.Tool{"sh": {Path: "/bin/sh"}}, Sink: told.note,
	})
	return told, err
}
