package logs

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"kmx/cache"
	"kmx/engine"
)

// Build is what a log says of one build.
type Build struct {
	Name     string // of the log, without folder and ending
	File     string // where it lies
	Started  time.Time
	Wall     time.Duration // of the whole build; up to the last event where it was killed
	Finished bool          // the log has its end: the build was not killed
	Error    string        // why it is not complete
	Jobs     int           // processes at once
	Counts   engine.Counts // at the last event
	Events   int
	Cells    []Cell // what was heard of, by number
	Runs     []Run  // in the order in which they began
	Lanes    int
	Warnings []Note
}

// Cell is what became of one node of the build: a cell, or a helper of cells.
type Cell struct {
	Node   int
	Label  string
	State  engine.State // the last one heard of; not final where the build was killed
	Cached bool         // done without a process
	Key    cache.Digest
	Miss   string      // why the cache had no record; "" where it had, or nobody asked
	Needs  []int       // numbers of the helpers whose results it took
	Guess  engine.Cost // what was expected

	Wall, User, System time.Duration // of its process, now or when it was built
	PeakRSS            int64         // bytes

	Stdout, Output string // what the tool wrote to standard output and standard error
	Error          string

	Ready, End time.Duration // offsets; -1 where it did not get there
	First      int           // index + 1 in Runs of its first run, 0 for none
	Last       int           // the same of its last
}

// Run is one process: where it ran and when.
type Run struct {
	Cell       int // index in Cells
	Lane       int
	Start, End time.Duration // offsets; End is that of the build where it was not heard of
}

// Note is something that the build warned of.
type Note struct {
	At    time.Duration
	Label string // "" when it is about no cell
	Text  string
}

// Ran tells whether a process ran for the cell.
func (c *Cell) Ran() bool { return c.First > 0 }

// Took is the time that its process took: as measured, or, where the log does not
// say, from its runs.
func (b *Build) Took(c *Cell) time.Duration {
	if c.Wall > 0 || !c.Ran() {
		return c.Wall
	}
	r := b.Runs[c.Last-1]
	return r.End - r.Start
}

// Word is the state for people.
func (c *Cell) Word() string {
	switch {
	case c.State == engine.Done && c.Cached:
		return "cached"
	case c.State == engine.Done:
		return "built"
	case c.State == engine.Cancelled:
		return "stopped"
	case c.State.Final():
		return c.State.String()
	}
	return "unfinished"
}

// maxJobs bounds what a log may claim.
const maxJobs = 1 << 16

// Read reads a log.
func Read(path string) (*Build, error) {
	events, err := engine.ReadLog(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	b, err := FromEvents(strings.TrimSuffix(name, filepath.Ext(name)), events)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	b.File = path
	return b, nil
}

// FromEvents makes a Build of events. Numbers and states that no engine would
// write are errors.
func FromEvents(name string, events []engine.Event) (*Build, error) {
	if len(events) == 0 || events[0].Kind != engine.BuildStarted {
		return nil, fmt.Errorf("the log does not begin with the start of a build")
	}
	first := events[0]
	if first.Jobs < 0 || first.Jobs > maxJobs {
		return nil, fmt.Errorf("%d processes at once cannot be", first.Jobs)
	}
	r := &reader{b: &Build{Name: name, Started: first.Time.UTC(), Jobs: first.Jobs, Events: len(events)}, index: map[int]int{}, open: map[int]int{}}
	for i, e := range events {
		r.b.Counts = e.Counts
		at := e.Time.Sub(first.Time)
		r.b.Wall = max(r.b.Wall, at)
		switch e.Kind {
		case engine.NodeState:
			if e.State == engine.Running {
				r.makeRoom(events[i+1:], at)
			}
			if err := r.state(e, at); err != nil {
				return nil, fmt.Errorf("event %d: %w", i+1, err)
			}
		case engine.Warning:
			r.b.Warnings = append(r.b.Warnings, Note{at, e.Label, e.Message})
		case engine.BuildFinished:
			r.b.Finished, r.b.Error = true, e.Error
			if e.Wall > 0 {
				r.b.Wall = e.Wall
			}
		}
	}
	r.end()
	return r.b, nil
}

type reader struct {
	b     *Build
	index map[int]int // node to index in Cells
	open  map[int]int // index in Cells to index in Runs of what runs
	lanes lanes
}

func (r *reader) state(e engine.Event, at time.Duration) error {
	if e.Node < 0 || e.Label == "" {
		return fmt.Errorf("a state of nothing")
	}
	i, ok := r.index[e.Node]
	if !ok {
		i = len(r.b.Cells)
		r.index[e.Node] = i
		r.b.Cells = append(r.b.Cells, Cell{Node: e.Node, Label: e.Label, Ready: -1, End: -1})
	}
	c := &r.b.Cells[i]
	if c.Label != e.Label {
		return fmt.Errorf("node %d is %s, and was %s", e.Node, e.Label, c.Label)
	}
	c.State = e.State
	if !e.Key.IsZero() {
		c.Key = e.Key
	}
	if e.Guess != (engine.Cost{}) {
		c.Guess = e.Guess
	}
	switch {
	case e.State == engine.Ready:
		r.close(i, at) // a process that was killed for want of memory runs again
		if c.Ready < 0 {
			c.Ready, c.Miss, c.Needs = at, e.Message, e.Needs
		}
	case e.State == engine.Running:
		r.close(i, at)
		r.open[i] = len(r.b.Runs)
		r.b.Runs = append(r.b.Runs, Run{Cell: i, Lane: r.lanes.take(), Start: at})
		c.Last = len(r.b.Runs)
		if c.First == 0 {
			c.First = c.Last
		}
	case e.State == engine.Checking:
		r.close(i, at)
	case e.State.Final():
		r.close(i, at)
		c.End, c.Cached = at, e.Cached
		c.Wall, c.User, c.System, c.PeakRSS = e.Wall, e.User, e.System, e.PeakRSS
		c.Stdout, c.Output, c.Error = e.Stdout, e.Output, e.Error
	}
	return nil
}

// makeRoom ends the run that is told to end next, where all places are taken: in
// logs of before step 6 a process is told to begin before the one whose place it
// has is told to have ended.
func (r *reader) makeRoom(next []engine.Event, at time.Duration) {
	if r.b.Jobs == 0 || len(r.open) < r.b.Jobs {
		return
	}
	for _, e := range next {
		if i, ok := r.index[e.Node]; ok && e.Kind == engine.NodeState && (e.State == engine.Checking || e.State == engine.Ready || e.State.Final()) {
			if _, runs := r.open[i]; runs {
				r.close(i, at)
				return
			}
		}
	}
}

// close ends the run of a cell, if there is one.
func (r *reader) close(i int, at time.Duration) {
	if n, ok := r.open[i]; ok {
		r.b.Runs[n].End = max(at, r.b.Runs[n].Start)
		r.lanes.give(r.b.Runs[n].Lane)
		delete(r.open, i)
	}
}

func (r *reader) end() {
	for i := range r.b.Cells {
		r.close(i, r.b.Wall)
	}
	r.b.Lanes = r.lanes.n
}

// At is the index in Cells of a node, -1 where the log is silent about it.
func (b *Build) At(node int) int {
	for i := range b.Cells {
		if b.Cells[i].Node == node {
			return i
		}
	}
	return -1
}
