package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"kmx/cache"
)

// step is what a report is about.
type step int

const (
	looked step = iota
	built
	checked
	warned // a message only; the work goes on
	ended  // the processes of a build are over; built follows
	token  // of the jobserver, or that there are no more; about no task
)

// report is what a worker tells the dispatcher about a task.
type report struct {
	task    *task
	step    step
	miss    string        // looked: why there is no record to use
	record  *cache.Record // what was found or made, also when its check failed
	cached  bool          // the record was found
	out     *Outcome      // of a process that ran, also when it failed
	err     error
	warning string
}

// worker does what takes time, away from the dispatcher. It decides nothing about other tasks.
type worker struct {
	cache    *cache.Cache
	executor Executor
	tools    map[string]Tool
	warn     func(t *task, message string)
	ended    func(t *task)
	repeat   func(key cache.Digest) bool // Options.Repeat
}

// look finds the record of the task's key and checks its outputs. A report with a miss means that it must be built.
func (w *worker) look(t *task) report {
	rec, miss, err := w.find(t)
	if err == nil && rec != nil && w.repeats(t) {
		return report{task: t, step: looked, miss: "to be held against what is stored"}
	}
	return report{task: t, step: looked, record: rec, cached: rec != nil, miss: miss, err: err}
}

// find gives the record, with an error when the check refuses it, or the reason why there is none to use.
func (w *worker) find(t *task) (rec *cache.Record, miss string, err error) {
	rec, err = w.cache.Find(t.key)
	if err == nil {
		err = w.accept(t, rec)
	}
	var none *cache.Miss
	switch {
	case errors.As(err, &none) && none.Detail != "":
		return nil, string(none.Reason) + ": " + none.Detail, nil
	case errors.As(err, &none):
		return nil, string(none.Reason), nil
	case rec == nil:
		return nil, "", &MachineError{Label: t.node.Label, Doing: "cannot read the cache", Err: err}
	}
	return rec, "", err
}

// rooms are for the bytes of outputs while they are checked.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// accept runs the node's Check. An error that is a *cache.Miss means that an output is damaged or gone; any other is a
// *CheckError. What others need is read in any case, so that damage is repaired here and not met by them.
func (w *worker) accept(t *task, rec *cache.Record) error {
	if t.node.Check == nil && len(t.dependents) == 0 {
		return nil
	}
	outputs := make(map[string][]byte, len(rec.Outputs))
	for _, out := range rec.Outputs {
		room := rooms.Get().(*[]byte)
		defer rooms.Put(room)
		data, err := w.cache.BlobInto(out.Digest, *room)
		if err != nil {
			return err
		}
		*room = data
		outputs[out.Path] = data
	}
	if t.node.Check == nil {
		return nil
	}
	if err := t.node.Check(outputs); err != nil {
		return &CheckError{Label: t.node.Label, Err: err}
	}
	return nil
}

// check runs the node's Check on what was just built.
func (w *worker) check(t *task) report {
	r := report{task: t, step: checked, record: t.record, err: w.accept(t, t.record)}
	var refused *CheckError
	if r.err != nil && !errors.As(r.err, &refused) {
		r.err = &MachineError{Label: t.node.Label, Doing: "cannot read back what was just built", Err: r.err}
		r.record = nil
	}
	return r
}

// build executes the task's action and stores its record. The key is locked against other processes meanwhile; the
// cache is asked again under the lock, as one of them may just have built it.
func (w *worker) build(ctx context.Context, t *task) report {
	r := report{task: t, step: built}
	unlock, err := w.cache.Lock(ctx, t.key, func(holder string) {
		w.warn(t, "waiting for "+holder+", which builds the same")
	})
	if err != nil {
		if r.err = ctx.Err(); r.err == nil {
			r.err = &MachineError{Label: t.node.Label, Doing: "cannot lock the cache", Err: err}
		}
		return r
	}
	defer unlock()
	r.record, _, r.err = w.find(t)
	if r.record != nil && r.err == nil && w.repeats(t) {
		r.out, r.err = w.compare(ctx, t, r.record)
		return r
	}
	var refused *CheckError
	if t.refused != nil && errors.As(r.err, &refused) {
		r.record, r.err = nil, nil
	}
	if r.record != nil || r.err != nil {
		r.cached = r.record != nil
		return r
	}
	r.record, r.out, r.err = w.execute(ctx, t)
	if t.refused != nil && r.err == nil && slices.Equal(r.record.Outputs, t.refused.Outputs) {
		w.cache.Memo().PutDerived(twiceKind, t.outcome(r.record), "")
	}
	return r
}

// twiceKind is of outputs that were refused, made anew, and came out the same: it would be in vain to do so again.
const twiceKind = "kmx.made-twice/1"

func (w *worker) madeTwice(t *task, rec *cache.Record) bool {
	_, ok := w.cache.Memo().Derived(twiceKind, t.outcome(rec))
	return ok
}

// outcome names the action with what it gave.
func (t *task) outcome(rec *cache.Record) cache.Digest {
	h := cache.NewHasher()
	h.Write(t.key[:])
	for _, out := range rec.Outputs {
		h.Write(out.Digest[:])
	}
	return h.Sum()
}

// execute runs the action and stores what it gave.
func (w *worker) execute(ctx context.Context, t *task) (*cache.Record, *Outcome, error) {
	out, err := w.executor.Execute(ctx, w.job(t))
	if err != nil {
		return nil, out, err
	}
	rec := &cache.Record{
		Format: cache.RecordFormat, Key: t.key, Label: t.node.Label, Fields: append(t.action.Fields(), t.origin...), Outputs: out.Outputs,
		Stdout: out.Stdout, Stderr: out.Stderr,
		Wall: out.Wall, User: out.User, System: out.System, PeakRSS: out.PeakRSS, Made: time.Now().UTC(),
	}
	if err := w.cache.Store(rec); err != nil {
		return nil, out, &MachineError{Label: t.node.Label, Doing: "cannot store the record of the result", Err: err}
	}
	return rec, out, nil
}

func (w *worker) job(t *task) *Job {
	return &Job{Label: t.node.Label, Key: t.key, Action: &t.action, Tool: w.tools[t.action.Tool], Made: t.made, Ended: func() { w.ended(t) }}
}

func (w *worker) repeats(t *task) bool { return w.repeat != nil && w.repeat(t.key) }

// compare runs the action although there is a record of it, and holds what it gives against that. The record stays
// as it is; what differs is in the cache as well, for a look at both.
func (w *worker) compare(ctx context.Context, t *task, rec *cache.Record) (*Outcome, error) {
	out, err := w.executor.Execute(ctx, w.job(t))
	if err != nil {
		return out, err
	}
	made := map[string]cache.Output{}
	for _, o := range out.Outputs {
		made[o.Path] = o
	}
	differs := &Differs{Label: t.node.Label, Key: t.key}
	for _, stored := range rec.Outputs {
		if got := made[stored.Path]; got.Digest != stored.Digest {
			differs.Outputs = append(differs.Outputs, Difference{Stored: stored, Made: got})
		}
	}
	if len(differs.Outputs) > 0 {
		return out, differs
	}
	return out, nil
}
