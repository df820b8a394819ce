package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
)

func TestPlainJSONGitHub(t *testing.T) {
	for _, mode := range []string{"plain", "json", "github"} {
		var buf bytes.Buffer
		s := &story{}
		p, err := New(mode, &buf, s.options(0, 0, nil))
		if err != nil {
			t.Fatal(err)
		}
		s.p = p
		s.run()
		golden(t, mode+".txt", buf.String())
		if mode == "json" {
			for line := range strings.Lines(buf.String()) {
				var e engine.Event
				if err := json.Unmarshal([]byte(line), &e); err != nil {
					t.Errorf("%v: %s", err, line)
				}
			}
		} else if strings.ContainsRune(buf.String(), 0x1b) || strings.ContainsRune(buf.String(), 7) {
			t.Errorf("%s: control characters came through", mode)
		}
	}
}

func TestGitHubTakesNoCommandsFromTools(t *testing.T) {
	var buf bytes.Buffer
	s := &story{}
	s.p, _ = New("github", &buf, s.options(0, 0, nil))
	s.run()
	stopped := ""
	for line := range strings.Lines(buf.String()) {
		line = strings.TrimSpace(line)
		if token, ok := strings.CutPrefix(line, "::stop-commands::"); ok {
			stopped = "::" + token + "::"
			continue
		}
		if line == stopped {
			stopped = ""
		}
		if stopped == "" && strings.Contains(line, "evil") && !strings.HasPrefix(line, "::error file=matrix.hcl,") {
			t.Errorf("a tool's line is read as a command: %s", line)
		}
	}
	if stopped != "" {
		t.Error("commands stay stopped")
	}
}

func TestTerminal(t *testing.T) {
	tests := []struct {
		name          string
		width, height int
		lines         bool
		env           map[string]string
	}{
		{"tty", 80, 24, false, nil},
		{"tty-lines", 120, 24, true, nil},
		{"tty-narrow", 30, 3, false, map[string]string{"NO_COLOR": "1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &story{}
			scr := &screen{t: t, width: tt.width}
			o := s.options(tt.width, tt.height, tt.env)
			o.Lines = tt.lines
			p, err := New("auto", scr, o)
			if err != nil {
				t.Fatal(err)
			}
			var film strings.Builder
			s.p = p
			writes := 0
			s.each = func(what string) {
				if scr.writes != writes {
					fmt.Fprintf(&film, "---- %s\n%s", what, scr)
				}
				writes = scr.writes
			}
			s.run()
			golden(t, tt.name+".txt", film.String())
			if scr.hidden {
				t.Error("the cursor stays hidden")
			}
			if scr.escapes == (tt.env["NO_COLOR"] != "") {
				t.Errorf("colour: %t", scr.escapes)
			}
		})
	}
}

func TestLiveLinesAreFewAndFit(t *testing.T) {
	s := &story{now: start}
	scr := &screen{t: t, width: 40}
	p, _ := New("tty", scr, s.options(40, 50, nil))
	s.p = p
	s.counts.Total = 100
	s.send(engine.Event{Kind: engine.BuildStarted, Node: -1, Jobs: 64})
	for i := range 64 {
		s.node(i, fmt.Sprintf("family/a_kernel_with_a_long_name_%02d@gfx1201", i), engine.Running, engine.Event{})
	}
	s.after(time.Minute)
	s.tick()
	shown := strings.Split(strings.TrimRight(strings.Join(scr.lines, "\n"), "\n"), "\n")
	if len(shown) != liveLines || !strings.Contains(shown[7], "and 58 more") {
		t.Errorf("%d live lines:\n%s", len(shown), scr)
	}
	if scr.widest >= 40 {
		t.Errorf("a line of %d columns on a terminal of 40", scr.widest)
	}
	p.Close()
	if scr.hidden || strings.Join(scr.lines, "") != "" {
		t.Errorf("after an early end:\n%s", scr)
	}
	p.Close()
	p.Sink(engine.Event{}) // late events are no reason to fail
	p.Warn("late")
}

func TestWarnings(t *testing.T) {
	s := &story{now: start}
	scr := &screen{t: t, width: 80}
	p, _ := New("tty", scr, s.options(80, 24, nil))
	s.p = p
	p.Warn("before the build")
	if got := scr.String(); got != "warning: before the build\n(cursor shown)\n" {
		t.Errorf("before the build: %s", got)
	}
	s.counts.Total = 1
	s.send(engine.Event{Kind: engine.BuildStarted, Node: -1, Jobs: 1})
	p.Warn("a blob \x1b[2Jwas damaged")
	if got := scr.String(); got != "warning: before the build\nwarning: a blob ?[2Jwas damaged\n0/1 cells, 0s so far\n(cursor shown)\n" {
		t.Errorf("in the build: %s", got)
	}
	p.Close()
}

