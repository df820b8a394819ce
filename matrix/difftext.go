package matrix

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	shownAddresses = 3  // that stand for cells which no few selectors select
	shownSets      = 12 // that stand for sets with equal changes
)

// WriteText writes the difference for people: + what is new, - what is gone,
// ~ what is different, and of which cells.
func (d *Difference) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	differ := d.Old.Cells - d.Same
	for _, f := range d.Removed {
		differ -= f.Count
	}
	fmt.Fprintf(b, "%s: %d added, %d removed, %d changed, %d the same\n",
		plural(d.New.Cells, "cell"), count(d.Added), count(d.Removed), differ, d.Same)
	if d.Old.Sets != d.New.Sets {
		fmt.Fprintf(b, "%s: there were %d\n", plural(d.New.Sets, "set"), d.Old.Sets)
	}
	heading := func(text string, n int) {
		if n > 0 {
			fmt.Fprintf(b, "\n%s\n", text)
		}
	}
	for _, part := range []struct {
		what, mark, left string
		folds            []Fold
	}{{"added", "+", "was left out by ", d.Added}, {"removed", "-", "left out by ", d.Removed}} {
		heading(part.what, len(part.folds))
		for _, f := range part.folds {
			fmt.Fprintf(b, "  %s %s\n", part.mark, f.text())
			if f.LeftOut != "" {
				fmt.Fprintf(b, "      %s%s\n", part.left, f.LeftOut)
			}
		}
	}
	heading("changed", len(d.Changed))
	for _, c := range d.Changed {
		fmt.Fprintf(b, "  %s\n      %s\n", c.text(), c.Fold.text())
	}
	heading("sets", len(d.Sets))
	var texts []string
	paths := map[string][]string{}
	for _, s := range d.Sets {
		text := s.text()
		if paths[text] == nil {
			texts = append(texts, text)
		}
		paths[text] = append(paths[text], s.Path)
	}
	for _, text := range texts {
		fmt.Fprintf(b, "  %s\n      %s\n", text, shorten(paths[text], shownSets))
	}
	heading("left out", len(d.LeftOut))
	for _, l := range d.LeftOut {
		fmt.Fprintf(b, "  %s %s: %s (%s)\n", mark(l.Op), l.Rule, counted(l.Op, l.Old, l.New, "cell"), oneLine(l.Reason))
	}
	return b.Flush()
}

func count(folds []Fold) int {
	n := 0
	for _, f := range folds {
		n += f.Count
	}
	return n
}

func mark(op string) string {
	switch op {
	case "added":
		return "+"
	case "removed":
		return "-"
	}
	return "~"
}

// counted is a number of things, or how it changed.
func counted(op string, before, after int, what string) string {
	switch {
	case op == "added":
		return plural(after, what)
	case op == "removed":
		return plural(before, what)
	case before == after:
		return plural(after, what) + ", not the same"
	}
	return fmt.Sprintf("%d -> %s", before, plural(after, what))
}

func (f *Fold) text() string {
	switch {
	case f.Count == 1:
		return f.Addresses[0]
	case len(f.Selectors) > 0:
		return fmt.Sprintf("%s: %s", plural(f.Count, "cell"), strings.Join(f.Selectors, ", "))
	}
	return fmt.Sprintf("%s: %s", plural(f.Count, "cell"), shorten(f.Addresses, shownAddresses))
}

func (c *Change) text() string {
	what := c.What
	if c.What == "sets" {
		c.Name = ""
	}
	if c.Name != "" {
		what += " " + c.Name
	}
	before, after := oneLine(strings.Join(c.Old, " ")), oneLine(strings.Join(c.New, " "))
	text := ""
	switch c.Op {
	case "added":
		text = "+ " + what + ": " + after
	case "removed":
		text = "- " + what + ": " + before
	case "moved":
		text = "~ " + what + ", order: " + before + " -> " + after
	default:
		text = "~ " + what + ": " + before + " -> " + after
	}
	switch {
	case c.Adjust != "":
		text += "  (" + c.Where + ", adjust " + strconv.Quote(c.Adjust) + ")"
	case c.Where != "":
		text += "  (" + c.Where + ")"
	case c.Was != "":
		text += "  (was " + c.Was + ")"
	}
	return text
}

// text is what happened to a set, without its path: equal for sets that
// changed in the same way.
func (s *SetChange) text() string {
	text := mark(s.Op) + " "
	if len(s.Markers) > 0 {
		text += "marker " + strings.Join(s.Markers, ", ") + ", "
	}
	if s.Old == s.New && len(s.Markers) > 0 {
		return text + plural(s.New, "kernel")
	}
	return text + counted(s.Op, s.Old, s.New, "kernel")
}
