package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"kmx/engine"
)

// board is how far the build is, as the events told so far.
type board struct {
	begun, finished bool
	started         time.Time
	last            time.Time // of the last event
	jobs            int
	counts          engine.Counts
	remaining       time.Duration // guess of the engine at the last event, running cells in full
	running         map[int]runningCell
	saved           time.Duration // processor time that cached results cost when they were built
	wall            time.Duration // of the whole build, when finished
	derived         int           // cells that are done without a process, from another one's object
	failed          []string      // labels, as they failed
	outcomes        []outcome     // of everything but what came from the cache, in order of time
	failures        []engine.Event
	shown           int          // finished cells that a line was written for
	held            engine.Event // the cell that waits for memory now; its Label is empty when none does
	holds           int          // how many have had to
}

type runningCell struct {
	node  int
	label string
	since time.Time
	guess time.Duration
}

func (b *board) take(e engine.Event) {
	if !b.begun {
		b.begun, b.started, b.running = true, e.Time, map[int]runningCell{}
	}
	b.last, b.counts, b.remaining = e.Time, e.Counts, e.Remaining
	switch e.Kind {
	case engine.BuildStarted:
		b.jobs = e.Jobs
	case engine.BuildFinished:
		b.finished, b.wall = true, e.Wall
	case engine.Held:
		b.held = e
		b.holds++
	case engine.NodeState:
		if e.Label == b.held.Label {
			b.held = engine.Event{}
		}
		if e.State == engine.Running {
			b.running[e.Node] = runningCell{e.Node, e.Label, e.Time, e.Guess.Wall}
			return
		}
		delete(b.running, e.Node)
		switch {
		case e.State == engine.Done && e.Cached:
			b.saved += cmp.Or(e.User+e.System, e.Wall)
		case e.State == engine.Failed:
			b.failed = append(b.failed, e.Label)
			b.failures = append(b.failures, e)
		}
		b.note(e)
	}
}

// longest are the running cells, the one that began first first.
func (b *board) longest() []runningCell {
	var l []runningCell
	for _, r := range b.running {
		l = append(l, r)
	}
	slices.SortFunc(l, func(x, y runningCell) int {
		return cmp.Or(x.since.Compare(y.since), cmp.Compare(x.node, y.node))
	})
	return l
}

// left guesses the time until the end: the engine's guess less what the running
// cells have behind them, but no less than what the longest of them has before
// it. Zero means that nothing is known.
func (b *board) left(now time.Time) time.Duration {
	if b.remaining <= 0 {
		return 0
	}
	var behind, before time.Duration
	for _, r := range b.running {
		spent := now.Sub(r.since)
		behind += min(spent, r.guess)
		before = max(before, r.guess-spent)
	}
	left := max(b.remaining-behind/time.Duration(max(b.jobs, 1)), before)
	if left <= 0 {
		return 0 // everything takes longer than it was guessed to
	}
	return max(left, time.Second)
}

// state is one line: what is done, what runs, how long still.
func (b *board) state(now time.Time) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d/%d cells", b.counts.Final(), b.counts.Total)
	for _, p := range []struct {
		n    int
		what string
	}{{len(b.running), "running"}, {b.counts.Cached, "cached"}, {b.counts.Failed, "failed"}, {b.counts.Skipped, "skipped"}} {
		if p.n > 0 {
			fmt.Fprintf(&s, ", %d %s", p.n, p.what)
		}
	}
	fmt.Fprintf(&s, ", %s so far", rough(now.Sub(b.started)))
	if left := b.left(now); left > 0 {
		fmt.Fprintf(&s, ", about %s left", rough(left))
	}
	if b.held.Label != "" {
		fmt.Fprintf(&s, "; %s waits for memory", b.held.Label)
	}
	return s.String()
}

// summary is the last line of the report.
func (b *board) summary() string {
	c := b.counts
	var s strings.Builder
	cells := "cells"
	if c.Total == 1 {
		cells = "cell"
	}
	fmt.Fprintf(&s, "%d %s: %d built, %d cached", c.Total, cells, c.Done-c.Cached-b.derived, c.Cached)
	if b.derived > 0 {
		fmt.Fprintf(&s, ", %d derived", b.derived)
	}
	for _, p := range []struct {
		n    int
		what string
	}{{c.Failed, "failed"}, {c.Skipped, "skipped"}, {c.Cancelled, "stopped"}} {
		if p.n > 0 {
			fmt.Fprintf(&s, ", %d %s", p.n, p.what)
		}
	}
	fmt.Fprintf(&s, " in %s", exact(b.wall))
	if b.saved > 0 {
		fmt.Fprintf(&s, ", %s of compiling saved by the cache", exact(b.saved))
	}
	return s.String()
}

// exact is a duration to a tenth of a second, from a minute on to the second.
func exact(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return rough(d)
}

// rough is a duration to the second.
func rough(d time.Duration) string {
	s := int(max(d, 0).Round(time.Second).Seconds())
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
}
