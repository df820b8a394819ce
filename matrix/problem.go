package matrix

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"kmx/internal/diag"
)

// problem is a message under construction: the same mistake found again, in
// another cell or through another group, is counted and not repeated.
type problem struct {
	diag.Message
	cells int
	last  *Cell // the cell counted last
}

func (p *problem) hint(format string, args ...any) *problem {
	if s := fmt.Sprintf(format, args...); s != "" && p.Hint == "" {
		p.Hint = s
	}
	return p
}

func (p *problem) detail(format string, args ...any) *problem {
	p.Detail = fmt.Sprintf(format, args...)
	return p
}

func (p *problem) note(where diag.Range, format string, args ...any) *problem {
	text := fmt.Sprintf(format, args...)
	for _, n := range p.Notes {
		if n.Where == where && n.Text == text {
			return p
		}
	}
	p.Notes = append(p.Notes, diag.Note{Where: where, Text: text})
	return p
}

// didYouMean hints at the nearest names, or lists them all when they are few.
func (p *problem) didYouMean(word string, known []string) *problem {
	if s := diag.DidYouMean(word, known); s != "" {
		return p.hint("%s", s)
	}
	if len(known) > 0 && len(known) <= 12 {
		return p.hint("known here: %s", strings.Join(known, ", "))
	}
	return p
}

func (p *problem) count(c *Cell) {
	if p.last != c {
		p.last = c
		p.cells++
	}
}

type problemKey struct {
	where   diag.Range
	summary string
}

// problems collects what is wrong.
type problems struct {
	list  []*problem
	index map[problemKey]*problem
	// broken is the top-level items with syntax errors: what else is said
	// about them is hidden, and so is that what they declare does not exist.
	broken []chunk
}

func newProblems() *problems { return &problems{index: map[problemKey]*problem{}} }

// add adds a message, or finds the one that says the same at the same place.
func (ps *problems) add(m diag.Message) *problem {
	key := problemKey{m.Where, m.Summary}
	if p := ps.index[key]; p != nil && !m.Where.IsZero() {
		return p
	}
	p := &problem{Message: m}
	for _, c := range ps.broken {
		if m.Where.File == c.file && m.Where.Start.Line > 0 && m.Where.Start.Byte >= c.start && m.Where.Start.Byte < c.end {
			return p
		}
	}
	ps.list = append(ps.list, p)
	ps.index[key] = p
	return p
}

func (ps *problems) errorf(where diag.Range, format string, args ...any) *problem {
	return ps.add(diag.Message{Where: where, Summary: fmt.Sprintf(format, args...)})
}

// messages is the list, sorted by place.
func (ps *problems) messages() diag.List {
	var l diag.List
	for _, p := range ps.list {
		m := p.Message
		if p.cells > 1 {
			m.Detail = strings.TrimPrefix(m.Detail+fmt.Sprintf("\nthe same in %d cells", p.cells), "\n")
		}
		l = append(l, m)
	}
	l.Sort()
	return l
}

func (ps *problems) hasErrors() bool {
	for _, p := range ps.list {
		if p.Severity == diag.Error {
			return true
		}
	}
	return false
}

func toRange(r hcl.Range) diag.Range {
	return diag.Range{
		File:  r.Filename,
		Start: diag.Pos{Line: r.Start.Line, Column: r.Start.Column, Byte: r.Start.Byte},
		End:   diag.Pos{Line: r.End.Line, Column: r.End.Column, Byte: r.End.Byte},
	}
}

// fromHCL is HCL's message in our form: a lower-case summary, no full stop.
func fromHCL(d *hcl.Diagnostic) diag.Message {
	m := diag.Message{Summary: lowerFirst(d.Summary), Detail: strings.TrimSuffix(lowerFirst(d.Detail), ".")}
	if d.Severity == hcl.DiagWarning {
		m.Severity = diag.Warning
	}
	if d.Subject != nil {
		m.Where = toRange(*d.Subject)
	}
	return m
}

func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	next, _ := utf8.DecodeRuneInString(s[n:])
	if unicode.IsUpper(next) {
		return s // an acronym
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// lostKind reports whether a block of a kind may be missing because of a
// syntax error.
func (ps *problems) lostKind(kind string) bool {
	for _, c := range ps.broken {
		if c.kind == "" || c.kind == kind {
			return true
		}
	}
	return false
}

// lost reports whether a name may be missing because of a syntax error: its
// kind has a block with one.
func (ps *problems) lost(noun, name string) bool {
	for _, c := range ps.broken {
		switch {
		case c.kind == "locals" && noun == "local", c.kind == "":
			return true
		case c.kind == noun && (c.label == name || c.label == ""):
			return true
		}
	}
	return false
}
