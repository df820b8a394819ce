//go:build unix

package engine

import (
	"errors"
	"strings"
	"testing"

	"kmx/cache"
)

// An action that is run again although it has a record: its outputs are compared, and nothing of the record changes.
func TestRepeat(t *testing.T) {
	p := newProject(t)
	p.o.KeepGoing = true
	same := script("same", "echo 1 >out")
	random := script("random", "echo $$ >out") // the sandbox does not hide the process id
	random.Check = func(outputs map[string][]byte) error { return nil }
	last := needs(script("last", "cat in0 >out"), 0)
	first := p.must(same, random, last)
	p.wantStates(first, "same:done random:done last:done")

	p.o.Repeat = func(cache.Digest) bool { return true }
	again, err := p.run(t.Context(), same, random, last)
	p.wantStates(again, "same:done random:failed last:done")
	var differs *Differs
	if !errors.As(err, &differs) || differs.Label != "random" || len(differs.Outputs) != 1 {
		t.Fatalf("%v", err)
	}
	d := differs.Outputs[0]
	if d.Stored != first[1].Record.Outputs[0] || !strings.Contains(err.Error(), d.Made.Digest.String()) {
		t.Errorf("%+v\n%v", d, err)
	}
	for _, o := range []cache.Output{d.Stored, d.Made} {
		if _, err := p.cache.Blob(o.Digest); err != nil {
			t.Error(err)
		}
	}

	// Only those that are asked for.
	p.o.Repeat = func(key cache.Digest) bool { return key == first[0].Key }
	p.wantStates(p.must(same, random, last), "same:done random:done(cached) last:done(cached)")

	// What has no record is built, once.
	p.o.Repeat = func(cache.Digest) bool { return true }
	p.wantStates(p.must(script("new", "echo new $$ >out")), "new:done")

	// What fails now says so.
	p.o.Repeat = nil
	in := p.write("in", "x")
	broken := script("broken", "cat in >out", in)
	p.must(broken)
	p.o.Repeat = func(cache.Digest) bool { return true }
	p.write("in", "y")
	if _, err := p.run(t.Context(), broken); err == nil {
		t.Error("an input with other bytes was not noticed")
	}
	p.o.Repeat = nil
	p.wantStates(p.must(same, random, last), "same:done(cached) random:done(cached) last:done(cached)")
}
