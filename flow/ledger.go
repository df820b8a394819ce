package flow

import (
	"encoding/json"
	"sync"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/engine"
	"kmx/report"
)

// A ledger compares the objects of this build with those of the last one in
// this checkout and keeps the history up to date. Its methods may be called
// from any goroutine.
type ledger struct {
	history *cache.History

	mu     sync.Mutex
	opened map[string]*codeobj.Object // by label
	past   map[string]report.Facts
}

func newLedger(h *cache.History) *ledger {
	return &ledger{history: h, opened: map[string]*codeobj.Object{}, past: map[string]report.Facts{}}
}

// open notes that the object of a cell was read.
func (l *ledger) open(label string, obj *codeobj.Object) {
	var before report.Facts
	if last, ok := l.history.Last(label); ok {
		_ = json.Unmarshal(last.Facts, &before) // facts of an older kind compare with nothing
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened[label], l.past[label] = obj, before
}

// facts gives the resources of a finished cell, now and at its last build.
func (l *ledger) facts(label string) (now, before report.Facts, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	obj, ok := l.opened[label]
	if !ok {
		return now, before, false
	}
	return factsOf(obj), l.past[label], true
}

// note writes the history of what was built, or came from the cache with
// other resources than the last time.
func (l *ledger) note(e engine.Event) {
	if e.Kind != engine.NodeState || e.State != engine.Done {
		return
	}
	now, before, ok := l.facts(e.Label)
	if !ok || e.Cached && now == before {
		return
	}
	facts, err := json.Marshal(now)
	if err != nil {
		return
	}
	// A history that cannot be written costs an estimate, never a build.
	_ = l.history.Append(cache.Past{Label: e.Label, Key: e.Key, Wall: e.Wall, PeakRSS: e.PeakRSS, Facts: facts})
}
