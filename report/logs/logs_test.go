package logs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kmx/cache"
	"kmx/engine"
)

var began = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

// ms is an event so many milliseconds after the beginning.
func ms(at int, node int, state engine.State, more ...func(*engine.Event)) engine.Event {
	e := engine.Event{Time: began.Add(time.Duration(at) * time.Millisecond), Kind: engine.NodeState, Node: node, Label: fmt.Sprintf("k/cell%d@gfx1201", node), State: state}
	for _, m := range more {
		m(&e)
	}
	return e
}

func start(jobs, total int) engine.Event {
	return engine.Event{Format: engine.EventFormat, Time: began, Kind: engine.BuildStarted, Node: -1, Jobs: jobs, Counts: engine.Counts{Total: total}}
}

func finish(at int) engine.Event {
	return engine.Event{Time: began.Add(time.Duration(at) * time.Millisecond), Kind: engine.BuildFinished, Node: -1, Wall: time.Duration(at) * time.Millisecond}
}

func needs(nodes ...int) func(*engine.Event) { return func(e *engine.Event) { e.Needs = nodes } }
func cached(e *engine.Event)                 { e.Cached = true }
func took(ms int) func(*engine.Event) {
	return func(e *engine.Event) { e.Wall = time.Duration(ms) * time.Millisecond }
}
func failed(why, said string) func(*engine.Event) {
	return func(e *engine.Event) { e.Error, e.Output = why, said }
}

// events: cell 0 is a helper of 1; 2 and 3 stand alone; 4 is from the cache. Two
// processes at once.
func events() []engine.Event {
	return []engine.Event{
		start(2, 5),
		ms(1, 4, engine.Done, cached, took(700)),
		ms(2, 0, engine.Ready), ms(3, 2, engine.Ready), ms(4, 3, engine.Ready),
		ms(5, 0, engine.Running), ms(5, 2, engine.Running),
		ms(100, 2, engine.Checking), ms(101, 3, engine.Running), ms(110, 2, engine.Done, took(90)),
		ms(300, 0, engine.Checking), ms(310, 0, engine.Done, took(290)),
		ms(311, 1, engine.Ready, needs(0)), ms(312, 1, engine.Running),
		ms(400, 3, engine.Failed, took(298), failed("exit status 1", "a.hip:1: error: no\x1b[31m\n")),
		ms(900, 1, engine.Checking), ms(910, 1, engine.Done, took(580)),
		finish(920),
	}
}

func build(t *testing.T, list []engine.Event) *Build {
	t.Helper()
	b, err := FromEvents("20261130T100000.000", list)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFromEvents(t *testing.T) {
	b := build(t, events())
	if len(b.Cells) != 5 || len(b.Runs) != 4 || b.Lanes != 2 || b.Wall != 920*time.Millisecond || !b.Finished {
		t.Fatalf("got %+v", b)
	}
	var words []string
	for _, c := range b.Cells {
		words = append(words, c.Label[:7]+" "+c.Word())
	}
	if got := strings.Join(words, ", "); got != "k/cell4 cached, k/cell0 built, k/cell2 built, k/cell3 failed, k/cell1 built" {
		t.Error(got)
	}
	var lanes []string
	for _, r := range b.Runs {
		lanes = append(lanes, fmt.Sprintf("%s:%d:%d-%d", b.Cells[r.Cell].Label[6:7], r.Lane, r.Start.Milliseconds(), r.End.Milliseconds()))
	}
	if got := strings.Join(lanes, " "); got != "0:0:5-300 2:1:5-100 3:1:101-400 1:0:312-900" {
		t.Error(got)
	}
}

// A process that is told to begin before the one whose place it has is told to
// have ended.
func TestPlacesOfOlderLogs(t *testing.T) {
	b := build(t, []engine.Event{
		start(1, 2), ms(1, 0, engine.Ready), ms(1, 1, engine.Ready), ms(2, 0, engine.Running),
		ms(50, 1, engine.Running), ms(52, 0, engine.Checking), ms(53, 0, engine.Done), ms(99, 1, engine.Done), finish(100),
	})
	if b.Lanes != 1 || b.Runs[0].End != 50*time.Millisecond || b.Runs[1].Lane != 0 {
		t.Errorf("%d places, %+v", b.Lanes, b.Runs)
	}
}

func TestPath(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []engine.Event
		want   string
	}{
		{"by need", events(), "0 start, 1 needs"},
		{"by processor", []engine.Event{
			start(1, 2), ms(1, 0, engine.Ready), ms(1, 1, engine.Ready), ms(2, 0, engine.Running), ms(50, 0, engine.Checking),
			ms(51, 1, engine.Running), ms(60, 0, engine.Done), ms(99, 1, engine.Done), finish(100),
		}, "0 start, 1 processor"},
		{"killed and again", []engine.Event{
			start(2, 1), ms(1, 0, engine.Ready), ms(2, 0, engine.Running), ms(50, 0, engine.Ready), ms(51, 0, engine.Running), ms(99, 0, engine.Done), finish(100),
		}, "0 start, 0 again"},
		{"nothing ran", []engine.Event{start(2, 1), ms(1, 0, engine.Done, cached), finish(2)}, ""},
		{"killed in the middle", []engine.Event{start(2, 1), ms(1, 0, engine.Ready), ms(5, 0, engine.Running), ms(30, 1, engine.Ready)}, "0 start"},
		{"no time at all, in circles", []engine.Event{
			start(1, 2), ms(0, 0, engine.Ready, needs(1)), ms(0, 1, engine.Ready, needs(0)), ms(0, 0, engine.Running), ms(0, 0, engine.Checking),
			ms(0, 1, engine.Running), ms(0, 1, engine.Checking), finish(1),
		}, "*"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := build(t, c.events)
			var got []string
			for _, s := range b.Path() {
				got = append(got, b.Cells[b.Runs[s.Run].Cell].Label[6:7]+" "+s.Why)
			}
			if joined := strings.Join(got, ", "); joined != c.want && c.want != "*" {
				t.Errorf("got %q, want %q", joined, c.want)
			}
			b.Bounds() // ends
		})
	}
}

