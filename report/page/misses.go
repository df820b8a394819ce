package page

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/engine"
	"kmx/plan"
	"kmx/report/logs"
)

func (d *Data) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// misses says for each cell that the cache had no record of, why not: what the
// engine said, and, where the records of it and of the build before are there,
// what of its action had changed.
func (d *Data) misses(s *Sources) error {
	b := s.Build
	q := &reasons{s: s}
	if s.Store != nil && s.State != "" {
		history, err := cache.OpenHistory(s.State)
		if err != nil {
			d.note("reasons for misses are those of the log alone: %v", err)
		} else {
			defer history.Close()
			q.history = history
		}
	}
	found := map[string]int{}
	at := make([]int, len(b.Cells))
	for i := range b.Cells {
		c := &b.Cells[i]
		at[i] = -1
		if c.Ready < 0 {
			continue
		}
		m := q.of(c)
		n, ok := found[m.Reason]
		if !ok {
			n = len(d.Misses)
			found[m.Reason] = n
			d.Misses = append(d.Misses, m)
		} else if !slices.Equal(d.Misses[n].Follows, m.Follows) {
			d.Misses[n].Follows = []string{}
		}
		d.Misses[n].Count++
		at[i] = n
	}
	order := make([]int, len(d.Misses)) // old index to new
	sorted := slices.SortedFunc(slices.Values(d.Misses), byCount)
	for i, m := range sorted {
		order[found[m.Reason]] = i
	}
	for i, n := range at {
		if n >= 0 {
			at[i] = order[n]
		}
	}
	d.Misses, d.Cells.Miss = append([]Miss{}, sorted...), at
	return nil
}

type reasons struct {
	s       *Sources
	history *cache.History
	earlier map[string]cache.Digest // keys of what earlier logs speak of; nil until asked for
}

// of is the reason of one cell.
func (q *reasons) of(c *logs.Cell) Miss {
	said := map[string]string{"absent": "the cache has no record", "": "not said"}[c.Miss]
	if said == "" {
		said = c.Miss
	}
	m := Miss{Reason: said, Follows: []string{}}
	if q.history == nil || c.Key.IsZero() {
		return m
	}
	previous, known := q.previous(c)
	switch {
	case !known:
		return m
	case previous.IsZero():
		m.Reason = "never built before in this checkout"
		return m
	case previous == c.Key:
		m.Reason = "built before, but the cache had lost it (" + said + ")"
		return m
	}
	before, ok := q.s.Store.Peek(previous)
	now, also := q.s.Store.Peek(c.Key)
	if !ok || !also {
		m.Reason = "its action changed; a record to say how is gone"
		if !also && c.Word() != "built" {
			m.Reason = "its action changed; what did not succeed leaves no record to say how"
		}
		return m
	}
	causes := plan.Reasons(before.Fields, now.Fields, plan.Evidence{Closure: q.closure, Record: q.fields})
	if len(causes) == 0 {
		return m
	}
	var texts []string
	for _, cause := range causes {
		texts = append(texts, cause.Text)
		m.Follows = append(m.Follows, cause.Follows...)
	}
	m.Reason = strings.Join(texts, "; ")
	m.Follows = m.Follows[:min(len(m.Follows), 50)]
	return m
}

// previous is the key of the build of the cell before this one, zero where this
// was the first; not known where neither the history nor an earlier log tells.
func (q *reasons) previous(c *logs.Cell) (cache.Digest, bool) {
	if last, ok := q.history.Last(c.Label); ok && last.Key == c.Key {
		var more struct {
			Prev cache.Digest `json:"prev"`
		}
		if len(last.Facts) > 0 && json.Unmarshal(last.Facts, &more) == nil {
			return more.Prev, true
		}
	}
	if q.earlier == nil {
		q.earlier = map[string]cache.Digest{}
		for _, e := range q.s.Earlier { // the latest one counts
			for i := range e.Cells {
				if old := &e.Cells[i]; old.State == engine.Done && !old.Key.IsZero() {
					q.earlier[old.Label] = old.Key
				}
			}
		}
	}
	key, ok := q.earlier[c.Label]
	return key, ok
}

func (q *reasons) closure(digest string) (plan.Closure, bool) {
	var c plan.Closure
	if d, err := cache.ParseDigest(digest); err != nil || d.IsZero() {
		return c, false
	}
	text, err := os.ReadFile(filepath.Join(q.s.State, "toolchains", digest+".json"))
	if err != nil || json.Unmarshal(text, &c) != nil || c.Format != plan.ClosureFormat || c.Digest.String() != digest {
		return plan.Closure{}, false
	}
	return c, true
}

func (q *reasons) fields(key string) ([]cache.Field, bool) {
	d, err := cache.ParseDigest(key)
	if err != nil {
		return nil, false
	}
	r, ok := q.s.Store.Peek(d)
	if !ok {
		return nil, false
	}
	return r.Fields, true
}
