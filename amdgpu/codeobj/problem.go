package codeobj

import (
	"fmt"
	"strings"
)

// A Problem is one way in which an object is not what was asked for.
type Problem struct {
	What string // a whole sentence or its beginning: what is wrong and where
	Want string // what should be there, "" when What says it all
	Got  string // what is there, "" when What says it all
}

// String puts the parts together for people, on one line.
func (p Problem) String() string {
	switch {
	case p.Want != "" && p.Got != "":
		return fmt.Sprintf("%s: want %s, got %s", p.What, p.Want, p.Got)
	case p.Want != "":
		return fmt.Sprintf("%s: want %s", p.What, p.Want)
	case p.Got != "":
		return fmt.Sprintf("%s: got %s", p.What, p.Got)
	}
	return p.What
}

// damage is the error of Read: everything that kept the file from being read.
type damage []Problem

func (d damage) Error() string {
	lines := make([]string, len(d))
	for i, p := range d {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// problems collects.
type problems []Problem

func (ps *problems) add(format string, args ...any) {
	*ps = append(*ps, Problem{What: fmt.Sprintf(format, args...)})
}

func (ps *problems) differ(want, got any, format string, args ...any) {
	*ps = append(*ps, Problem{
		What: fmt.Sprintf(format, args...), Want: fmt.Sprint(want), Got: fmt.Sprint(got)})
}