// The first cell that waits for memory has a line; after that the state says which one does.
func TestWaitingForMemory(t *testing.T) {
	for _, mode := range []string{"plain", "tty"} {
		var buf bytes.Buffer
		now := start
		p, err := New(mode, &buf, Options{
			Getenv: func(string) string { return "" }, Size: func() (int, int) { return 200, 20 },
			Now: func() time.Time { return now }, Ticks: make(chan time.Time),
		})
		if err != nil {
			t.Fatal(err)
		}
		send := func(kind, label string, state engine.State, message string) {
			p.Sink(engine.Event{Time: now, Kind: kind, Label: label, State: state, Message: message, Node: int(label[0])})
			now = now.Add(time.Second)
		}
		send(engine.BuildStarted, " ", 0, "")
		send(engine.NodeState, "a", engine.Running, "")
		send(engine.Held, "b", engine.Ready, "waits for memory: 1 of 2")
		now = now.Add(time.Minute)
		buf.Reset()
		p.tick()
		if got := buf.String(); !strings.Contains(got, "so far; b waits for memory") {
			t.Errorf("%s: %q", mode, got)
		}
		send(engine.NodeState, "b", engine.Running, "")
		send(engine.Held, "c", engine.Ready, "waits for memory: 2 of 2")
		send(engine.NodeState, "c", engine.Running, "")
		now = now.Add(time.Minute)
		p.tick()
		p.Close()
		if got := buf.String(); strings.Contains(got, "2 of 2") || strings.Contains(got[strings.LastIndex(got, "cells"):], "waits") {
			t.Errorf("%s: %q", mode, got)
		}
	}
	var buf bytes.Buffer
	p, _ := New("plain", &buf, Options{Getenv: func(string) string { return "" }, Ticks: make(chan time.Time)})
	p.Sink(engine.Event{Kind: engine.Held, Label: "b", Message: "waits for memory: 1 of 2"})
	p.Close()
	if got := buf.String(); got != "memory: b waits for memory: 1 of 2 (KMX_MEMORY)\n" {
		t.Errorf("%q", got)
	}
}

func TestTicksDriveThePrinter(t *testing.T) {
	ticks := make(chan time.Time)
	s := &story{now: start}
	var buf bytes.Buffer
	o := s.options(0, 0, nil)
	o.Ticks = ticks
	s.p, _ = New("plain", &buf, o)
	s.counts.Total = 2
	s.send(engine.Event{Kind: engine.BuildStarted, Node: -1, Jobs: 1})
	s.now = start.Add(29 * time.Second)
	ticks <- s.now
	ticks <- s.now // the first one has been handled when this one is taken
	s.p.mu.Lock()
	early := buf.Len()
	s.now = start.Add(30 * time.Second)
	s.p.mu.Unlock()
	ticks <- s.now
	ticks <- s.now
	s.p.Close()
	if early != 0 || strings.Count(buf.String(), "still building") != 1 {
		t.Errorf("after 29 s %d bytes, after 30 s: %q", early, buf.String())
	}
}

func TestModes(t *testing.T) {
	tests := []struct {
		mode, env string
		terminal  bool
		want      string
	}{
		{"auto", "", true, "tty"},
		{"", "", true, "tty"},
		{"auto", "", false, "plain"},
		{"auto", "CI=true", true, "plain"},
		{"auto", "CI=false", true, "tty"},
		{"auto", "CI=1 GITHUB_ACTIONS=true", true, "github"},
		{"auto", "TERM=dumb", true, "plain"},
		{"tty", "CI=1", false, "tty"},
		{"json", "", true, "json"},
		{"tyt", "", true, `no way to report is called "tyt" (did you mean tty? modes are auto, tty, plain, json, github)`},
		{"loud", "", true, `no way to report is called "loud" (`},
	}
	for _, tt := range tests {
		getenv := func(name string) string {
			for word := range strings.FieldsSeq(tt.env) {
				if v, ok := strings.CutPrefix(word, name+"="); ok {
					return v
				}
			}
			return ""
		}
		got, err := choose(tt.mode, getenv, func() bool { return tt.terminal })
		if err != nil {
			got = err.Error()
			if diag.ExitCode(err) != int(diag.Usage) {
				t.Errorf("%s: exit code %d", tt.mode, diag.ExitCode(err))
			}
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q with %q, terminal %t: %s, want %s", tt.mode, tt.env, tt.terminal, got, tt.want)
		}
	}
	if _, err := New("loud", &bytes.Buffer{}, Options{}); err == nil {
		t.Error("an unknown mode is accepted")
	}
}

func TestLongMessagesBeginAtTheError(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		if i == 60 {
			text.WriteString("a.hip:1:1: error: here\n")
		}
		fmt.Fprintf(&text, "line %d %s\n", i, strings.Repeat("x", i*10))
	}
	lines, cut := trim(text.String())
	if len(lines) != shownLines || cut != 71 || lines[0] != "a.hip:1:1: error: here" {
		t.Errorf("%d lines, %d cut, first %q", len(lines), cut, lines[0])
	}
	for _, l := range lines {
		if len(l) > shownColumns+3 {
			t.Errorf("a line of %d characters", len(l))
		}
	}
}

func TestDelta(t *testing.T) {
	now := Facts{VGPRs: 192, LDS: 14464, Waves: 8}
	for want, before := range map[string]Facts{
		"vgprs 192 spills 0 scratch 0 lds 14464 waves 8":                       {},
		"vgprs 192 spills 0 scratch 0 lds 14464 waves 8 (-1)":                  {VGPRs: 192, LDS: 14464, Waves: 9},
		"vgprs 192 (+4) spills 0 (-2) scratch 0 (-16) lds 14464 (+64) waves 8": {VGPRs: 188, Spills: 2, Scratch: 16, LDS: 14400, Waves: 8},
	} {
		if got := Delta(now, before); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0s", 1240 * time.Millisecond: "1.2s", 59 * time.Second: "59.0s", 83 * time.Second: "1m23s", 3700 * time.Second: "1h01m",
	} {
		if got := exact(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestSavedIsProcessorTime(t *testing.T) {
	b := board{}
	b.take(engine.Event{Kind: engine.NodeState, State: engine.Done, Cached: true, Wall: time.Second, User: 3 * time.Second, System: time.Second, Key: cache.Digest{}})
	b.take(engine.Event{Kind: engine.NodeState, State: engine.Done, Cached: true, Wall: time.Second})
	if b.saved != 5*time.Second {
		t.Errorf("saved %v", b.saved)
	}
}
