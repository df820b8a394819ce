package flow

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/plan"
)

// explanation is what `explain` says of one cell, format kmx.explain/1.
type explanation struct {
	Format  string `json:"format"`
	Address string `json:"address"`
	Cause   string `json:"cause"` // one line
	// State is what building the cell would do now: "up-to-date" (nothing, it
	// is as last built), "cached" (take it from the cache), "build", "broken" (it
	// cannot be built).
	State   string       `json:"state"`
	Causes  []plan.Cause `json:"causes"`            // why it is not as last built
	Key     cache.Digest `json:"key"`               // zeros where a helper has to be built before it is known
	LastKey cache.Digest `json:"last_key,omitzero"` // of the last build in this checkout
	Refused string       `json:"refused,omitempty"` // the cached object does not keep its declaration
	Last    *lastBuild   `json:"last,omitempty"`
	// DerivedFrom is the cell that a folded build derives the object from; Proven
	// names the compiler with which both were compared.
	DerivedFrom string        `json:"derived_from,omitempty"`
	Proven      string        `json:"proven,omitempty"`
	Wall        time.Duration `json:"-"`
}

// lastBuild is why the cell was built the last time in this checkout.
type lastBuild struct {
	Cause  string       `json:"cause"`
	Causes []plan.Cause `json:"causes"`
	Made   time.Time    `json:"made,omitzero"` // when its object was made, here or elsewhere
	Cached bool         `json:"cached"`        // it was in the cache already
	Wall   float64      `json:"seconds"`
}

// Explain says why a cell was built the last time, and why it would be built
// now.
func (p *Project) Explain(ctx context.Context, address string, asJSON bool, flags, vars string) error {
	fold, err := folds(nil, os.Getenv)
	if err != nil {
		return err
	}
	trial, err := readTrial(flags)
	if err != nil {
		return err
	}
	d, err := p.load(vars)
	if err != nil {
		return err
	}
	cells, list := d.Select(address, "")
	if list.HasErrors() {
		return &diag.Failure{Class: diag.Usage, Messages: list}
	}
	if len(cells) != 1 {
		return diag.Failf(diag.Usage, "name one of them, e.g. mage explain "+cells[0].Address(),
			"%s selects %d cells; one is explained at a time (mage plan -selectors=%s groups the reasons of many)", address, len(cells), address)
	}
	how, err := p.foldPlan(d, fold, false)
	if err != nil {
		return err
	}
	address = cells[0].Address()
	if how != nil { // it is derived from an earlier one of the release
		cells = withSameKernel(d, cells[0])
	}
	q, err := p.inquireFolded(ctx, d, trial.cells(cells), how)
	if err != nil {
		return err
	}
	defer q.close()
	x := q.explain(slices.IndexFunc(q.Cells, func(c *matrix.Cell) bool { return c.Address() == address }))
	if asJSON {
		e := json.NewEncoder(p.Out)
		e.SetIndent("", "  ")
		return e.Encode(x)
	}
	x.print(p.Out, p.door())
	return nil
}

// explain is about the cell at index i.
func (q *inquiry) explain(i int) explanation {
	v := q.why(i)
	x := explanation{
		Format: "kmx.explain/1", Address: q.Cells[i].Address(), State: "build",
		Causes: append([]plan.Cause{}, v.Causes...), Key: v.Key, LastKey: v.Last, Wall: q.node(i).Guess.Wall,
	}
	if v.Cached {
		x.State = "cached"
		x.Refused = q.refused(i)
	}
	if len(v.Causes) > 0 && v.Causes[0].Kind == "broken" {
		x.State = "broken"
	}
	switch {
	case x.Refused != "":
		x.Cause = "its object does not keep its declaration"
	case len(v.Causes) == 0:
		x.State, x.Cause = "up-to-date", "up to date"
	default:
		x.Cause = headline(v.Causes)
	}
	if d, leader := q.DerivedFrom(i); d != nil {
		x.DerivedFrom, x.Proven = leader, d.Proven.Version
	}
	if !v.Last.IsZero() {
		x.Last = q.lastBuild(i, v)
	}
	return x
}

