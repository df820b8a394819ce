package main

import (
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kmx/engine"
)

// What is synthesised for the peers is believed by them: each finds nothing to
// do, and something once a source is newer.
func TestPeersBelieve(t *testing.T) {
	root := t.TempDir()
	if err := writeProject(root, 2); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond) // objects are newer than sources
	if err := writeRelease(root, 2); err != nil {
		t.Fatal(err)
	}
	if err := writeMake(root, 2); err != nil {
		t.Fatal(err)
	}
	static, err := writeNinja(root, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	deps, err := writeNinja(root, 2, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*contender{
		{name: "static", dir: root, argv: []string{"ninja", "-f", static}},
		{name: "deps", dir: root, argv: []string{"ninja", "-f", deps}},
		{name: "make", dir: root, argv: []string{"make", "-rR"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.argv[0]); err != nil {
				t.Skip(err)
			}
			if err := c.saysNothingToDo(); err != nil {
				t.Error(err)
			}
		})
	}
	if err := writeAll(root, map[string]string{header(0): "#pragma once\n#define COMMON0 1\n"}); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{{"ninja", "-n", "-f", static}, {"ninja", "-n", "-f", deps}, {"make", "-rRn"}} {
		if _, err := exec.LookPath(argv[0]); err != nil {
			continue
		}
		c := &contender{name: argv[0], dir: root, argv: argv}
		if err := c.saysNothingToDo(); err == nil {
			t.Errorf("%v: nothing to do after a header has changed", argv)
		}
	}
}

func TestParseCommand(t *testing.T) {
	c, ok := parseCommand("env A=b /opt/bin/clang++ -O3 kernels/src/k.hip -MF dist/plan/k.d -o dist/plan/k.hsaco")
	if !ok || c.output != "dist/plan/k.hsaco" || c.source != "kernels/src/k.hip" {
		t.Errorf("%+v %t", c, ok)
	}
	if got := c.withCCache(); !strings.HasPrefix(got, "env A=b ccache /opt/bin/clang++ -c -O3 kernels") {
		t.Error(got)
	}
	if _, ok := parseCommand("true"); ok {
		t.Error("a command without output is taken")
	}
}

// A build's makespan is held against the longest action or the even spread,
// whichever is more; what came from the cache took no time.
func TestMakespanOfEvents(t *testing.T) {
	for _, c := range []struct {
		walls []time.Duration
		whole time.Duration
		want  float64
	}{
		{[]time.Duration{3, 3, 2}, 6, 1.5},
		{[]time.Duration{9, 1, 2}, 9, 1},
	} {
		var b built
		b.note(engine.Event{Kind: engine.BuildStarted, Jobs: 2})
		for _, w := range c.walls {
			b.note(engine.Event{Kind: engine.NodeState, State: engine.Running})
			b.note(engine.Event{Kind: engine.NodeState, State: engine.Done, Wall: w, User: w})
		}
		b.note(engine.Event{Kind: engine.NodeState, State: engine.Done, Wall: 100, Cached: true})
		b.note(engine.Event{Kind: engine.BuildFinished, Wall: c.whole})
		if b.ran != 3 || b.makespan() != c.want {
			t.Errorf("%v: %d ran, %v", c.walls, b.ran, b.makespan())
		}
	}
}

func TestGoals(t *testing.T) {
	var l goals
	l.ratio("fast", 0.8, 0.75)
	l.ratio("slow", 0.8, 0.81)
	l.count("none", 0, 0)
	l.megabytes("small", 15, 1.66)
	var b strings.Builder
	l.print(&b)
	for _, line := range []string{
		"| fast | 0.8 | 0.750 | yes |", "| slow | 0.8 | 0.810 | **no** |", "| none | 0 | 0 | yes |", "| small | 15 MB | 1.7 MB | yes |", "3 of 4 reached",
	} {
		if !strings.Contains(b.String(), line+"\n") {
			t.Errorf("no line %q in\n%s", line, b.String())
		}
	}
}

// What waits is measured without a compiler, so that it can be run here.
func TestWaiting(t *testing.T) {
	told, err := new(bench).waiting(t.TempDir(), 3, 2, 1)
	if err != nil || told.ran != 3 || told.jobs != 2 || told.makespan() < 1 {
		t.Errorf("%+v, %v", told, err)
	}
}

// Every stage goes through the whole library, and what it says is understood.
func TestGoThroughLibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.dll")
	if err := writeLibrary(path, 0); err != nil {
		t.Fatal(err)
	}
	var last went
	for _, stage := range stages {
		var out strings.Builder
		if err := goThrough(stage, path, &out); err != nil {
			t.Fatalf("%s: %v", stage, err)
		}
		seen, err := parseWent(out.String())
		if err != nil {
			t.Fatalf("%s: %v", stage, err)
		}
		if seen.modules == 0 || seen.bytes < 1e6 || last.modules > 0 && (seen.modules != last.modules || seen.bytes != last.bytes) {
			t.Errorf("%s: %+v after %+v", stage, seen, last)
		}
		if wants := stage == stageEdit; wants != (seen.kernel == 54 && seen.edited > 1e6) {
			t.Errorf("%s: %+v", stage, seen)
		}
		last = seen
	}
	if err := goThrough(stageExtract, filepath.Join(t.TempDir(), "none"), io.Discard); err == nil {
		t.Error("no error for a library that is not there")
	}
}

func TestRatioIsThatOfTheRounds(t *testing.T) {
	second := func(s ...float64) (turns []turn) {
		for _, v := range s {
			turns = append(turns, turn{wall: time.Duration(v * float64(time.Second))})
		}
		return turns
	}
	// One round in which both were slow does not count.
	if r := ratio(second(1, 100, 3), second(2, 200, 6), wall); r != 0.5 {
		t.Error(r)
	}
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Error(m)
	}
}
