package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestRunNeverExceedsJobsAndUsesThem(t *testing.T) {
	p := newProject(t)
	const jobs = 3
	// Every job waits until as many run as may; one more would be seen in most.
	var mu sync.Mutex
	inside, full := 0, make(chan struct{})
	f := &fake{cache: p.cache, during: func(context.Context, *Job) error {
		mu.Lock()
		if inside++; inside == jobs {
			close(full)
		}
		mu.Unlock()
		<-full
		return nil
	}}
	p.o.Executor, p.o.Jobs = f, jobs
	var nodes []*Node
	for i := range 20 {
		nodes = append(nodes, script(fmt.Sprint("n", i), fmt.Sprint(i)))
	}
	p.must(nodes...)
	if f.most != jobs || len(f.order) != len(nodes) {
		t.Errorf("%d at a time, want %d; %d ran", f.most, jobs, len(f.order))
	}
}

func TestMemoryAdmission(t *testing.T) {
	p := newProject(t)
	var mu sync.Mutex
	var now, most int64
	p.o.Jobs, p.o.Memory = 8, 100
	guess := map[string]int64{"huge": 1000, "a": 60, "b": 50, "c": 50, "d": 10}
	p.o.Executor = &fake{cache: p.cache, during: func(_ context.Context, j *Job) error {
		mu.Lock()
		now += guess[j.Label]
		if j.Label == "huge" && now != 1000 {
			t.Errorf("huge ran beside others")
		}
		if j.Label != "huge" {
			most = max(most, now)
		}
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		now -= guess[j.Label]
		mu.Unlock()
		return nil
	}}
	var nodes []*Node
	for _, label := range []string{"huge", "a", "b", "c", "d"} {
		n := script(label, label)
		n.Guess.Memory = guess[label]
		nodes = append(nodes, n)
	}
	p.must(nodes...)
	if most > 100 {
		t.Errorf("%d bytes ran together", most)
	}
}

// Two large ones never run at a time, small ones do, and one that waits says so once, before it runs.
func TestWaitingForMemoryIsTold(t *testing.T) {
	p := newProject(t)
	var mu sync.Mutex
	small, together, told := 0, make(chan struct{}), make(chan struct{})
	p.o.Jobs, p.o.Memory = 4, 110<<20
	keep := p.o.Sink
	p.o.Sink = func(e Event) {
		if keep(e); e.Kind == Held {
			close(told) // once
		}
	}
	p.o.Executor = &fake{cache: p.cache, during: func(_ context.Context, j *Job) error {
		if j.Label == "big1" {
			<-told
		}
		if !strings.HasPrefix(j.Label, "small") {
			return nil
		}
		mu.Lock()
		if small++; small == 3 {
			close(together)
		}
		mu.Unlock()
		<-together // would wait for ever if they were not admitted together
		return nil
	}}
	var nodes []*Node
	for _, c := range []struct {
		label  string
		memory int64
	}{{"big1", 60 << 20}, {"big2", 60 << 20}, {"small1", 15 << 20}, {"small2", 15 << 20}, {"small3", 15 << 20}} {
		n := script(c.label, c.label)
		n.Guess.Memory = c.memory
		nodes = append(nodes, n)
	}
	p.must(nodes...)
	running, held := map[string]bool{}, 0
	for _, e := range p.events {
		switch {
		case e.Kind == Held:
			held++
			if e.Label != "big2" || !running["big1"] || e.State != Ready ||
				e.Message != "waits for memory: it takes about 60.0 MiB, and 50.0 MiB of 110.0 MiB are left" {
				t.Errorf("held: %+v", e)
			}
		case e.Kind == NodeState && e.State == Running:
			running[e.Label] = true
			if running["big1"] && running["big2"] {
				t.Error("two large ones run together")
			}
		case e.Kind == NodeState && e.State.Final():
			delete(running, e.Label)
		}
	}
	if held != 1 {
		t.Errorf("%d times it was said that one waits", held)
	}
}

func TestLongestPathFirst(t *testing.T) {
	p := newProject(t)
	f := &fake{cache: p.cache}
	p.o.Executor, p.o.Jobs = f, 1
	guess := func(n *Node, s int) *Node { n.Guess.Wall = time.Duration(s) * time.Second; return n }
	nodes := []*Node{
		guess(script("short", "1"), 1),
		guess(script("long", "2"), 9),
		guess(script("first of a chain", "3"), 2),
		guess(needs(script("last of a chain", "4"), 2), 8),
		guess(script("middle", "5"), 5),
		guess(script("also middle", "6"), 5),
		script("no guess", "7"),
	}
	p.must(nodes...)
	want := []string{"first of a chain", "long", "last of a chain", "middle", "also middle", "short", "no guess"}
	if !slices.Equal(f.order, want) {
		t.Errorf("order %q\nwant  %q", f.order, want)
	}
}