func TestBounds(t *testing.T) {
	got := build(t, events()).Bounds()
	if want := (Bounds{Work: (295 + 95 + 299 + 588) * time.Millisecond / 2, Chain: (295 + 588) * time.Millisecond}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestKilledBuild(t *testing.T) {
	b := build(t, events()[:9])
	if b.Finished || b.Wall != 101*time.Millisecond || b.Cells[1].Word() != "unfinished" || b.Runs[0].End != b.Wall {
		t.Errorf("got %+v", b)
	}
}

func TestRefusals(t *testing.T) {
	other := ms(3, 0, engine.Done)
	other.Label = "k/other@gfx1201"
	for _, c := range []struct {
		name   string
		events []engine.Event
		want   string
	}{
		{"nothing", nil, "does not begin"},
		{"no start", []engine.Event{finish(1)}, "does not begin"},
		{"jobs", []engine.Event{start(-1, 1)}, "-1 processes"},
		{"no node", []engine.Event{start(1, 1), ms(1, -1, engine.Done)}, "event 2: a state of nothing"},
		{"two labels", []engine.Event{start(1, 1), ms(1, 0, engine.Ready), other}, "event 3: node 0 is k/other@gfx1201, and was k/cell0@gfx1201"},
	} {
		if _, err := FromEvents("x", c.events); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAnswers(t *testing.T) {
	b := build(t, events())
	for _, c := range []struct {
		answer *Answer
		want   []string
		not    string
	}{
		{b.WhatRan(), []string{"k/cell0@gfx1201  built", "k/cell3@gfx1201  failed"}, "cell4"},
		{b.WhatFailed(), []string{"k/cell3@gfx1201: exit status 1\n  a.hip:1: error: no[31m\n"}, "cell1"},
		{b.Slowest(1), []string{"0.58s"}, "cell0"},
		{b.CriticalPath(), []string{"no schedule beats 0.88s", "nothing before it", "needs the one before"}, "cell3"},
		{build(t, []engine.Event{start(1, 0), finish(1)}).WhatRan(), []string{"nothing ran"}, "failed"},
		{build(t, []engine.Event{start(1, 0), finish(1)}).WhatFailed(), []string{"nothing failed"}, "ran"},
		{build(t, events()[:5]).WhatRan(), []string{"killed before its end"}, "began"},
	} {
		var out strings.Builder
		if err := c.answer.WriteText(&out); err != nil {
			t.Fatal(err)
		}
		for _, w := range c.want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s lacks %q:\n%s", c.answer.Question, w, out.String())
			}
		}
		if strings.Contains(out.String(), c.not) {
			t.Errorf("%s has %q:\n%s", c.answer.Question, c.not, out.String())
		}
		out.Reset()
		if err := c.answer.WriteJSON(&out); err != nil || !strings.Contains(out.String(), `"format": "kmx.log/1"`) {
			t.Errorf("%v %s", err, out.String())
		}
	}
}

func TestCompare(t *testing.T) {
	before, list := build(t, events()), events()
	for i := range list {
		e := &list[i]
		switch {
		case e.Node == 1 && e.State == engine.Done:
			e.Wall = 2 * time.Second
		case e.Node == 0 && e.State == engine.Done:
			e.Wall = 295 * time.Millisecond // noise
		case e.Node == 2 && e.State == engine.Done:
			e.Wall = time.Millisecond
		case e.Node == 3 && e.State == engine.Failed:
			e.State, e.Error = engine.Done, ""
		}
		if e.Node == 4 {
			e.Node, e.Label = 5, "k/new@gfx1201"
		}
		if e.Node == 1 {
			e.Key = cache.Sum([]byte("now"))
		}
	}
	d := Compare(before, build(t, list))
	var out strings.Builder
	if err := d.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"new to the log: 1\n  k/new@gfx1201\n", "gone from the log: 1\n  k/cell4@gfx1201\n", "other ends: 1\n  k/cell3@gfx1201: built, was failed\n",
		"slower: 1\n  k/cell1@gfx1201: 2.00s, was 0.58s\n", "faster: 1\n  k/cell2@gfx1201: 0.00s, was 0.09s\n", "0 cells have another action",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q:\n%s", want, out.String())
		}
	}
	if again := Compare(before, before); len(again.Added)+len(again.Gone)+len(again.States)+len(again.Slower)+len(again.Faster) != 0 {
		t.Errorf("a build differs from itself: %+v", again)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	names := []string{"20261130T100000.000", "20261130T100000.000-2", "20261130T100001.000"}
	for _, name := range names {
		log, err := engine.OpenLog(filepath.Join(dir, name+suffix))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events() {
			log.Write(e)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "20261130T100000.500.jsonl"), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ word, want string }{
		{"", names[2]}, {"last", names[2]}, {"last~2", names[1]}, {"last~3", names[0]}, {names[1], names[1]},
		{names[1] + suffix, names[1]}, {filepath.Join(dir, names[0]+suffix), names[0]},
	} {
		if got, err := Find(dir, c.word); err != nil || filepath.Base(got) != c.want+suffix {
			t.Errorf("%q: %s %v", c.word, got, err)
		}
	}
	for _, c := range []struct{ word, want string }{
		{"last~4", "only 4 logs"}, {"last~x", "is no log"}, {"yesterday", "there is no log"}, {"last~-1", "is no log"},
	} {
		if _, err := Find(dir, c.word); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.word, err)
		}
	}
	if _, err := Find(filepath.Join(dir, "none"), "last"); err == nil || !strings.Contains(err.Error(), "no log of a build") {
		t.Error(err)
	}
	path, err := Find(dir, "last")
	if err != nil {
		t.Fatal(err)
	}
	builds, unread, err := Before(path)
	var got []string
	for _, b := range builds {
		got = append(got, b.Name)
	}
	if err != nil || !slices.Equal(got, names[:2]) || len(unread) != 1 {
		t.Errorf("%v %v %v", got, unread, err)
	}
}

