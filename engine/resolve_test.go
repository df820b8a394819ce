package engine

import (
	"context"
	"errors"
	"testing"

	"kmx/cache"
)

// What a step of this program has put into the cache is an input like any other: its digest is in the key, its bytes lie
// in the sandbox, and what it was made from is in the record and in no key.
func TestStoredInput(t *testing.T) {
	p := newProject(t)
	digest, err := p.cache.PutBytes([]byte("made here"))
	if err != nil {
		t.Fatal(err)
	}
	n := script("a", "cat made/x > out", Input{Path: "made/x", Digest: digest})
	n.Stored = map[string]bool{"made/x": true}
	n.Origin = []cache.Field{{Tag: "made-of", Name: "module", Value: "one"}}
	first := p.must(n)[0]
	if got := p.out(first); got != "made here" {
		t.Errorf("the action read %q", got)
	}
	last := first.Record.Fields[len(first.Record.Fields)-1]
	if last != n.Origin[0] {
		t.Errorf("the record ends with %v", last)
	}
	n.Origin[0].Value = "another"
	if again := p.must(n)[0]; again.Key != first.Key || !again.Cached {
		t.Error("what an input was made from is in the key")
	}
}

// A node for which a step failed fails when the run begins; what needs it is skipped, the rest is built where the run
// keeps going.
func TestNodeWithError(t *testing.T) {
	p := newProject(t)
	broken := errors.New("the module is not there")
	nodes := func() []*Node {
		return []*Node{
			script("good", "echo a > out"),
			{Label: "broken", Err: broken},
			{Label: "after", Needs: []Need{{Node: 1, Path: "x"}}},
		}
	}
	p.o.KeepGoing = true
	results, err := p.run(t.Context(), nodes()...)
	p.wantStates(results, "good:done broken:failed after:skipped")
	var step *StepError
	if !errors.Is(err, broken) || !errors.As(results[1].Err, &step) || step.Label != "broken" || step.Error() != "broken: the module is not there" {
		t.Errorf("the errors are %v and %v", err, results[1].Err)
	}
	p.o.KeepGoing = false
	results, _ = p.run(t.Context(), nodes()...)
	if results[1].State != Failed || results[2].State != Skipped {
		t.Errorf("failing fast: %s", states(results))
	}
}

// Resolve tells the action that a run would take, without running it, and which node has to be built first where it
// cannot.
func TestResolve(t *testing.T) {
	p := newProject(t)
	first := script("first", "echo a > out")
	second := needs(script("second", "cat in0 > out"), 0)
	third := needs(script("third", "cat in1 > out"), 1)
	g := &Graph{Nodes: []*Node{first, second, third, {Label: "broken", Err: errors.New("x")}}}
	find := func(key cache.Digest) *cache.Record {
		r, err := p.cache.Find(key)
		if err != nil {
			return nil
		}
		return r
	}
	for i, want := range []int{-1, 0, 0, 3} {
		if r := g.Resolve(i, find); r.Missing != want {
			t.Errorf("node %d: %d is missing, not %d", i, r.Missing, want)
		}
	}
	results, err := Run(context.Background(), &Graph{Nodes: g.Nodes[:3]}, p.o)
	if err != nil {
		t.Fatal(err)
	}
	for i, done := range results {
		r := g.Resolve(i, find)
		if r.Missing != -1 || r.Action.Key() != done.Key {
			t.Errorf("node %d resolves to another action than was run", i)
		}
		if len(r.Fields) != len(done.Record.Fields) {
			t.Errorf("node %d: %d fields, the record has %d", i, len(r.Fields), len(done.Record.Fields))
		}
	}
	last := results[2].Record.Fields[len(results[2].Record.Fields)-1]
	if last.Tag != NeedTag || last.Value != results[1].Key.String() {
		t.Errorf("the record does not name the action that made its input: %v", last)
	}
}
