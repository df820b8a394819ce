package engine

import (
	"cmp"
	"slices"
	"time"
)

// emit tells one event to the sink, with what every event carries.
func (d *dispatcher) emit(e Event) {
	if d.o.Sink == nil {
		return
	}
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	e.Counts = d.counts
	e.Counts.Running = d.running
	e.Remaining = d.guessed / time.Duration(d.o.Jobs)
	d.o.Sink(e)
}

// emitNode tells the state of a task.
func (d *dispatcher) emitNode(t *task, e Event) {
	e.Kind = cmp.Or(e.Kind, NodeState)
	e.Node, e.Label, e.State, e.Key, e.Guess = t.index, t.node.Label, t.state, t.key, t.node.Guess
	if t.state == Ready && e.Kind == NodeState {
		e.Needs = t.node.needs()
	}
	d.emit(e)
}

// needs lists the nodes that n needs, each once.
func (n *Node) needs() []int {
	var list []int
	for _, need := range n.Needs {
		if !slices.Contains(list, need.Node) {
			list = append(list, need.Node)
		}
	}
	return list
}

// emitFinal tells how a task ended. The messages of the tool come from the record where there is one, so that a result
// from the cache repeats the warnings of the run that made it.
func (d *dispatcher) emitFinal(t *task, out *Outcome) {
	e := Event{Cached: t.cached}
	switch {
	case t.record != nil:
		r := t.record
		e.Wall, e.User, e.System, e.PeakRSS = r.Wall, r.User, r.System, r.PeakRSS
		e.Stdout, e.Output = string(r.Stdout), string(r.Stderr)
	case out != nil:
		e.Wall, e.User, e.System, e.PeakRSS = out.Wall, out.User, out.System, out.PeakRSS
		e.Stdout, e.Output = string(out.Stdout), string(out.Stderr)
	}
	if t.err != nil {
		e.Error, e.Err = t.err.Error(), t.err
	}
	d.emitNode(t, e)
}
