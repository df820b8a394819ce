package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"kmx/engine"
)

// outcome is what became of a cell.
type outcome struct {
	label string
	state engine.State
	wall  time.Duration
}

// note remembers the outcome that an event tells.
func (b *board) note(e engine.Event) {
	switch e.State {
	case engine.Failed, engine.Skipped, engine.Cancelled:
	case engine.Done:
		if e.Cached {
			return // it says nothing that the summary does not
		}
	default:
		return
	}
	b.outcomes = append(b.outcomes, outcome{e.Label, e.State, e.Wall})
}

// shownOutcomes of cells that did build are listed; a table is there for those
// that did not.
const shownOutcomes = 20

// outcomeTable is the table of outcomes: first what was built, then what was
// not, so that failures stand next to where people read.
func outcomeTable(b *board, o *Options) []string {
	if !o.Outcomes || len(b.failed) == 0 || b.counts.Total < 2 {
		return nil
	}
	words := map[engine.State]string{
		engine.Done: "built", engine.Cancelled: "stopped", engine.Skipped: "skipped", engine.Failed: "FAILED",
	}
	order := []engine.State{engine.Done, engine.Cancelled, engine.Skipped, engine.Failed}
	rows := slices.Clone(b.outcomes)
	slices.SortFunc(rows, func(x, y outcome) int {
		return cmp.Or(cmp.Compare(slices.Index(order, x.state), slices.Index(order, y.state)), cmp.Compare(x.label, y.label))
	})
	built := 0
	width := 0
	for _, r := range rows {
		if r.state == engine.Done {
			built++
		}
		width = max(width, len(r.label))
	}
	lines := []string{"outcomes:"}
	if b.counts.Cached > 0 {
		lines = append(lines, fmt.Sprintf("  %d from the cache", b.counts.Cached))
	}
	if built > shownOutcomes {
		lines = append(lines, fmt.Sprintf("  %d built", built))
		rows = rows[built:]
	}
	for _, r := range rows {
		line := fmt.Sprintf("  %-*s  %-7s", width, r.label, words[r.state])
		if r.state == engine.Done || r.state == engine.Failed {
			line += "  " + exact(r.wall)
		} else {
			line = fmt.Sprintf("  %-*s  %s", width, r.label, words[r.state])
		}
		lines = append(lines, line)
	}
	return lines
}

// lateFailure is a failure whose words were kept for the end.
type lateFailure struct {
	event engine.Event
	lines []string
}

// deferred are the failures that are shown at the end, as they happened.
func deferred(b *board, o *Options, paint painter) []lateFailure {
	if !o.Defer {
		return nil
	}
	var late []lateFailure
	for _, e := range b.failures {
		f := failureOf(e, o)
		late = append(late, lateFailure{e, append([]string{paint.with(red, "FAILED") + "  " + f.label + ": " + f.what}, f.body()...)})
	}
	return late
}
