package logs

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// DiffFormat is that of a Diff in JSON.
const DiffFormat = "kmx.logdiff/1"

// Diff is how a build differs from another. Times are seconds.
type Diff struct {
	Format string    `json:"format"`
	Sides  [2]Side   `json:"builds"` // before, now
	Added  []string  `json:"added"`  // cells that the one before did not speak of
	Gone   []string  `json:"gone"`
	States []Became  `json:"states"` // cells that came to another end
	Keys   int       `json:"keys"`   // cells of both whose action is another one
	Slower []Changed `json:"slower"` // cells that ran in both, by difference, the largest first
	Faster []Changed `json:"faster"`
}

// Side is one of the builds.
type Side struct {
	Log      string    `json:"log"`
	Started  time.Time `json:"started"`
	Wall     float64   `json:"wall"`
	Finished bool      `json:"finished"`
	Cells    int       `json:"cells"`
	Ran      int       `json:"ran"`
	Cached   int       `json:"cached"`
	Failed   int       `json:"failed"`
	Work     float64   `json:"work"` // sum of the times of the processes
}

// Became is a cell with two ends.
type Became struct {
	Label  string `json:"label"`
	Before string `json:"before"`
	Now    string `json:"now"`
	Miss   string `json:"miss,omitempty"` // why the cache had no record now
}

// Changed is a cell with two times.
type Changed struct {
	Label  string  `json:"label"`
	Before float64 `json:"before"`
	Now    float64 `json:"now"`
}

// noise is what the times of one process differ by on a busy machine: less is no
// change.
func noise(before time.Duration) time.Duration { return max(50*time.Millisecond, before/10) }

// Compare compares two builds.
func Compare(before, now *Build) *Diff {
	d := &Diff{Format: DiffFormat, Sides: [2]Side{before.side(), now.side()}, Added: []string{}, Gone: []string{}, States: []Became{},
		Slower: []Changed{}, Faster: []Changed{}}
	was := map[string]*Cell{}
	for i := range before.Cells {
		was[before.Cells[i].Label] = &before.Cells[i]
	}
	for i := range now.Cells {
		c := &now.Cells[i]
		old := was[c.Label]
		delete(was, c.Label)
		if old == nil {
			d.Added = append(d.Added, c.Label)
			continue
		}
		if !old.Key.IsZero() && !c.Key.IsZero() && old.Key != c.Key {
			d.Keys++
		}
		if old.Word() != c.Word() {
			d.States = append(d.States, Became{c.Label, old.Word(), c.Word(), c.Miss})
		}
		if !old.Ran() || !c.Ran() {
			continue
		}
		a, b := before.Took(old), now.Took(c)
		switch change := (Changed{c.Label, a.Seconds(), b.Seconds()}); {
		case b-a > noise(a):
			d.Slower = append(d.Slower, change)
		case a-b > noise(a):
			d.Faster = append(d.Faster, change)
		}
	}
	for label := range was {
		d.Gone = append(d.Gone, label)
	}
	slices.Sort(d.Gone)
	slices.Sort(d.Added)
	slices.SortFunc(d.States, func(a, b Became) int { return cmp.Compare(a.Label, b.Label) })
	slices.SortFunc(d.Slower, func(a, b Changed) int {
		return cmp.Or(cmp.Compare(b.Now-b.Before, a.Now-a.Before), cmp.Compare(a.Label, b.Label))
	})
	slices.SortFunc(d.Faster, func(a, b Changed) int {
		return cmp.Or(cmp.Compare(a.Now-a.Before, b.Now-b.Before), cmp.Compare(a.Label, b.Label))
	})
	return d
}

func (b *Build) side() Side {
	s := Side{Log: b.Name, Started: b.Started, Wall: b.Wall.Seconds(), Finished: b.Finished, Cells: b.Counts.Total, Cached: b.Counts.Cached, Failed: b.Counts.Failed}
	var work time.Duration
	for i := range b.Cells {
		if c := &b.Cells[i]; c.Ran() {
			s.Ran++
			work += b.Took(c)
		}
	}
	s.Work = work.Seconds()
	return s
}

// WriteJSON writes the difference, indented.
func (d *Diff) WriteJSON(w io.Writer) error { return writeJSON(w, d) }

// shown lines of each list are written for people; -json has all.
const shown = 20

// WriteText writes the difference for people.
func (d *Diff) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\tbegan\twall\twork\tcells\tran\tcached\tfailed\t\n")
	for i, s := range d.Sides {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t\n", [2]string{"before", "now   "}[i], s.Started.Format("2006-01-02 15:04:05 UTC"),
			seconds(s.Wall), seconds(s.Work), s.Cells, s.Ran, s.Cached, s.Failed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	section(w, "cells new to the log", d.Added, func(s string) string { return s })
	section(w, "cells gone from the log", d.Gone, func(s string) string { return s })
	section(w, "other ends", d.States, func(c Became) string {
		line := fmt.Sprintf("%s: %s, was %s", c.Label, c.Now, c.Before)
		if c.Miss != "" {
			line += " (" + clean(strings.ReplaceAll(c.Miss, "\n", " ")) + ")"
		}
		return line
	})
	times := func(c Changed) string {
		return fmt.Sprintf("%s: %s, was %s", c.Label, seconds(c.Now), seconds(c.Before))
	}
	section(w, "slower", d.Slower, times)
	section(w, "faster", d.Faster, times)
	_, err := fmt.Fprintf(w, "%d cells have another action\n", d.Keys)
	return err
}

func section[T any](w io.Writer, title string, list []T, line func(T) string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "%s: %d\n", title, len(list))
	for i, x := range list {
		if i == shown {
			fmt.Fprintf(w, "  ... %d more\n", len(list)-i)
			break
		}
		fmt.Fprintf(w, "  %s\n", line(x))
	}
}
