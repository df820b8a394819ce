package flow

import (
	"context"
	"errors"
	"strings"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/plan"
	"kmx/toolchains"
)

// inquiry is a plan with what is known of the builds before it. It is read
// only: nothing is built and no history is written.
type inquiry struct {
	*plan.Plan
	d        *declared
	store    *cache.Cache
	found    map[string]*toolchains.Toolchain
	history  *cache.History
	closures closures
	origins  *plan.Origins
	looked   map[int]look            // by node
	closed   map[string]plan.Closure // by digest
}

type look struct {
	key    cache.Digest // zero where it is not known yet
	fields []cache.Field
	record *cache.Record
	err    error
	// missing is the node that has to be built, or cannot be, before the action
	// is known; -1 where it is known.
	missing int
}

// inquire plans cells to ask about them. The caller closes the history.
func (p *Project) inquire(ctx context.Context, d *declared, cells []*matrix.Cell) (*inquiry, error) {
	return p.inquireFolded(ctx, d, cells, nil)
}

// inquireFolded is inquire about a build that folds.
func (p *Project) inquireFolded(ctx context.Context, d *declared, cells []*matrix.Cell, fold *plan.Fold) (*inquiry, error) {
	store, err := p.Cache()
	if err != nil {
		return nil, err
	}
	found, err := p.find(ctx, d, cells, false)
	if err != nil {
		return nil, err
	}
	state, err := p.state()
	if err != nil {
		return nil, err
	}
	places, err := p.closures()
	if err != nil {
		return nil, err
	}
	history, err := cache.OpenHistory(state)
	if err != nil {
		return nil, diag.Failf(diag.IO, "", "the build history cannot be read: %v", err)
	}
	source := p.planSource(d, store, history)
	source.Toolchains, source.Opened, source.Fold = found, func(string, *codeobj.Object) {}, fold
	pl, list := plan.New(cells, source)
	if list.HasErrors() {
		history.Close()
		return nil, &diag.Failure{Class: diag.Matrix, Messages: list}
	}
	return &inquiry{
		Plan: pl, d: d, store: store, found: found, history: history, closures: places,
		origins: plan.NewOrigins(d.Matrix), looked: map[int]look{}, closed: map[string]plan.Closure{},
	}, nil
}

func (q *inquiry) close() { q.history.Close() }

// node is the action of the cell at index i.
func (q *inquiry) node(i int) *engine.Node { return q.Graph.Nodes[q.Node[i]] }

// look asks the cache for the cell at index i, once.
func (q *inquiry) look(i int) look {
	n := q.Node[i]
	l, ok := q.looked[n]
	if !ok {
		r := q.Graph.Resolve(n, q.record)
		l = look{fields: r.Fields, missing: r.Missing, err: errNotKnown}
		if r.Missing < 0 {
			l.key = r.Action.Key()
			l.record, l.err = q.store.Find(l.key)
		}
		q.looked[n] = l
	}
	return l
}

// errNotKnown is of an action that has no key yet.
var errNotKnown = errors.New("what it needs is to be built first")

func (q *inquiry) record(key cache.Digest) *cache.Record {
	r, err := q.store.Find(key)
	if err != nil {
		return nil
	}
	return r
}

// fields is what the record of a key shows.
func (q *inquiry) fields(key string) ([]cache.Field, bool) {
	d, err := cache.ParseDigest(key)
	if err != nil {
		return nil, false
	}
	r, ok := q.store.Peek(d)
	if !ok {
		return nil, false
	}
	return r.Fields, true
}

// evidence is what is known about the cell at index i.
func (q *inquiry) evidence(i int) plan.Evidence {
	e := q.Evidence(i, q.origins)
	e.Closure, e.Record = q.closure, q.fields
	for name, h := range e.Helpers {
		h.Evidence.Closure = q.closure
		e.Helpers[name] = h
	}
	return e
}

// fieldsNow is the action of the cell at index i as far as it is known: inputs
// that other actions are yet to make are shown without digests.
func (q *inquiry) fieldsNow(i int) []cache.Field {
	if l := q.look(i); l.missing < 0 {
		return l.fields
	}
	n := q.node(i)
	fields := append(n.Action.Fields(), n.Origin...)
	for _, need := range n.Needs {
		fields = append(fields, cache.Field{Tag: "input", Name: need.Path, Value: "to be made"}, cache.Field{Tag: engine.NeedTag, Name: need.Path})
	}
	return fields
}

