package engine

import (
	"context"
	"errors"
	"slices"
)

// handle takes in what a worker reports.
func (d *dispatcher) handle(r report) {
	t := r.task
	switch r.step {
	case warned:
		d.emit(Event{Kind: Warning, Node: t.index, Label: t.node.Label, Message: r.warning})
		return
	case token:
		d.tookToken(r.err)
		return
	case looked:
		delete(d.looking, t)
	case ended:
		if !t.storing {
			t.storing = true
			d.storing++
			d.leave(t)
			t.state = Checking
			d.emitNode(t, Event{})
		}
		return
	case built:
		if t.storing {
			t.storing = false
			d.storing--
		} else {
			d.leave(t)
		}
	case checked:
		d.checking--
	}
	t.record = r.record
	t.cached = r.cached
	ended := errors.Is(r.err, context.Canceled) || errors.Is(r.err, context.DeadlineExceeded)
	switch {
	case r.miss != "" && d.stopped: // Cancelled in the end
	case r.miss != "":
		t.state = Ready
		d.ready.put(t)
		d.emitNode(t, Event{Message: r.miss})
	case r.err != nil && ended && d.work.Err() != nil:
		d.finish(t, Cancelled, &Stopped{Label: t.node.Label, Err: d.interrupted}, r.out)
	case r.step == looked && !d.stopped && d.doubts(t, r):
		t.refused, t.record, t.cached = r.record, nil, false
		t.state = Ready
		d.ready.put(t)
		d.emitNode(t, Event{Message: "what is stored was refused; it is made anew, lest a fault of the machine made it"})
	case outOfMemory(r.err) && !t.alone && !d.stopped && d.o.Jobs > 1:
		t.alone = true
		t.state = Ready
		d.ready.put(t)
		d.emit(Event{Kind: Warning, Node: t.index, Label: t.node.Label, Message: "killed, most likely for want of memory; it is tried again alone"})
	case r.err != nil:
		d.fail(t, r.err, r.out)
	case r.step == built && !r.cached && t.node.Check != nil:
		told := t.state == Checking
		t.state = Checking
		d.checking++
		if !told {
			d.emitNode(t, Event{})
		}
		go func() { d.reports <- d.worker.check(t) }()
	default:
		d.finish(t, Done, nil, nil)
	}
}

// leave gives back what a running task held.
func (d *dispatcher) leave(t *task) {
	d.running--
	d.memory -= t.node.Guess.Memory
}

// doubts tells whether outputs that the check refused may be due to a fault when they were made: a disk, memory, or a
// compiler that was replaced. Then making them anew helps. What was made in this run, or twice to the same bytes, is
// what the action gives.
func (d *dispatcher) doubts(t *task, r report) bool {
	var refused *CheckError
	if !errors.As(r.err, &refused) || r.record == nil || d.worker.repeats(t) || t.refused != nil {
		return false
	}
	leader := d.leader[t.key]
	return (leader == t || leader.cached) && !d.worker.madeTwice(t, r.record)
}

func outOfMemory(err error) bool {
	var failed *ActionError
	return errors.As(err, &failed) && failed.OutOfMemory
}

// finish puts the task into a final state, tells it, and moves whom it concerns.
func (d *dispatcher) finish(t *task, s State, err error, out *Outcome) {
	t.state, t.err = s, err
	d.guessed -= t.guess
	switch s {
	case Done:
		d.counts.Done++
		if t.cached {
			d.counts.Cached++
		}
	case Failed:
		d.counts.Failed++
	case Skipped:
		d.counts.Skipped++
	case Cancelled:
		d.counts.Cancelled++
	}
	d.emitFinal(t, out)
	if s == Done {
		for _, other := range t.dependents {
			if other.waits--; other.waits == 0 && !other.state.Final() {
				d.identify(other)
			}
		}
	}
	twins := t.twins
	t.twins = nil
	for _, other := range twins {
		d.follow(other, t)
	}
}

// fail makes the task Failed and everything that needs it Skipped, and stops the run unless it keeps going.
func (d *dispatcher) fail(t *task, err error, out *Outcome) {
	if !d.o.KeepGoing {
		d.stop()
	}
	d.finish(t, Failed, err, out)
	for pending := slices.Clone(t.dependents); len(pending) > 0; {
		next := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if next.state.Final() {
			continue
		}
		d.finish(next, Skipped, &NeedFailed{Label: next.node.Label, Need: t.node.Label}, nil)
		pending = append(pending, next.dependents...)
	}
}

// stop ends the run early: nothing is started any more, and what is running is told to end.
func (d *dispatcher) stop() {
	d.stopped = true
	d.cancel()
}

// results gives the outcome of every node, and an error when one is not Done.
func (d *dispatcher) results() ([]Result, error) {
	list := make([]Result, len(d.tasks))
	var failures []error
	for i, t := range d.tasks {
		list[i] = Result{Node: t.node, State: t.state, Key: t.key, Cached: t.cached, Record: t.record, Err: t.err}
		if t.state == Failed {
			failures = append(failures, t.err)
		}
	}
	if d.counts.Done == d.counts.Total {
		return list, nil
	}
	return list, &Incomplete{Counts: d.counts, Failures: failures, Interrupted: d.interrupted}
}
