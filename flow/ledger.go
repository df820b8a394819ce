package flow

import (
	"encoding/json"
	"sync"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/engine"
	"kmx/plan"
	"kmx/report"
)

// A ledger compares the objects of this build with those of the last one in
// this checkout and keeps the history up to date. Its methods may be called
// from any goroutine.
type ledger struct {
	history *cache.History
	cells   map[string][]string // addresses that share a node, by its label
	helpers map[string]bool     // labels of nodes that stand for no cell
	derived map[string]bool     // labels of nodes that tell nothing of what compiling takes
	matrix  string
	vars    map[string]string
	// trial says that the flags are not those declared: what is built is held
	// against the history and does not enter it.
	trial bool

	mu     sync.Mutex
	opened map[string]*codeobj.Object // by address
	past   map[string]report.Facts
	last   map[string]cache.Digest // key of the last build, by address
	missed map[string]string       // by label: why the cache had no record
}

func newLedger(h *cache.History, d *declared) *ledger {
	return &ledger{
		history: h, cells: map[string][]string{}, helpers: map[string]bool{}, derived: map[string]bool{}, matrix: matrixDigest(d), vars: differing(d),
		opened: map[string]*codeobj.Object{}, past: map[string]report.Facts{}, last: map[string]cache.Digest{}, missed: map[string]string{},
	}
}

// expect notes which cells each node of the plan is for.
func (l *ledger) expect(p *plan.Plan) {
	for i, c := range p.Cells {
		label := p.Graph.Nodes[p.Node[i]].Label
		l.cells[label] = append(l.cells[label], c.Address())
	}
	for i, n := range p.Graph.Nodes {
		if l.cells[n.Label] == nil {
			l.helpers[n.Label] = true
		}
		l.derived[n.Label] = p.Derived[i] != nil
	}
}

// open notes that the object of a cell was read.
func (l *ledger) open(label string, obj *codeobj.Object) {
	var before report.Facts
	last, ok := l.history.Last(label)
	if ok {
		before = pastOf(last).Facts
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last[label] = last.Key
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

// same reports that a finished cell is what it was at its last build here.
func (l *ledger) same(label string, key cache.Digest) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last[label] == key
}

// note writes the history of what was built, or came from the cache and is not
// what it was the last time.
func (l *ledger) note(e engine.Event) {
	if e.Kind != engine.NodeState || l.trial {
		return
	}
	switch e.State {
	case engine.Ready:
		l.mu.Lock()
		l.missed[e.Label] = e.Message
		l.mu.Unlock()
	case engine.Done:
		for _, address := range l.cells[e.Label] {
			l.write(address, e)
		}
		if l.helpers[e.Label] && !e.Cached { // for its cost
			_ = l.history.Append(cache.Past{Label: e.Label, Key: e.Key, Wall: e.Wall, PeakRSS: e.PeakRSS})
		}
	}
}

func (l *ledger) write(address string, e engine.Event) {
	now, _, ok := l.facts(address)
	if !ok {
		return
	}
	entry := past{Facts: now, Matrix: l.matrix, Vars: l.vars}
	last, built := l.history.Last(address)
	if built {
		before := pastOf(last)
		if e.Cached && last.Key == e.Key && before.Facts == now {
			return
		}
		entry.Prev, entry.Walls = last.Key, before.Walls
	}
	if l.derived[e.Label] {
		e.Wall, e.PeakRSS = last.Wall, last.PeakRSS
	}
	if !e.Cached {
		l.mu.Lock()
		entry.Miss = l.missed[e.Label]
		l.mu.Unlock()
	}
	if !e.Cached && !l.derived[e.Label] {
		entry.Walls = append(entry.Walls, e.Wall.Milliseconds())
		entry.Walls = entry.Walls[max(0, len(entry.Walls)-kept):]
	}
	facts, err := json.Marshal(entry)
	if err != nil {
		return
	}
	// A history that cannot be written costs an estimate, never a build.
	_ = l.history.Append(cache.Past{Label: address, Key: e.Key, Wall: e.Wall, PeakRSS: e.PeakRSS, Facts: facts})
}
