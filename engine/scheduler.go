package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"time"

	"kmx/cache"
)

// dispatcher takes all decisions of a run, in one goroutine. Workers look things up and build them, each in a goroutine
// that lives for one task, and report.
//
// Two queues, both by longest remaining path. Lookups are short and bound by this process, so that as many run as there
// are processors. They come in the same order as builds, and no build is started while a task that comes before it is
// still looked up: that takes a fraction of a millisecond, and the order of builds does not depend on luck. Builds are
// admitted against two counters: jobs, and memory by the nodes' guesses. The first in the queue is waited for even when
// a later one would fit: otherwise a large one might never get its turn. One that is too large for the whole budget runs
// when nothing else does. Where make shares out jobs, every build beyond the first needs a token as well.
type dispatcher struct {
	o       Options
	ctx     context.Context // of the caller
	work    context.Context // of the workers; ends with ctx and when the run stops
	cancel  context.CancelFunc
	worker  worker
	reports chan report

	tasks  []*task
	leader map[cache.Digest]*task // the task that works on a key, or has worked on it
	looks  queue                  // Looking, not given to a worker yet
	ready  queue                  // Ready

	looking           map[*task]bool // given to workers
	running, checking int            // workers at it
	storing           int            // workers that put away what ended processes made
	memory            int64          // guessed, of what is running
	alone             bool           // what is running wants no company
	asked             bool           // the jobserver, for a token
	orphaned          bool           // the jobserver gives no more tokens
	stopped           bool           // nothing more is started
	interrupted       error          // why, when the caller's context ended

	counts  Counts
	guessed time.Duration // sum of the guesses of what is not final
	started time.Time
}

func newDispatcher(ctx context.Context, g *Graph, o Options) *dispatcher {
	d := &dispatcher{o: o, ctx: ctx, leader: map[cache.Digest]*task{}, looking: map[*task]bool{}, started: time.Now()}
	d.work, d.cancel = context.WithCancel(ctx)
	// Room for whatever workers may have to say at once, so that none of them waits for the dispatcher to end.
	d.reports = make(chan report, 64+4*min(o.Jobs, len(g.Nodes)))
	d.worker = worker{cache: o.Cache, executor: o.Executor, tools: o.Tools, repeat: o.Repeat, warn: func(t *task, message string) {
		d.reports <- report{task: t, step: warned, warning: message}
	}, ended: func(t *task) { d.reports <- report{task: t, step: ended} }}
	d.tasks = make([]*task, len(g.Nodes))
	for i, n := range g.Nodes {
		d.tasks[i] = &task{node: n, index: i, waits: len(n.Needs), guess: n.Guess.Wall}
	}
	for _, t := range d.tasks {
		for _, need := range t.node.Needs {
			other := d.tasks[need.Node]
			other.dependents = append(other.dependents, t)
		}
		d.guessed += t.guess
	}
	d.counts.Total = len(d.tasks)
	d.measure()
	return d
}

// measure computes the longest remaining path of every task, from the last ones to the first.
func (d *dispatcher) measure() {
	left := make([]int, len(d.tasks)) // dependents not measured yet
	var free []*task
	for i, t := range d.tasks {
		if left[i] = len(t.dependents); left[i] == 0 {
			free = append(free, t)
		}
	}
	for len(free) > 0 {
		t := free[len(free)-1]
		free = free[:len(free)-1]
		var longest time.Duration
		for _, other := range t.dependents {
			longest = max(longest, other.remaining)
		}
		// A task without a guess counts a little, so that chains still come before single ones.
		t.remaining = longest + max(t.guess, time.Microsecond)
		for _, need := range t.node.Needs {
			if left[need.Node]--; left[need.Node] == 0 {
				free = append(free, d.tasks[need.Node])
			}
		}
	}
}

