package tex

import (
	"fmt"
	"strings"

	"kmx/cuda/ptx"
)

// DiffOptions say how much of an edit is shown.
type DiffOptions struct {
	// Context is how many lines are shown around a change.
	Context int
	// Elide is how many lines of a longer row of removed lines are shown, at
	// its beginning and its end; 0 shows all of them, and what comes out is a
	// patch.
	Elide int
}

// Diff shows a module against its edit, as a unified diff for people: r is what
// Edit made of m.
func Diff(m *ptx.Module, r *Result, o DiffOptions) string {
	if len(r.Changes) == 0 {
		return ""
	}
	d := &differ{m: m, o: o}
	fmt.Fprintf(&d.out, "--- %s\n+++ %s (edited)\n", m.Name, m.Name)
	var group []block
	for _, b := range blocks(m, r.Changes) {
		if n := len(group); n > 0 && b.from-group[n-1].to > 2*o.Context {
			d.hunk(group)
			group = nil
		}
		group = append(group, b)
	}
	d.hunk(group)
	return d.out.String()
}

// differ writes hunks.
type differ struct {
	m     *ptx.Module
	o     DiffOptions
	out   strings.Builder
	added int // lines so far, less those taken out
}

// hunk writes blocks that are near each other with their context.
func (d *differ) hunk(group []block) {
	if len(group) == 0 {
		return
	}
	var body strings.Builder
	total, _ := d.m.Line(len(d.m.Text))
	from := max(1, group[0].from-d.o.Context)
	line, old, fresh := from, 0, 0
	keep := func(to int) {
		for ; line < to && line <= total; line++ {
			if line == total && d.m.LineText(line) == "" {
				break // what follows the last line end is no line
			}
			body.WriteString(" " + d.m.LineText(line) + "\n")
			old, fresh = old+1, fresh+1
		}
	}
	var what []string
	for _, b := range group {
		keep(b.from)
		d.removed(&body, b)
		old += b.to - b.from
		line = b.to
		for _, l := range strings.SplitAfter(strings.ReplaceAll(b.text, "\r\n", "\n"), "\n") {
			if l != "" {
				body.WriteString("+" + strings.TrimSuffix(l, "\n") + "\n")
				fresh++
			}
		}
		what = append(what, b.what...)
	}
	keep(line + d.o.Context)
	fmt.Fprintf(&d.out, "@@ -%d,%d +%d,%d @@ %s\n%s", from, old, from+d.added, fresh, summary(what), body.String())
	d.added += fresh - old
}

// removed writes the lines that a block takes out.
func (d *differ) removed(to *strings.Builder, b block) {
	n := b.to - b.from
	for i := b.from; i < b.to; i++ {
		if k := i - b.from; d.o.Elide > 0 && n > 2*d.o.Elide+1 && k >= d.o.Elide && k < n-d.o.Elide {
			if k == d.o.Elide {
				fmt.Fprintf(to, "-        ... %d lines ...\n", n-2*d.o.Elide)
			}
			continue
		}
		to.WriteString("-" + d.m.LineText(i) + "\n")
	}
}

// summary is "2 stores.v2b16, round".
func summary(what []string) string {
	var names []string
	n := map[string]int{}
	for _, w := range what {
		if n[w]++; n[w] == 1 {
			names = append(names, w)
		}
	}
	for i, w := range names {
		if n[w] > 1 {
			names[i] = fmt.Sprintf("%d %s", n[w], w)
		}
	}
	return strings.Join(names, ", ")
}
