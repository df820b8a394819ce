package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"kmx/engine"
	"kmx/internal/diag"
)

const (
	// shownLines of a tool's message are shown. A template error of clang has
	// its reason in the first few; the log has the rest.
	shownLines = 30
	// shownColumns of a line of it are shown.
	shownColumns = 300
)

// failure is what people read of a failed cell.
type failure struct {
	label  string
	what   string   // what failed, one line
	output []string // what the tool said, cut
	cut    int      // lines that are not shown
	where  diag.Range
	origin string // what the cell is made of, or ""
	log    string
	rerun  string
}

func failureOf(e engine.Event, o *Options) failure {
	what, more, _ := strings.Cut(strings.TrimPrefix(e.Error, e.Label+": "), "\n")
	f := failure{label: e.Label, what: clean(what), where: o.Declared[e.Label], log: o.Log, rerun: o.Rerun(e.Label)}
	text := e.Output
	if more != "" { // a check has several things to say
		text = more + "\n" + text
	}
	f.output, f.cut = trim(text)
	if o.Origin != nil {
		f.origin = o.Origin(e.Label)
	}
	return f
}

// said is what the tool said.
func (f failure) said() []string {
	var l []string
	for _, line := range f.output {
		l = append(l, "  | "+line)
	}
	if f.cut > 0 {
		more := fmt.Sprintf("  | ... %d more lines", f.cut)
		if f.log != "" {
			more += " in " + f.log
		}
		l = append(l, more)
	}
	return l
}

// body is the lines under the headline.
func (f failure) body() []string {
	l := f.said()
	if f.origin != "" {
		l = append(l, "  made of "+f.origin)
	}
	if !f.where.IsZero() {
		l = append(l, "  declared at "+f.where.String())
	}
	return append(l, "  again: "+f.rerun)
}

// annotations are the places that a CI shows the failure at: the line of the
// matrix, and the first line of a source that the compiler complains of.
func (f failure) annotations() diag.List {
	l := diag.List{{
		Summary: f.label + ": " + f.what,
		Detail:  strings.Join(f.output, "\n"),
		Where:   f.where,
		Hint:    f.rerun,
	}}
	for _, line := range f.output {
		if m := sourceError.FindStringSubmatch(line); m != nil {
			at := diag.Pos{}
			at.Line, _ = strconv.Atoi(m[2])
			at.Column, _ = strconv.Atoi(m[3])
			l = append(l, diag.Message{
				Summary: m[4],
				Detail:  "in " + f.label,
				Where:   diag.Range{File: m[1], Start: at, End: at},
				Hint:    f.rerun,
			})
			break
		}
	}
	return l
}

// sourceError is how clang names an error in a file of the project: paths in
// a sandbox are relative to its root.
var sourceError = regexp.MustCompile(`^([^/\s:][^\s:]*):(\d{1,7}):(\d{1,7}): (?:fatal )?error: (.*)$`)

// trim makes what a tool said fit: no control characters, and when it is long,
// from the first error on.
func trim(text string) (lines []string, cut int) {
	text = strings.TrimRight(text, " \t\r\n")
	if text == "" {
		return nil, 0
	}
	lines = strings.Split(text, "\n")
	from := 0
	if len(lines) > shownLines {
		for i, line := range lines {
			if strings.Contains(line, "error:") {
				from = min(i, len(lines)-shownLines)
				break
			}
		}
	}
	to := min(from+shownLines, len(lines))
	cut = len(lines) - (to - from)
	lines = lines[from:to]
	for i, line := range lines {
		lines[i] = clean(line)
	}
	return lines, cut
}

// clean makes a line of foreign text harmless: tabs become spaces, colour
// sequences go, other control characters show as '?'.
func clean(s string) string {
	s = colours.ReplaceAllString(strings.TrimRight(s, "\r"), "")
	if r := []rune(s); len(r) > shownColumns {
		s = string(r[:shownColumns]) + "..."
	}
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\t':
			return ' '
		case unicode.IsControl(c), c == unicode.ReplacementChar:
			return '?'
		}
		return c
	}, s)
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*[mK]")
