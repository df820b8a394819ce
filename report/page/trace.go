package page

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"kmx/engine"
	"kmx/report/logs"
)

// A traceEvent is one event of the Trace Event Format (JSON), which Perfetto and
// chrome://tracing read. Times are microseconds; pid and tid only group.
type traceEvent struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	TS    float64        `json:"ts"`
	Dur   *float64       `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	ID    int            `json:"id,omitempty"`
	Bind  string         `json:"bp,omitempty"`
	Scope string         `json:"s,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// tracePID stands for the build.
const tracePID = 1

// WriteTrace writes a build as a trace: a thread for each place with the
// processes that it had, one for what came from the cache, counters of processes
// and memory, and arrows from helpers to what needed them. Events come in the
// order of their times.
func WriteTrace(w io.Writer, b *logs.Build) error {
	t := tracer{b: b}
	t.threads()
	meta := len(t.events)
	t.runs()
	t.rest()
	t.counters()
	slices.SortStableFunc(t.events[meta:], func(x, y traceEvent) int { return cmp.Compare(x.TS, y.TS) })
	out := bufio.NewWriter(w)
	head, err := json.Marshal(map[string]any{"log": b.Name, "started": b.Started, "jobs": b.Jobs, "finished": b.Finished, "error": b.Error})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "{\"displayTimeUnit\":\"ms\",\"otherData\":%s,\"traceEvents\":[\n", head)
	for i, e := range t.events {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteString(",\n")
		}
		out.Write(line)
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

type tracer struct {
	b      *logs.Build
	events []traceEvent
}

func (t *tracer) add(e traceEvent) {
	e.PID = tracePID
	t.events = append(t.events, e)
}

// cacheThread is the thread of what came from the cache, behind the places.
func (t *tracer) cacheThread() int { return t.b.Lanes + 1 }

func (t *tracer) threads() {
	t.add(traceEvent{Name: "process_name", Phase: "M", Args: map[string]any{"name": "build " + t.b.Name}})
	for i := range t.b.Lanes {
		t.add(traceEvent{Name: "thread_name", Phase: "M", TID: i + 1, Args: map[string]any{"name": fmt.Sprintf("place %d", i+1)}})
		t.add(traceEvent{Name: "thread_sort_index", Phase: "M", TID: i + 1, Args: map[string]any{"sort_index": i + 1}})
	}
	t.add(traceEvent{Name: "thread_name", Phase: "M", TID: t.cacheThread(), Args: map[string]any{"name": "from the cache"}})
	t.add(traceEvent{Name: "thread_sort_index", Phase: "M", TID: t.cacheThread(), Args: map[string]any{"sort_index": t.cacheThread()}})
}

func (t *tracer) runs() {
	critical := map[int]string{}
	for _, s := range t.b.Path() {
		critical[s.Run] = s.Why
	}
	at := map[int]int{}
	for i, c := range t.b.Cells {
		at[c.Node] = i
	}
	arrow := 0
	for i, r := range t.b.Runs {
		c := &t.b.Cells[r.Cell]
		args := map[string]any{"state": c.Word()}
		if !c.Key.IsZero() {
			args["key"] = c.Key.String()
		}
		for name, value := range map[string]any{"user_ms": c.User.Milliseconds(), "system_ms": c.System.Milliseconds(), "peak_rss": c.PeakRSS} {
			if value != int64(0) {
				args[name] = value
			}
		}
		for name, text := range map[string]string{"miss": c.Miss, "error": c.Error, "critical": critical[i]} {
			if text != "" {
				args[name] = text
			}
		}
		dur := us(r.End) - us(r.Start)
		t.add(traceEvent{Name: c.Label, Cat: category(c), Phase: "X", TS: us(r.Start), Dur: &dur, TID: r.Lane + 1, Args: args})
		if c.First != i+1 {
			continue
		}
		for _, node := range c.Needs {
			j, ok := at[node]
			if !ok || !t.b.Cells[j].Ran() {
				continue
			}
			from := t.b.Runs[t.b.Cells[j].Last-1]
			if from.End > r.Start {
				continue
			}
			arrow++
			t.add(traceEvent{Name: "needs", Cat: "needs", Phase: "s", ID: arrow, TS: us(from.Start) + (us(from.End)-us(from.Start))/2, TID: from.Lane + 1})
			t.add(traceEvent{Name: "needs", Cat: "needs", Phase: "f", Bind: "e", ID: arrow, TS: us(r.Start), TID: r.Lane + 1})
		}
	}
}

// category is the family of a cell, or "helper".
func category(c *logs.Cell) string {
	if family, _, ok := strings.Cut(c.Label, "/"); ok && strings.Contains(c.Label, "@") {
		return family
	}
	return "helper"
}

// rest are the moments: cells from the cache, failures without a process,
// warnings.
func (t *tracer) rest() {
	for i := range t.b.Cells {
		c := &t.b.Cells[i]
		switch {
		case c.State == engine.Done && c.Cached && c.End >= 0:
			t.add(traceEvent{Name: c.Label, Cat: "cached", Phase: "i", Scope: "t", TS: us(c.End), TID: t.cacheThread()})
		case c.State == engine.Failed && c.End >= 0:
			t.add(traceEvent{Name: "failed: " + c.Label, Cat: "failed", Phase: "i", Scope: "p", TS: us(c.End), TID: t.cacheThread(), Args: map[string]any{"error": c.Error}})
		}
	}
	for _, n := range t.b.Warnings {
		t.add(traceEvent{Name: "warning", Cat: "warning", Phase: "i", Scope: "p", TS: us(n.At), TID: t.cacheThread(), Args: map[string]any{"label": n.Label, "text": n.Text}})
	}
}

func (t *tracer) counters() {
	type change struct {
		at        float64
		processes int
		memory    int64
	}
	var list []change
	for _, r := range t.b.Runs {
		rss := t.b.Cells[r.Cell].PeakRSS
		list = append(list, change{us(r.Start), 1, rss}, change{us(r.End), -1, -rss})
	}
	slices.SortStableFunc(list, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.processes, b.processes)) })
	processes, memory := 0, int64(0)
	for i, c := range list {
		processes += c.processes
		memory += c.memory
		if i+1 < len(list) && list[i+1].at == c.at {
			continue
		}
		t.add(traceEvent{Name: "processes", Phase: "C", TS: c.at, Args: map[string]any{"running": processes}})
		t.add(traceEvent{Name: "memory, peaks added", Phase: "C", TS: c.at, Args: map[string]any{"MiB": memory >> 20}})
	}
}

func us[T ~int64](ns T) float64 { return float64(ns) / 1e3 }
