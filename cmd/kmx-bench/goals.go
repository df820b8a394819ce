package main

import (
	"fmt"
	"io"
)

// A goal is a number that kmx is to reach, and what was measured of it.
type goal struct {
	what      string
	most      float64
	got       float64
	precision int // digits behind the point
	unit      string
}

func (g goal) reached() bool { return g.got <= g.most }

// goals are in the order in which they were measured.
type goals []goal

// ratio adds one that has no unit.
func (l *goals) ratio(what string, most, got float64) {
	*l = append(*l, goal{what: what, most: most, got: got, precision: 3})
}

func (l *goals) megabytes(what string, most, got float64) {
	*l = append(*l, goal{what: what, most: most, got: got, precision: 1, unit: " MB"})
}

func (l *goals) count(what string, most, got int) {
	*l = append(*l, goal{what: what, most: float64(most), got: float64(got)})
}

// print writes the table that says what is reached.
func (l goals) print(w io.Writer) {
	fmt.Fprintln(w, "| goal | at most | measured | reached |")
	fmt.Fprintln(w, "|---|---|---|---|")
	missed := 0
	for _, g := range l {
		answer := "yes"
		if !g.reached() {
			answer = "**no**"
			missed++
		}
		fmt.Fprintf(w, "| %s | %.4g%s | %.*f%s | %s |\n", g.what, g.most, g.unit, g.precision, g.got, g.unit, answer)
	}
	fmt.Fprintf(w, "\n%d of %d reached\n", len(l)-missed, len(l))
}