func FuzzFromEvents(f *testing.F) {
	var seed strings.Builder
	seed.WriteString(`{"format":"kmx.events/1","time":"2026-11-30T10:00:00Z","kind":"build-started","node":-1,"counts":{"total":1},"jobs":2}` + "\n")
	seed.WriteString(`{"time":"2026-11-30T10:00:01Z","kind":"node-state","node":0,"label":"a","state":"ready","needs":[0],"counts":{}}` + "\n")
	seed.WriteString(`{"time":"2026-11-30T10:00:00Z","kind":"node-state","node":0,"label":"a","state":"running","counts":{}}` + "\n")
	f.Add([]byte(seed.String()))
	f.Fuzz(func(t *testing.T, data []byte) {
		var list []engine.Event
		for line := range bytes.Lines(data) {
			var e engine.Event
			if json.Unmarshal(line, &e) != nil {
				return
			}
			list = append(list, e)
		}
		b, err := FromEvents("x", list)
		if err != nil {
			return
		}
		for _, s := range b.Path() {
			if r := b.Runs[s.Run]; r.End < r.Start || r.Lane < 0 || r.Lane >= b.Lanes {
				t.Errorf("%+v", r)
			}
		}
		b.Bounds()
		_ = b.CriticalPath().WriteText(&strings.Builder{})
	})
}
