package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kmx/cache"
)

// Two runs that begin in the same moment, or one after the clock was set back, do not take each other's log.
func TestLogsOfOneName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "20261130T120000.000.jsonl")
	var names []string
	for range 3 {
		log, err := OpenLog(path)
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		log.Write(Event{Format: EventFormat, Kind: BuildStarted, Label: filepath.Base(log.Path())})
		names = append(names, filepath.Base(log.Path()))
	}
	want := []string{"20261130T120000.000.jsonl", "20261130T120000.000-2.jsonl", "20261130T120000.000-3.jsonl"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	for _, name := range want {
		if got, err := ReadLog(filepath.Join(filepath.Dir(path), name)); err != nil || len(got) != 1 || got[0].Label != name {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestLogKeepsEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "events.jsonl")
	log, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []Event{
		{Format: EventFormat, Time: time.Unix(1, 2).UTC(), Kind: BuildStarted, Node: -1, Counts: Counts{Total: 3}, Jobs: 2},
		{Time: time.Unix(2, 0).UTC(), Kind: NodeState, Node: 0, Label: "k/a@gfx1100", State: Failed, Key: cache.Sum([]byte("k")),
			Guess: Cost{Wall: time.Second, Memory: 5}, Wall: 3, User: 4, System: 5, PeakRSS: 6, Stdout: "o", Output: "a < b & c\n",
			Error: "it broke", Counts: Counts{Total: 3, Failed: 1}, Remaining: time.Minute},
		{Time: time.Unix(3, 0).UTC(), Kind: NodeState, Node: 1, State: Done, Cached: true},
		{Time: time.Unix(4, 0).UTC(), Kind: Warning, Node: 1, Message: "waiting"},
	}
	for i, e := range want {
		log.Write(e)
		// It is in the file at once, not when the log is closed.
		if got, err := ReadLog(path); err != nil || !cmp.Equal(got, want[:i+1]) {
			t.Fatalf("after %d events: %v\n%s", i+1, err, cmp.Diff(want[:i+1], got))
		}
	}
	// A killed run leaves half a line.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"time":"2026-`)
	f.Close()
	if got, err := ReadLog(path); err != nil || len(got) != len(want) {
		t.Errorf("torn log: %d events, %v", len(got), err)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	if err := log.Close(); err != nil {
		t.Error("closing twice:", err)
	}
}

func TestReadLogRefusals(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"version":  {`{"format":"kmx.events/2","kind":"build-started","time":"2026-01-01T00:00:00Z"}` + "\n", `format "kmx.events/2"`},
		"garbage":  {`{"format":"kmx.events/1","kind":"build-started","time":"2026-01-01T00:00:00Z"}` + "\nhm\n", ":2: not an event"},
		"no state": {`{"format":"kmx.events/1","state":"asleep","time":"2026-01-01T00:00:00Z"}` + "\n", "asleep"},
	} {
		path := filepath.Join(t.TempDir(), "log")
		os.WriteFile(path, []byte(c.text), 0o666)
		if _, err := ReadLog(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadLog(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no error without a file")
	}
}

func TestLogOfAFailedRun(t *testing.T) {
	p := newProject(t)
	path := filepath.Join(t.TempDir(), "log")
	log, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	p.o.Sink = log.Write
	p.o.Executor = &fake{cache: p.cache, during: func(context.Context, *Job) error { return os.ErrPermission }}
	_, failed := p.run(context.Background(), script("a", "1"))
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	events, err := ReadLog(path)
	if err != nil || len(events) != 5 || events[4].Error != failed.Error() {
		t.Errorf("%v, %+v", err, events)
	}
}

func TestStatesHaveNames(t *testing.T) {
	for s := Waiting; s <= Cancelled; s++ {
		text, _ := s.MarshalText()
		var back State
		if err := back.UnmarshalText(text); err != nil || back != s {
			t.Errorf("%s: %v, %v", text, back, err)
		}
		if s.Final() != (s >= Done) {
			t.Errorf("%s: final %v", s, s.Final())
		}
	}
	if s := State(99).String(); s != "state 99" {
		t.Error(s)
	}
}
