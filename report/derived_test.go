package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"kmx/engine"
)

// What is derived is not called built, in its line and in the sum; what came from
// the cache is cached, however it was made once.
func TestDerived(t *testing.T) {
	var out bytes.Buffer
	s := &story{now: start}
	o := s.options(0, 0, nil)
	o.Facts = nil
	o.Derived = func(label string) string {
		return map[string]string{"k/a@gfx1201": "k/a@gfx1200", "k/b@gfx1201": "k/b@gfx1200"}[label]
	}
	p, err := New("plain", &out, o)
	if err != nil {
		t.Fatal(err)
	}
	s.p = p
	s.counts = engine.Counts{Total: 3}
	s.send(engine.Event{Kind: engine.BuildStarted, Node: -1, Jobs: 2})
	s.node(0, "k/a@gfx1200", engine.Running, engine.Event{})
	s.node(0, "k/a@gfx1200", engine.Done, engine.Event{Wall: time.Second})
	s.node(1, "k/a@gfx1201", engine.Running, engine.Event{})
	s.node(1, "k/a@gfx1201", engine.Done, engine.Event{Wall: time.Millisecond})
	s.node(2, "k/b@gfx1201", engine.Done, engine.Event{Cached: true})
	s.send(engine.Event{Kind: engine.BuildFinished, Node: -1, Wall: 2 * time.Second})
	p.Close()
	for _, want := range []string{
		"[1/3] built   k/a@gfx1200  1.0s\n", "[2/3] derived k/a@gfx1201  from k/a@gfx1200\n", "[3/3] cached  k/b@gfx1201\n",
		"3 cells: 1 built, 1 cached, 1 derived in 2.0s",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
