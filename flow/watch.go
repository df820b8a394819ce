package flow

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/plan"
	"kmx/release"
)

// Watch builds cells into dist/dev, and again whenever something that they are
// made from is saved, until it is interrupted; that is how it ends, so it is no
// error. What fails is told and waits for the next save.
func (p *Project) Watch(ctx context.Context, selectors, not string, o Build) error {
	if err := o.check(); err != nil {
		return err
	}
	o.KeepGoing, o.shows = true, showChanges
	w := &watching{p: p, paths: cache.NewWatch()}
	for first := true; ; first = false {
		r, err := w.round(ctx, selectors, not, o)
		if ctx.Err() != nil {
			return nil
		}
		var f *diag.Failure
		switch {
		case err == nil || w.stopped:
		case errors.As(err, &f):
			if first && f.Class == diag.Usage {
				return err
			}
			p.show(f.Messages)
		default:
			p.Say("%v", err)
		}
		w.hold(r)
		if first {
			for _, line := range release.DevAdvice(r.placed) {
				p.Say("%s", line)
			}
			p.Say("watching %s for %s; Ctrl-C ends it", count(len(w.seen), "path"), count(r.cells, "cell"))
		}
		if !w.wait(ctx) {
			return nil
		}
	}
}

const (
	// watchPoll is how often files are looked at.
	watchPoll = 200 * time.Millisecond
	// absentPolls is for how many looks a file may be gone, or empty, before
	// that is taken for what somebody wants: editors do so while they save.
	absentPolls = 5
)

// watching is what a watch knows between its builds.
type watching struct {
	p     *Project
	paths *cache.Watch
	// seen is what each path held when it was read: a digest, or a word for
	// what is no file.
	seen    map[string]string
	stopped bool // the last build was broken off for the next
}

// round is one build and what it read.
type round struct {
	read  map[string]string // by path, as in watching.seen
	plan  *plan.Plan
	cells int
	// libraries are the files that cells are made of.
	libraries []string
	placed    []release.DevSet
}

// round builds once. A build whose inputs are saved meanwhile is broken off.
func (w *watching) round(ctx context.Context, selectors, not string, o Build) (round, error) {
	r := round{read: map[string]string{}}
	w.stopped = false
	building, stop := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for sleep(building, watchPoll) {
			if w.paths.Changed() != "" {
				stop()
			}
		}
	}()
	err := w.build(building, &r, selectors, not, o)
	w.stopped = building.Err() != nil
	stop()
	<-over
	return r, err
}

func (w *watching) build(ctx context.Context, r *round, selectors, not string, o Build) error {
	p := w.p
	d, err := p.loadFile(matrixFile, o.Vars, matrix.Options{
		HasLibrary: hasLibrary,
		ReadFile: func(name string) ([]byte, error) {
			data, err := os.ReadFile(p.path(name))
			r.read[p.path(name)] = holds(cache.Sum(data), err)
			return data, err
		},
	})
	if err != nil {
		return err
	}
	cells, list := d.Select(selectors, not)
	if list.HasErrors() {
		return &diag.Failure{Class: diag.Usage, Messages: list}
	}
	r.cells = len(cells)
	for _, l := range librarySources(d) {
		r.libraries = append(r.libraries, l.Files...)
	}
	m, err := p.make(ctx, d, cells, o, false)
	if m != nil {
		r.plan = m.plan
	}
	if err != nil {
		return err
	}
	r.placed, err = p.place(ctx, d, m, cells, d.Sets)
	return err
}

// hold takes what a round read as what the next look is compared with. Where a
// round did not get that far, the paths of the one before are kept.
func (w *watching) hold(r round) {
	p := w.p
	names := []string{p.path(matrixFile), p.path(lockFile)}
	for name := range r.read {
		names = append(names, name)
	}
	if r.plan != nil {
		for _, name := range slices.Concat(r.plan.Files, r.plan.Absent) {
			names = append(names, p.path(name))
		}
		for _, n := range r.plan.Graph.Nodes {
			for _, in := range n.Action.Inputs {
				if !n.Stored[in.Path] {
					r.read[p.path(in.Path)] = holds(in.Content(), nil)
				}
			}
		}
		names = append(names, r.libraries...)
	} else {
		for name := range w.seen {
			names = append(names, name)
		}
	}
	w.paths = cache.NewWatch()
	seen := map[string]string{}
	for _, name := range names {
		w.paths.Add(name)
		if was, ok := r.read[name]; ok {
			seen[name] = was
		} else {
			seen[name] = w.look(name)
		}
	}
	w.seen = seen
}

// wait returns when something that was read holds something else now; false
// when the watch is over.
func (w *watching) wait(ctx context.Context) bool {
	// A file may have been saved after it was read and before it was held.
	changed := w.stopped || len(w.changes()) > 0
	for {
		for ; !changed; changed = w.paths.Changed() != "" {
			if !sleep(ctx, watchPoll) {
				return false
			}
		}
		changed = false
		if !w.settle(ctx) {
			return false
		}
		names := w.changes()
		if len(names) > 0 {
			w.p.Say("saved: %s", some(names))
		}
		if len(names) > 0 || w.stopped {
			return true
		}
	}
}

// settle waits until files are left alone.
func (w *watching) settle(ctx context.Context) bool {
	for quiet, need := 0, 1; quiet < need; quiet++ {
		now := w.paths.Renew()
		if !sleep(ctx, watchPoll) {
			return false
		}
		if now.Changed() != "" {
			quiet = -1
		}
		need = 1
		for name, was := range w.seen {
			if info, err := os.Stat(name); was != nothing && (err != nil || info.Size() == 0) {
				need = absentPolls
			}
		}
		w.paths = now
	}
	return true
}

// changes lists the paths that hold something else than was read, as people
// call them.
func (w *watching) changes() []string {
	var names []string
	for name, was := range w.seen {
		if w.look(name) != was {
			names = append(names, strings.TrimPrefix(strings.TrimPrefix(name, w.p.Root), string(os.PathSeparator)))
		}
	}
	slices.Sort(names)
	return names
}

// nothing is what a path without a file holds.
const nothing = "nothing"

func holds(d cache.Digest, err error) string {
	if err != nil {
		return nothing
	}
	return d.String()
}

func (w *watching) look(name string) string {
	store, err := w.p.Cache()
	if err != nil {
		return nothing
	}
	d, _, err := store.Memo().File(name)
	return holds(d, err)
}

// some lists a few names.
func some(names []string) string {
	const few = 4
	if len(names) > few+1 {
		return strings.Join(names[:few], ", ") + " and " + count(len(names)-few, "other")
	}
	return strings.Join(names, ", ")
}

// sleep reports whether the time passed before ctx was over.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
