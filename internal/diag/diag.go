// Package diag is how kmx tells people that something is wrong: messages with
// a place, the values in play, the other place where one exists and a hint;
// nearest names for words nobody knows; and the exit code of each class of
// failure.
//
// A message answers four questions in this order: what is wrong (Summary),
// where (Where), why (Detail, Values, Notes), and what to do next (Hint).
// Code that reads something people wrote returns its partial result and a
// List with every problem it found, never just the first.
//
// The package knows nothing of the rest of kmx, of HCL or of terminals: it
// neither decides whether to colour nor where output goes.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a message stops the run.
type Severity int

const (
	// Error stops the run once everything else has been looked at.
	Error Severity = iota
	// Warning is printed and otherwise ignored.
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Pos is a place in a file. Line and Column count from 1, Column in
// characters as people see them; Byte counts from 0.
type Pos struct{ Line, Column, Byte int }

// Range is a stretch of a file, End exclusive. File is a slash-separated path
// relative to the project root. The zero Range means "no place"; a Range with
// only a File means the file as a whole.
type Range struct {
	File       string
	Start, End Pos
}

// IsZero reports whether r names no place.
func (r Range) IsZero() bool { return r.File == "" }

// String is "file:line:column", or just the file, or "".
func (r Range) String() string {
	if r.File == "" || r.Start.Line == 0 {
		return r.File
	}
	return fmt.Sprintf("%s:%d:%d", r.File, r.Start.Line, r.Start.Column)
}

// Value is a value in play: a variable, an axis of the cell, an attribute.
type Value struct{ Name, Text string }

// Note is the other place of a message: the earlier definition, the second
// object of that name. Text may stand without a place.
type Note struct {
	Where Range
	Text  string
}

// Message is one problem.
type Message struct {
	Severity Severity
	Summary  string // one line, lower-case, no full stop
	Detail   string // optional, may have several lines
	Where    Range
	Values   []Value
	Notes    []Note
	Hint     string // what to do next
}

// String is the message on one line, without snippet, values and notes.
func (m Message) String() string {
	var b strings.Builder
	if at := m.Where.String(); at != "" {
		b.WriteString(at + ": ")
	}
	if m.Severity == Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(clip(m.Summary))
	if m.Hint != "" {
		b.WriteString(" (" + clip(m.Hint) + ")")
	}
	return b.String()
}

// List is every problem of a run.
type List []Message

// Error joins the messages, one line each. A List is an error only by
// interface: return Err() where an error is wanted, since an empty List is
// not nil as an error.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, m := range l {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// Err is nil unless the list has errors.
func (l List) Err() error {
	if l.HasErrors() {
		return l
	}
	return nil
}

// HasErrors reports whether any message is an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(m Message) bool { return m.Severity == Error })
}

// Sort orders by place, then severity, then summary; messages without a place
// come last, in the order they were added.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Message) int {
		if a.Where.IsZero() || b.Where.IsZero() {
			switch {
			case a.Where.IsZero() && b.Where.IsZero():
				return 0
			case a.Where.IsZero():
				return 1
			}
			return -1
		}
		return cmp.Or(
			cmp.Compare(a.Where.File, b.Where.File),
			cmp.Compare(a.Where.Start.Line, b.Where.Start.Line),
			cmp.Compare(a.Where.Start.Column, b.Where.Start.Column),
			cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(a.Summary, b.Summary),
		)
	})
}
