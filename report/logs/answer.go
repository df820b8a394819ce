package logs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"kmx/engine"
)

// Format is that of the answers in JSON.
const Format = "kmx.log/1"

// Answer is what a question to a log gives: cells, or steps of the critical path.
// Times are seconds, memory bytes.
type Answer struct {
	Format   string    `json:"format"`
	Question string    `json:"question"`
	Log      string    `json:"log"`
	Started  time.Time `json:"started"`
	Wall     float64   `json:"wall"`
	Finished bool      `json:"finished"` // false: the build was killed
	Error    string    `json:"error,omitempty"`
	Work     float64   `json:"work,omitempty"`  // Bounds.Work
	Chain    float64   `json:"chain,omitempty"` // Bounds.Chain
	Cells    []Line    `json:"cells"`
}

// Line is one cell of an Answer.
type Line struct {
	Label    string  `json:"label"`
	State    string  `json:"state"`           // Cell.Word
	Start    float64 `json:"start,omitempty"` // of its first process, since the build began
	Wall     float64 `json:"wall"`
	CPU      float64 `json:"cpu,omitempty"` // user and system
	PeakRSS  int64   `json:"peak_rss,omitempty"`
	Expected float64 `json:"expected,omitempty"`
	Miss     string  `json:"miss,omitempty"`
	Error    string  `json:"error,omitempty"`
	Output   string  `json:"output,omitempty"`
	Why      string  `json:"why,omitempty"`    // of a step: AtStart ...
	Waited   float64 `json:"waited,omitempty"` // for that
}

func (b *Build) answer(question string) *Answer {
	return &Answer{Format: Format, Question: question, Log: b.Name, Started: b.Started, Wall: b.Wall.Seconds(),
		Finished: b.Finished, Error: b.Error, Cells: []Line{}}
}

func (b *Build) line(c *Cell) Line {
	l := Line{Label: c.Label, State: c.Word(), Wall: b.Took(c).Seconds(), CPU: (c.User + c.System).Seconds(), PeakRSS: c.PeakRSS,
		Expected: c.Guess.Wall.Seconds(), Miss: c.Miss}
	if c.Ran() {
		l.Start = b.Runs[c.First-1].Start.Seconds()
	}
	return l
}

// WhatRan lists the cells that a process ran for, in the order in which they
// began.
func (b *Build) WhatRan() *Answer {
	a := b.answer("what-ran")
	for i, r := range b.Runs {
		if c := &b.Cells[r.Cell]; c.First == i+1 {
			a.Cells = append(a.Cells, b.line(c))
		}
	}
	return a
}

// WhatFailed lists the cells that failed, with what their tools said, then those
// that were skipped for it.
func (b *Build) WhatFailed() *Answer {
	a := b.answer("what-failed")
	for _, want := range []engine.State{engine.Failed, engine.Skipped} {
		for i := range b.Cells {
			c := &b.Cells[i]
			if c.State != want {
				continue
			}
			l := b.line(c)
			l.Error, l.Output = c.Error, strings.TrimRight(c.Stdout+c.Output, "\n")
			a.Cells = append(a.Cells, l)
		}
	}
	return a
}

// Slowest lists the n cells whose processes took longest, the longest first.
func (b *Build) Slowest(n int) *Answer {
	a := b.WhatRan()
	a.Question = "slowest"
	slices.SortStableFunc(a.Cells, func(x, y Line) int { return cmp.Compare(y.Wall, x.Wall) })
	a.Cells = a.Cells[:min(max(n, 0), len(a.Cells))]
	return a
}

// CriticalPath lists the steps of Path, with the bounds.
func (b *Build) CriticalPath() *Answer {
	a := b.answer("critical-path")
	bounds := b.Bounds()
	a.Work, a.Chain = bounds.Work.Seconds(), bounds.Chain.Seconds()
	for _, s := range b.Path() {
		r := b.Runs[s.Run]
		l := b.line(&b.Cells[r.Cell])
		l.Start, l.Wall = r.Start.Seconds(), (r.End - r.Start).Seconds()
		l.Why, l.Waited = s.Why, s.Waited.Seconds()
		a.Cells = append(a.Cells, l)
	}
	return a
}

// WriteJSON writes the answer, indented.
func (a *Answer) WriteJSON(w io.Writer) error { return writeJSON(w, a) }

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// WriteText writes the answer for people.
func (a *Answer) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s, %s", a.Log, a.Started.Format("2006-01-02 15:04:05 UTC"), seconds(a.Wall))
	switch {
	case !a.Finished:
		fmt.Fprint(w, ", killed before its end")
	case a.Error != "":
		fmt.Fprint(w, ", not complete")
	}
	fmt.Fprintln(w)
	if len(a.Cells) == 0 {
		nothing := "nothing ran"
		if a.Question == "what-failed" {
			nothing = "nothing failed"
		}
		_, err := fmt.Fprintln(w, nothing)
		return err
	}
	if a.Question == "what-failed" {
		return a.failures(w)
	}
	var rows strings.Builder
	t := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', tabwriter.AlignRight) // numbers to the right, texts padded to the left
	width := 0
	for _, l := range a.Cells {
		width = max(width, len(l.Label))
	}
	path := a.Question == "critical-path"
	if path {
		fmt.Fprintf(w, "no schedule beats %s: all processes take %s at this number at once, the longest chain of needs %s\n",
			seconds(max(a.Work, a.Chain)), seconds(a.Work), seconds(a.Chain))
		fmt.Fprintf(t, "began\ttook\t%-*s\t%-36s\t\n", width, "cell", "why then")
	} else {
		fmt.Fprintf(t, "began\ttook\tCPU\tmemory\t%-*s\tbecame \t\n", width, "cell")
	}
	for _, l := range a.Cells {
		if path {
			why := map[string]string{AtStart: "nothing before it", ForNeed: "needs the one before", ForPlace: "waited for a processor", RanBefore: "killed for want of memory, again"}[l.Why]
			if l.Waited >= 0.01 && l.Why == ForPlace {
				why += " for " + seconds(l.Waited)
			}
			fmt.Fprintf(t, "%s\t%s\t%-*s\t%-36s\t\n", seconds(l.Start), seconds(l.Wall), width, l.Label, why)
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%-*s\t%-7s\t\n", seconds(l.Start), seconds(l.Wall), seconds(l.CPU), mebibytes(l.PeakRSS), width, l.Label, l.State)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(rows.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func (a *Answer) failures(w io.Writer) error {
	var err error
	for _, l := range a.Cells {
		_, err = fmt.Fprintf(w, "%s: %s\n", l.Label, strings.ReplaceAll(strings.TrimPrefix(l.Error, l.Label+": "), "\n", "\n  "))
		if l.Output != "" {
			_, err = fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(clean(l.Output), "\n", "\n  "))
		}
	}
	return err
}

// clean takes out what could drive a terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}

func seconds(s float64) string { return fmt.Sprintf("%.2fs", s) }

func mebibytes(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%dMiB", (n+1<<19)>>20)
}