// closure is what is known of a toolchain: those in use, and those that built
// something here.
func (q *inquiry) closure(digest string) (plan.Closure, bool) {
	c, known := q.closed[digest]
	if !known {
		c, _ = q.closures.known(digest)
		for _, tc := range q.found {
			if tc.Digest.String() == digest {
				c = plan.ClosureOf(tc)
			}
		}
		q.closed[digest] = c
	}
	return c, c.Format != ""
}

// A verdict says how the cell stands and why.
type verdict struct {
	Cached bool         // building it takes no process
	Key    cache.Digest // of the action as planned
	Last   cache.Digest // of the last build in this checkout; zero: none
	// Causes are why it is not up to date, the main one first; nil if it is.
	Causes []plan.Cause
}

// why compares the cell at index i with its last build in this checkout.
func (q *inquiry) why(i int) verdict {
	l := q.look(i)
	v := verdict{Cached: l.err == nil, Key: l.key}
	last, built := q.history.Last(q.Cells[i].Address())
	if l.missing >= 0 && q.Graph.Nodes[l.missing].Err != nil {
		v.Causes = []plan.Cause{broken(q.Graph.Nodes[l.missing].Err)}
		if built {
			v.Last = last.Key
		}
		return v
	}
	switch {
	case !built && v.Cached:
		v.Causes = []plan.Cause{{Kind: "first", Text: "never built in this checkout; the cache has it"}}
	case !built:
		v.Causes = []plan.Cause{{Kind: "first", Text: "never built in this checkout"}}
	case last.Key == l.key:
		v.Last = last.Key
		if !v.Cached {
			v.Causes = []plan.Cause{q.missing(l)}
		}
	default:
		v.Last = last.Key
		e := q.evidence(i)
		e.Variables = variableChanges(q.d, pastOf(last))
		v.Causes = q.compare(last.Key, q.fieldsNow(i), e)
	}
	return v
}

// broken is the cause of a cell that cannot be built.
func broken(err error) plan.Cause {
	first, more, _ := strings.Cut(err.Error(), "\n")
	c := plan.Cause{Kind: "broken", Text: "cannot be built: " + first}
	for line := range strings.SplitSeq(more, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			c.Follows = append(c.Follows, line)
		}
	}
	return c
}

// missing says why the cache does not have what was built before.
func (q *inquiry) missing(l look) plan.Cause {
	c := plan.Cause{Kind: "lost", Text: "built before, but the cache has lost it (collected)"}
	var miss *cache.Miss
	if !errors.As(l.err, &miss) {
		return c
	}
	switch {
	case miss.Reason == cache.Damaged || miss.Reason == cache.Absent && q.store.SetAside(l.key):
		c.Kind, c.Text = "damaged", "its record is damaged"
	case miss.Reason == cache.OutputGone:
		c.Text = "built before, but the cache has lost its object (collected)"
	case miss.Reason == cache.WrongVersion:
		c.Text = "its record was written by another version of kmx"
	case miss.Reason == cache.Unreadable:
		c.Text = "its record cannot be read"
	}
	if miss.Detail != "" {
		c.Follows = []string{miss.Detail}
	}
	return c
}

// compare lists the causes that made an action out of the one with an earlier
// key.
func (q *inquiry) compare(earlier cache.Digest, now []cache.Field, e plan.Evidence) []plan.Cause {
	before, ok := q.store.Peek(earlier)
	if !ok {
		c := plan.Cause{Kind: "lost", Text: "it has changed since its last build, whose record the cache has lost (collected)"}
		if e.Variables != nil && e.Variables.SameMatrix {
			c.Follows = append(c.Follows, "the matrix is the same as then")
		}
		return []plan.Cause{c}
	}
	causes := plan.Reasons(before.Fields, now, e)
	if len(causes) == 0 {
		causes = []plan.Cause{{Kind: "action", Text: "this version of kmx makes keys in another way"}}
	}
	return causes
}
