package page

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kmx/engine"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/report"
	"kmx/report/logs"
)

// Most bytes of what tools said that a page shows: of one failure, and of all.
const (
	outputOfOne = 32 << 10
	outputOfAll = 2 << 20
)

var words = []string{"built", "cached", "failed", "skipped", "stopped", "unfinished"}

// Collect gathers the content of a page.
func Collect(s Sources) (*Data, error) {
	b := s.Build
	d := &Data{
		Words: words, Lanes: b.Lanes, Notes: append([]string{}, s.Notes...), Failures: []Failure{}, Path: []Step{}, Misses: []Miss{},
		Warnings: []Warning{}, Objects: []Object{}, LeftOut: append([]matrix.LeftOutDescription{}, s.LeftOut...),
	}
	d.summary(b)
	d.failures(b)
	for _, r := range b.Runs {
		d.Runs.Cell = append(d.Runs.Cell, r.Cell)
		d.Runs.Lane = append(d.Runs.Lane, r.Lane)
		d.Runs.Start = append(d.Runs.Start, r.Start.Microseconds())
		d.Runs.End = append(d.Runs.End, r.End.Microseconds())
	}
	for _, p := range b.Path() {
		d.Path = append(d.Path, Step{p.Run, p.Why, p.Waited.Microseconds()})
	}
	for _, w := range b.Warnings {
		d.Warnings = append(d.Warnings, Warning{w.At.Microseconds(), w.Label, w.Text})
	}
	d.history(b, s.Earlier)
	d.cells(b, s.Earlier)
	if err := d.misses(&s); err != nil {
		return nil, err
	}
	if s.State != "" {
		stats, err := report.ReadEmulations(filepath.Join(s.State, "stats.json"))
		if err != nil {
			d.note("statistics of the emulator are not shown: %v", err)
		}
		s.stats = stats
	}
	d.objects(&s)
	d.equal()
	if s.Against != "" {
		if err := d.against(&s); err != nil {
			return nil, diag.Failf(diag.Usage, "name the folder of a release, of a set, or dist/dev", "%w", err)
		}
	}
	return d, nil
}

func (d *Data) summary(b *logs.Build) {
	bounds := b.Bounds()
	d.Build = Summary{
		Log: b.Name, Started: b.Started.Format("2006-01-02 15:04:05 UTC"), Wall: b.Wall.Microseconds(), Finished: b.Finished, Error: b.Error,
		Jobs: b.Jobs, Events: b.Events, Total: b.Counts.Total, Ran: len(b.Runs), Busy: busy(b).Microseconds(),
		Work: bounds.Work.Microseconds(), Chain: bounds.Chain.Microseconds(),
	}
	final := 0
	for i := range b.Cells {
		c := &b.Cells[i]
		if c.State.Final() {
			final++
		}
		switch c.Word() {
		case "built":
			d.Build.Built++
		case "cached":
			d.Build.Cached++
		case "failed":
			d.Build.Failed++
		case "skipped":
			d.Build.Skipped++
		case "stopped":
			d.Build.Stopped++
		}
	}
	d.Build.Open = max(b.Counts.Total-final, 0)
}

func busy(b *logs.Build) time.Duration {
	var sum time.Duration
	for _, r := range b.Runs {
		sum += r.End - r.Start
	}
	return sum
}

func (d *Data) failures(b *logs.Build) {
	left := outputOfAll
	for i := range b.Cells {
		c := &b.Cells[i]
		if c.State != engine.Failed {
			continue
		}
		f := Failure{Label: c.Label, Error: strings.TrimPrefix(c.Error, c.Label+": "), Output: strings.TrimRight(c.Stdout+c.Output, "\n")}
		if most := min(outputOfOne, left); len(f.Output) > most {
			f.Output, f.Cut = strings.ToValidUTF8(f.Output[:most], ""), true
		}
		left -= len(f.Output)
		d.Failures = append(d.Failures, f)
	}
}

// history sums up the builds before, each with what it shares with this one.
func (d *Data) history(b *logs.Build, earlier []*logs.Build) {
	now := map[string]time.Duration{}
	for i := range b.Cells {
		if c := &b.Cells[i]; c.Ran() && c.State == engine.Done {
			now[c.Label] = b.Took(c)
		}
	}
	d.History.Builds = []Past{}
	for _, e := range append(slices.Clone(earlier), b) {
		p := Past{Log: e.Name, Wall: e.Wall.Microseconds(), Busy: busy(e).Microseconds(), Cached: e.Counts.Cached, Failed: e.Counts.Failed, Ended: e.Finished}
		for i := range e.Cells {
			c := &e.Cells[i]
			if !c.Ran() {
				continue
			}
			p.Ran++
			if here, ok := now[c.Label]; ok && c.State == engine.Done {
				p.Shared++
				p.Same += e.Took(c).Microseconds()
				p.Now += here.Microseconds()
			}
		}
		d.History.Builds = append(d.History.Builds, p)
	}
}

func (d *Data) cells(b *logs.Build, earlier []*logs.Build) {
	before := map[string][]time.Duration{}
	for _, e := range earlier {
		for i := range e.Cells {
			if c := &e.Cells[i]; c.Ran() && c.State == engine.Done {
				before[c.Label] = append(before[c.Label], e.Took(c))
			}
		}
	}
	x := &d.Cells
	for i := range b.Cells {
		c := &b.Cells[i]
		x.Label = append(x.Label, c.Label)
		x.State = append(x.State, slices.Index(words, c.Word()))
		x.Wall = append(x.Wall, b.Took(c).Microseconds())
		x.Guess = append(x.Guess, c.Guess.Wall.Microseconds())
		x.CPU = append(x.CPU, (c.User + c.System).Microseconds())
		x.RSS = append(x.RSS, c.PeakRSS>>10)
		start := int64(-1)
		if c.Ran() {
			start = b.Runs[c.First-1].Start.Microseconds()
		}
		x.Start = append(x.Start, start)
		end := int64(-1)
		if c.End >= 0 {
			end = c.End.Microseconds()
		}
		x.End = append(x.End, end)
		x.Before = append(x.Before, median(before[c.Label]).Microseconds())
		x.Times = append(x.Times, len(before[c.Label]))
	}
}

// median of times, the lower one of two in the middle; 0 of none.
func median(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[(len(list)-1)/2]
}

// byCount sorts reasons, the most frequent first.
func byCount(a, b Miss) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
}
