package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestEqualKeysFailOnce(t *testing.T) {
	p := newProject(t)
	broken := errors.New("broken")
	f := &fake{cache: p.cache, during: func(context.Context, *Job) error { return broken }}
	p.o.Executor, p.o.KeepGoing = f, true
	results, err := p.run(context.Background(), script("a", "x"), script("b", "x"))
	p.wantStates(results, "a:failed b:failed")
	var same *SameAction
	if len(f.order) != 1 || !errors.Is(err, broken) || !errors.As(results[1].Err, &same) || same.Other != "a" {
		t.Errorf("ran %q; %v; %v", f.order, err, results[1].Err)
	}
}

func TestKeepGoingAndSkipping(t *testing.T) {
	p := newProject(t)
	f := &fake{cache: p.cache, during: func(_ context.Context, j *Job) error {
		if j.Label == "bad" {
			return errors.New("broken")
		}
		return nil
	}}
	p.o.Executor, p.o.KeepGoing = f, true
	nodes := []*Node{
		script("bad", "1"), needs(script("on bad", "2"), 0), needs(script("on both", "3"), 1, 4),
		needs(script("on good", "4"), 4), script("good", "5"),
	}
	results, err := p.run(context.Background(), nodes...)
	p.wantStates(results, "bad:failed on bad:skipped on both:skipped on good:done good:done")
	var partial *Incomplete
	if !errors.As(err, &partial) || partial.Counts != (Counts{Total: 5, Done: 2, Failed: 1, Skipped: 2}) {
		t.Errorf("%v", err)
	}
	if got := results[2].Err.Error(); got != "on both: needs bad, which failed" {
		t.Errorf("skipped because: %s", got)
	}
	if last := p.events[len(p.events)-1]; last.Kind != BuildFinished || last.Counts != partial.Counts || last.Error == "" {
		t.Errorf("last event %+v", last)
	}
}

func TestFailFastStopsWhatRuns(t *testing.T) {
	p := newProject(t)
	started := make(chan struct{})
	p.o.Executor = &fake{cache: p.cache, during: func(ctx context.Context, j *Job) error {
		switch j.Label {
		case "slow":
			close(started)
			<-ctx.Done()
			return ctx.Err()
		case "bad":
			<-started
			return errors.New("broken")
		}
		return nil
	}}
	nodes := []*Node{script("slow", "1"), script("bad", "2"), needs(script("on bad", "3"), 1), needs(script("on slow", "4"), 0)}
	results, err := p.run(context.Background(), nodes...)
	p.wantStates(results, "slow:cancelled bad:failed on bad:skipped on slow:cancelled")
	if errors.Is(err, context.Canceled) {
		t.Errorf("a failure looks like an interruption: %v", err)
	}
	if got := results[0].Err.Error(); got != "slow: stopped because another one failed" {
		t.Error(got)
	}
}

func TestInterruptionKeepsWhatFinished(t *testing.T) {
	p := newProject(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	reason := errors.New("interrupt signal received")
	f := &fake{cache: p.cache, during: func(ctx context.Context, j *Job) error {
		if j.Label == "second" {
			cancel(reason)
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}}
	p.o.Executor, p.o.Jobs = f, 1
	nodes := []*Node{script("first", "1"), needs(script("second", "2"), 0), needs(script("third", "3"), 1)}
	results, err := p.run(ctx, nodes...)
	p.wantStates(results, "first:done second:cancelled third:cancelled")
	if !errors.Is(err, context.Canceled) || !errors.Is(err, reason) {
		t.Errorf("%v", err)
	}
	f.during = nil
	p.wantStates(p.must(nodes...), "first:done(cached) second:done third:done")
}

func TestNothingStartsWhenAlreadyInterrupted(t *testing.T) {
	p := newProject(t)
	f := &fake{cache: p.cache}
	p.o.Executor = f
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	results, err := p.run(ctx, script("a", "1"))
	p.wantStates(results, "a:cancelled")
	if len(f.order) != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("ran %q, %v", f.order, err)
	}
}

func TestChecks(t *testing.T) {
	p := newProject(t)
	f := &fake{cache: p.cache}
	p.o.Executor = f
	refuse := errors.New("wrong target")
	a := script("a", "1")
	a.Check = func(out map[string][]byte) error {
		if string(out["out"]) != "bytes of out of a" {
			t.Errorf("outputs %q", out)
		}
		return refuse
	}
	// What is stored may be what a faulty machine has made: it is made anew, once.
	for i, cached := range []bool{false, false, true, true} {
		results, err := p.run(context.Background(), a)
		var check *CheckError
		if !errors.As(err, &check) || !errors.Is(err, refuse) {
			t.Errorf("%v", err)
		}
		if r := results[0]; r.State != Failed || r.Record == nil || r.Cached != cached {
			t.Errorf("cached %v: %+v", cached, r)
		}
		if want := min(i+1, 2); len(f.order) != want {
			t.Errorf("run %d: ran %d times, want %d", i, len(f.order), want)
		}
	}
	// The same action with a check that passes uses the record, also beside the one that refuses.
	b := script("b", "1")
	p.o.KeepGoing = true
	results, _ := p.run(context.Background(), a, b)
	p.wantStates(results, "a:failed(cached) b:done(cached)")
}

// What a faulty machine has made is refused, and made right by the next run.
func TestRefusedIsRepaired(t *testing.T) {
	p := newProject(t)
	f := &fake{cache: p.cache}
	p.o.Executor, p.o.KeepGoing = f, true
	right := func(label string) func(map[string][]byte) error {
		return func(out map[string][]byte) error {
			if string(out["out"]) != "bytes of out of "+label {
				return errors.New("garbage")
			}
			return nil
		}
	}
	a, twin := script("a", "1"), script("twin", "1")
	a.Check, twin.Check = right("a"), right("a")
	p.must(a)
	rec, err := p.cache.Lookup(a.Action.Key())
	if err != nil {
		t.Fatal(err)
	}
	if rec.Outputs[0].Digest, err = p.cache.PutBytes([]byte("wrong of out of a")); err != nil {
		t.Fatal(err)
	}
	if err := p.cache.Store(rec); err != nil {
		t.Fatal(err)
	}
	p.wantStates(p.must(a, twin), "a:done twin:done(cached)")
	p.wantStates(p.must(a, twin), "a:done(cached) twin:done(cached)")
	if len(f.order) != 2 {
		t.Errorf("ran %q", f.order)
	}
}

func TestRunRefusesWhatIsNotInOrder(t *testing.T) {
	p := newProject(t)
	bad := script("a", "1")
	bad.Action.Tool = "perl"
	results, err := p.run(context.Background(), bad, script("", "2"))
	var g *GraphError
	if !errors.As(err, &g) || len(g.Problems) != 2 || results != nil {
		t.Fatalf("%v, %v", results, err)
	}
	if !strings.Contains(err.Error(), `a: there is no tool "perl"; there is sh`) {
		t.Error(err)
	}
	if results, err := p.run(context.Background()); err != nil || len(results) != 0 {
		t.Errorf("an empty graph: %v, %v", results, err)
	}
}
