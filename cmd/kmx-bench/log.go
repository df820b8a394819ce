package main

import (
	"fmt"
	"path/filepath"
	"time"

	"kmx/engine"
)

// built is what the event log tells of a build.
type built struct {
	ran          int // actions
	processes    int // of these; the others are steps of kmx itself
	whole        time.Duration
	longest, sum time.Duration // of the actions' wall times
	cpu          time.Duration // of the actions
	jobs         int
}

// least is what no order of the actions could beat: the longest of them, or all
// of them spread evenly over the jobs.
func (b built) least() time.Duration {
	return max(b.longest, b.sum/time.Duration(max(1, b.jobs)))
}

func (b built) makespan() float64 { return b.whole.Seconds() / b.least().Seconds() }

// note takes in one event.
func (b *built) note(e engine.Event) {
	switch {
	case e.Kind == engine.BuildStarted:
		b.jobs = e.Jobs
	case e.Kind == engine.BuildFinished:
		b.whole = e.Wall
	case e.Kind == engine.NodeState && e.State == engine.Done && !e.Cached:
		b.ran++
		if e.User+e.System > 0 {
			b.processes++
		}
		b.sum += e.Wall
		b.cpu += e.User + e.System
		b.longest = max(b.longest, e.Wall)
	}
}

// lastBuild reads the event log of the last build that used the cache at store.
func lastBuild(store string) (built, error) {
	var b built
	logs, err := filepath.Glob(filepath.Join(store, "state", "*", "log", "*.jsonl"))
	if err != nil || len(logs) == 0 {
		return b, fmt.Errorf("no event log in %s (%v)", store, err)
	}
	last := logs[0]
	for _, name := range logs { // names are times
		if filepath.Base(name) > filepath.Base(last) {
			last = name
		}
	}
	events, err := engine.ReadLog(last)
	for _, e := range events {
		b.note(e)
	}
	return b, err
}
