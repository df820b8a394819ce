package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kmx/engine"
	"kmx/internal/diag"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update writes it):\n%s", file, got)
	}
}

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// story is a build of five cells with two jobs, and a clock.
type story struct {
	p      *Printer
	now    time.Time
	counts engine.Counts
	left   time.Duration
	each   func(what string) // after every step
}

func (s *story) after(d time.Duration) { s.now = s.now.Add(d) }

func (s *story) tick() {
	s.p.tick()
	s.tell("tick")
}

func (s *story) tell(what string) {
	if s.each != nil {
		s.each(what)
	}
}

func (s *story) send(e engine.Event) {
	e.Time, e.Remaining = s.now, s.left
	e.Counts = s.counts
	s.p.Sink(e)
	s.tell(strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Kind, e.Label, e.State)))
}

func (s *story) node(i int, label string, state engine.State, e engine.Event) {
	e.Kind, e.Node, e.Label, e.State = engine.NodeState, i, label, state
	e.Guess.Wall = 2 * time.Second
	switch state {
	case engine.Running:
		s.counts.Running++
	case engine.Done:
		s.counts.Done++
		s.left -= time.Second
		if e.Cached {
			s.counts.Cached++
		} else {
			s.counts.Running--
		}
	case engine.Failed:
		s.counts.Failed++
		s.counts.Running--
		s.left -= time.Second
	case engine.Skipped:
		s.counts.Skipped++
	}
	s.send(e)
}

const complaint = "kernels/m/enc1.hip:41:7: error: use of undeclared identifier 'lane'\n" +
	"   41 |   int r = lane & 15;\n" +
	"      |           ^\n" +
	"\x1b[31m::error file=evil.txt::gotcha\x1b[0m\x07\n1 error generated when compiling for gfx1201.\n"

func (s *story) run() {
	const k, m = "k/dltss_pwin_enc1_layer@gfx1201", "m/rrlite_enc1_4x4@gfx1201"
	s.now, s.left = start, 5*time.Second
	s.counts.Total = 5
	s.send(engine.Event{Format: engine.EventFormat, Kind: engine.BuildStarted, Node: -1, Jobs: 2})
	s.node(0, k, engine.Done, engine.Event{Cached: true, Wall: 3 * time.Second, User: 2500 * time.Millisecond, System: 300 * time.Millisecond})
	s.node(1, m, engine.Ready, engine.Event{Message: "no record"})
	s.node(1, m, engine.Running, engine.Event{})
	s.after(100 * time.Millisecond)
	s.node(2, m+"+fp8", engine.Running, engine.Event{})
	s.after(900 * time.Millisecond)
	s.tick()
	s.node(1, m, engine.Checking, engine.Event{})
	s.after(200 * time.Millisecond)
	s.node(1, m, engine.Done, engine.Event{Wall: 1200 * time.Millisecond, Output: "warning: loop not unrolled\n"})
	s.node(3, m+"+accuracy", engine.Running, engine.Event{})
	s.send(engine.Event{Kind: engine.Warning, Node: -1, Message: "a record of the cache was damaged and is set aside"})
	s.after(31 * time.Second)
	s.tick()
	s.tick()
	s.node(2, m+"+fp8", engine.Failed, engine.Event{
		Wall: 32 * time.Second, Output: complaint, Error: m + "+fp8: hip:bin/clang++ failed with exit code 1",
	})
	s.node(4, m+"+fp8+accuracy", engine.Skipped, engine.Event{Error: m + "+fp8+accuracy: needs " + m + "+fp8, which failed"})
	s.after(time.Second)
	s.node(3, m+"+accuracy", engine.Failed, engine.Event{
		Error: m + "+accuracy: 2 checks failed\nvgprs: 196, limit 192\nspills: 3, limit 0",
	})
	s.left = 0
	s.send(engine.Event{Kind: engine.BuildFinished, Node: -1, Wall: s.now.Sub(start), Error: "2 of 5 done, 2 failed, 1 skipped"})
	s.p.Close()
	s.tell("closed")
}

func (s *story) options(width, height int, env map[string]string) Options {
	return Options{
		Declared: map[string]diag.Range{
			"m/rrlite_enc1_4x4@gfx1201+fp8": {File: "matrix.hcl", Start: diag.Pos{Line: 98, Column: 3}, End: diag.Pos{Line: 98, Column: 19}},
		},
		Facts: func(label string) (Facts, Facts, bool) {
			now := Facts{VGPRs: 192, LDS: 14464, Waves: 8}
			before := now
			if !strings.HasSuffix(label, "layer@gfx1201") {
				before.VGPRs, before.Waves = 188, 9
			}
			return now, before, true
		},
		Log:      "log/20261130.jsonl",
		Getenv:   func(name string) string { return env[name] },
		Terminal: func() bool { return width > 0 },
		Size:     func() (int, int) { return width, height },
		Now:      func() time.Time { return s.now },
		Ticks:    make(chan time.Time),
	}
}