func TestEqualKeysRunOnce(t *testing.T) {
	p := newProject(t)
	f := &fake{cache: p.cache}
	p.o.Executor = f
	a, b := script("a", "x"), script("b", "x")
	checked := 0
	b.Check = func(out map[string][]byte) error { checked++; return nil }
	results := p.must(a, b, needs(script("c", "y"), 0), needs(script("d", "y"), 1))
	if len(f.order) != 3 { // c and d have inputs of other names
		t.Errorf("ran %q", f.order)
	}
	if results[0].Record == nil || results[1].Record == nil || checked != 1 {
		t.Errorf("records %v, %v; checked %d times", results[0].Record, results[1].Record, checked)
	}
	p.wantStates(results, "a:done b:done(cached) c:done d:done")
}

func TestEvents(t *testing.T) {
	p := newProject(t)
	p.o.Executor, p.o.Jobs = &fake{cache: p.cache}, 1
	a, b := script("a", "1"), needs(script("b", "2"), 0)
	a.Guess.Wall, b.Guess.Wall = 3*time.Second, time.Second
	p.must(a, b)
	var got []string
	for _, e := range p.events {
		s := fmt.Sprintf("%s %s %s %s", e.Kind, e.Label, e.State, e.Remaining)
		got = append(got, strings.Join(strings.Fields(s), " "))
	}
	want := []string{
		"build-started waiting 4s",
		"node-state a ready 4s", "node-state a running 4s", "node-state a done 1s",
		"node-state b ready 1s", "node-state b running 1s", "node-state b done 0s",
		"build-finished waiting 0s",
	}
	if !slices.Equal(got, want) {
		t.Errorf("events\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	first, last := p.events[0], p.events[len(p.events)-1]
	if first.Format != EventFormat || first.Counts.Total != 2 || first.Jobs != 1 || first.Node != -1 {
		t.Errorf("first %+v", first)
	}
	if last.Counts != (Counts{Total: 2, Done: 2}) {
		t.Errorf("last %+v", last)
	}
	p.must(a, b)
	for _, e := range p.events {
		if e.State == Ready || e.State == Running || e.State == Done && !e.Cached {
			t.Errorf("second run: %+v", e)
		}
	}
}

// A long chain and a wide graph with fan-in go through, with and without a cache.
func TestManyNodes(t *testing.T) {
	p := newProject(t)
	f := &fake{cache: p.cache}
	p.o.Executor, p.o.Sink = f, nil
	nodes := []*Node{script("0", "0")}
	for i := 1; i < 400; i++ {
		n := script(fmt.Sprint(i), fmt.Sprint(i))
		if i%2 == 0 {
			needs(n, i-1)
		}
		if i%3 == 0 && i > 3 {
			needs(n, i/3)
		}
		nodes = append(nodes, n)
	}
	p.must(nodes...)
	place := map[string]int{}
	for i, label := range f.order {
		place[label] = i
	}
	for _, n := range nodes {
		for _, need := range n.Needs {
			if before := nodes[need.Node].Label; place[before] >= place[n.Label] {
				t.Fatalf("%s ran before %s, which it needs", n.Label, before)
			}
		}
	}
	f.order = nil
	p.must(nodes...)
	if len(f.order) != 0 {
		t.Errorf("second run ran %d", len(f.order))
	}
}

func TestKilledForMemoryIsTriedAgainAlone(t *testing.T) {
	p := newProject(t)
	p.o.Jobs = 3
	together := make(chan struct{})
	var once sync.Once
	var mu sync.Mutex
	attempts := map[string]int{}
	now := 0
	p.o.Executor = &fake{cache: p.cache, during: func(_ context.Context, j *Job) error {
		mu.Lock()
		attempts[j.Label]++
		again := attempts[j.Label] > 1
		now++
		if now == 3 {
			once.Do(func() { close(together) })
		}
		if again && now != 1 {
			t.Errorf("%s was tried again beside %d others", j.Label, now-1)
		}
		mu.Unlock()
		<-together
		defer func() {
			mu.Lock()
			now--
			mu.Unlock()
		}()
		if j.Label == "doomed" || j.Label == "big" && !again {
			return &ActionError{Label: j.Label, Signal: "SIGKILL", OutOfMemory: true, Argv: []string{"/bin/x"}}
		}
		return nil
	}}
	p.o.KeepGoing = true
	results, _ := p.run(context.Background(), script("big", "1"), script("doomed", "2"), script("a", "3"), script("b", "4"), script("c", "5"))
	p.wantStates(results, "big:done doomed:failed a:done b:done c:done")
	if attempts["big"] != 2 || attempts["doomed"] != 2 || attempts["a"] != 1 {
		t.Errorf("attempts %v", attempts)
	}
	warnings := 0
	for _, e := range p.events {
		if e.Kind == Warning && strings.Contains(e.Message, "tried again alone") {
			warnings++
		}
	}
	if warnings != 2 {
		t.Errorf("%d warnings", warnings)
	}
}