func headline(causes []plan.Cause) string {
	if len(causes) == 0 {
		return ""
	}
	if more := len(causes) - 1; more > 0 {
		return fmt.Sprintf("%s, and %d more", causes[0].Text, more)
	}
	return causes[0].Text
}

// refused says what is wrong with the object in the cache, "" if nothing is.
func (q *inquiry) refused(i int) string {
	n, l := q.node(i), q.look(i)
	outputs := map[string][]byte{}
	for _, o := range l.record.Outputs {
		data, err := q.store.Blob(o.Digest)
		if err != nil {
			return "" // it is built again
		}
		outputs[o.Path] = data
	}
	if err := n.Check(outputs); err != nil {
		return err.Error()
	}
	return ""
}

// lastBuild tells why the last build happened, from its record and the one of
// the build before.
func (q *inquiry) lastBuild(i int, v verdict) *lastBuild {
	entry, ok := q.history.Last(q.Cells[i].Address())
	if !ok {
		return nil
	}
	more := pastOf(entry)
	b := &lastBuild{Cached: more.Miss == "", Wall: entry.Wall.Seconds()}
	record, have := q.store.Peek(entry.Key)
	if have {
		b.Made = record.Made
	}
	switch {
	case more.Prev.IsZero():
		b.Causes = []plan.Cause{{Kind: "first", Text: "the first build in this checkout"}}
	case more.Prev == entry.Key && more.Miss == "":
		b.Causes = []plan.Cause{{Kind: "none", Text: "nothing but the resources kept of it"}}
	case more.Prev == entry.Key:
		b.Causes = []plan.Cause{{Kind: "lost", Text: "built again, as the cache had lost it (" + more.Miss + ")"}}
	case !have:
		b.Causes = []plan.Cause{{Kind: "lost", Text: "unknown, its record is gone"}}
	default:
		e := plan.Evidence{Closure: q.closure, Record: q.fields}
		if entry.Key == v.Key {
			e = q.evidence(i)
		}
		b.Causes = q.compare(more.Prev, record.Fields, e)
	}
	b.Cause = headline(b.Causes)
	return b
}

// print writes the explanation for people: the cause in the first line, then
// what stands behind it. door is how kmx is called.
func (x *explanation) print(w io.Writer, door string) {
	fmt.Fprintf(w, "%s: %s\n", x.Address, x.Cause)
	line := func(what, format string, args ...any) {
		fmt.Fprintf(w, "  %-9s %s\n", what, fmt.Sprintf(format, args...))
	}
	if x.Refused != "" {
		line("refused", "%s", x.Refused)
	}
	if x.DerivedFrom != "" {
		line("folded", "derived from %s, proven equal with %s", x.DerivedFrom, x.Proven)
	}
	tell(line, x.Causes)
	switch x.State {
	case "build":
		line("now", "to be built, about %s: %s build %s", x.Wall.Round(10*time.Millisecond), door, x.Address)
	case "cached":
		line("now", "in the cache, no process is needed")
	}
	switch {
	case x.Key.IsZero() && x.LastKey.IsZero():
		line("key", "not known before its helpers are built")
	case x.Key.IsZero():
		line("key", "not known before its helpers are built, was %s", x.LastKey)
	case x.LastKey.IsZero() || x.LastKey == x.Key:
		line("key", "%s", x.Key)
	default:
		line("key", "%s, was %s", x.Key, x.LastKey)
	}
	if x.Last != nil {
		text := x.Last.Cause
		if x.Last.Cached {
			text += "; taken from the cache"
		}
		if !x.Last.Made.IsZero() {
			text += "; made " + x.Last.Made.UTC().Format("2006-01-02 15:04:05 UTC")
		}
		line("last time", "%s", text)
		tell(line, x.Last.Causes)
	}
}

// tell writes what stands behind causes.
func tell(line func(what, format string, args ...any), causes []plan.Cause) {
	for i, c := range causes {
		if i > 0 {
			line("also", "%s", c.Text)
		}
		if c.Before != "" {
			line("  before", "%s", c.Before)
		}
		if c.After != "" {
			line("  after", "%s", c.After)
		}
		for n, f := range c.Follows {
			if n == 20 {
				line("  with", "and %d more", len(c.Follows)-n)
				break
			}
			line("  with", "%s", f)
		}
	}
}