func (d *dispatcher) run() {
	defer d.cancel()
	d.emit(Event{Format: EventFormat, Time: d.started, Kind: BuildStarted, Node: -1, Jobs: d.o.Jobs})
	for _, t := range d.tasks {
		switch {
		case t.state.Final():
		case t.node.Err != nil:
			d.fail(t, &StepError{Label: t.node.Label, Err: t.node.Err}, nil)
		case t.waits == 0:
			d.identify(t)
		}
	}
	interrupt := d.ctx.Done()
	for {
		d.notice()
		d.startLooks()
		d.startBuilds()
		d.settleTokens()
		if len(d.looking)+d.running+d.storing+d.checking == 0 {
			break
		}
		select {
		case r := <-d.reports:
			d.notice()
			d.handle(r)
		case <-interrupt:
			interrupt = nil
		}
	}
	if d.o.Jobserver != nil {
		d.o.Jobserver.Drop()
	}
	for _, t := range d.tasks {
		if !t.state.Final() {
			d.finish(t, Cancelled, &Stopped{Label: t.node.Label, Err: d.interrupted}, nil)
		}
	}
	end := Event{Kind: BuildFinished, Node: -1, Wall: time.Since(d.started)}
	if _, err := d.results(); err != nil {
		end.Error, end.Err = err.Error(), err
	}
	d.emit(end)
}

// notice stops the run when the caller's context has ended.
func (d *dispatcher) notice() {
	err := d.ctx.Err()
	if err == nil || d.interrupted != nil {
		return
	}
	d.interrupted = err
	if cause := context.Cause(d.ctx); !errors.Is(cause, err) {
		d.interrupted = fmt.Errorf("%w: %w", err, cause) // which signal it was
	}
	d.stop()
}

// identify completes the inputs of a task whose needs are all done, which gives it its key, and lets it look.
func (d *dispatcher) identify(t *task) {
	t.state = Looking
	records := make([]*cache.Record, len(t.node.Needs))
	for i, need := range t.node.Needs {
		records[i] = d.tasks[need.Node].record
	}
	t.action, t.origin = t.node.complete(records)
	t.made = t.node.Stored
	if len(t.node.Needs) > 0 {
		t.made = maps.Clone(t.node.Stored)
		if t.made == nil {
			t.made = map[string]bool{}
		}
		for _, need := range t.node.Needs {
			t.made[need.Path] = true
		}
	}
	t.key = t.action.Key()
	switch leader := d.leader[t.key]; {
	case leader == nil:
		d.leader[t.key] = t
		d.looks.put(t)
	case leader.state.Final():
		d.follow(t, leader)
	default:
		leader.twins = append(leader.twins, t)
	}
}

// follow settles a task whose action another one has finished: it looks where there is a record, for its own check, and
// shares the failure where there is none.
func (d *dispatcher) follow(t, leader *task) {
	switch {
	case leader.record != nil:
		d.looks.put(t)
	case leader.state == Failed:
		d.fail(t, &SameAction{Label: t.node.Label, Other: leader.node.Label, Err: leader.err}, nil)
	}
}

func (d *dispatcher) startLooks() {
	for !d.stopped && len(d.looks) > 0 && len(d.looking) < runtime.GOMAXPROCS(0) {
		t := d.looks.take()
		d.looking[t] = true
		go func() { d.reports <- d.worker.look(t) }()
	}
}

func (d *dispatcher) startBuilds() {
	for !d.stopped && len(d.ready) > 0 && d.running < d.o.Jobs && d.storing < 2*d.o.Jobs {
		first := d.ready.first()
		if d.looksBefore(first) || d.running > 0 && d.mustWait(first) {
			return
		}
		t := d.ready.take()
		t.state = Running
		d.alone = t.alone
		d.running++
		d.memory += t.node.Guess.Memory
		d.emitNode(t, Event{})
		go func() { d.reports <- d.worker.build(d.work, t) }()
	}
}

// looksBefore tells whether a task that would be built before t is still looked up.
func (d *dispatcher) looksBefore(t *task) bool {
	if len(d.looks) > 0 && d.looks.first().before(t) {
		return true
	}
	for other := range d.looking {
		if other.before(t) {
			return true
		}
	}
	return false
}
