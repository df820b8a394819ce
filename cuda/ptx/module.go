package ptx

import (
	"slices"
	"sort"
	"sync"
	"unicode/utf8"
)

// Module is one parsed module. Text is the text it was made from and must not
// be changed.
type Module struct {
	Name    string // of the file, for messages
	Text    []byte
	Version string // "7.5"; "" where the directive is missing
	Target  string // "sm_80": the first word of .target
	// AddressSize is 32 or 64; 0 where the directive is missing.
	AddressSize int
	Items       []Item

	functions []*Function
	linesOnce sync.Once
	lines     []int32 // where every line begins
}

// Print is the text of the module, byte for byte what Parse was given.
func (m *Module) Print() []byte { return slices.Clone(m.Text) }

// Source is the text of a span.
func (m *Module) Source(s Span) string {
	if s.Start < 0 || s.End > len(m.Text) || s.Start > s.End {
		return ""
	}
	return string(m.Text[s.Start:s.End])
}

// Line gives the place of a byte of the text. Both count from 1; columns
// count characters.
func (m *Module) Line(offset int) (line, column int) {
	offset = min(max(offset, 0), len(m.Text))
	m.linesOnce.Do(m.findLines)
	line = sort.Search(len(m.lines), func(i int) bool { return int(m.lines[i]) > offset })
	return line, utf8.RuneCount(m.Text[m.lines[line-1]:offset]) + 1
}

// LineText is the text of a line without its line end; lines count from 1.
func (m *Module) LineText(line int) string {
	m.linesOnce.Do(m.findLines)
	if line < 1 || line > len(m.lines) {
		return ""
	}
	end := len(m.Text)
	if line < len(m.lines) {
		end = int(m.lines[line]) - 1
	}
	start := int(m.lines[line-1])
	if end > start && m.Text[end-1] == '\r' {
		end--
	}
	return string(m.Text[start:end])
}

// LineSpan is the span of the lines from..to, both inclusive and counted from
// 1, with the line end of the last. ok is false when the module has no such
// lines.
func (m *Module) LineSpan(from, to int) (s Span, ok bool) {
	m.linesOnce.Do(m.findLines)
	if from < 1 || to < from || to > len(m.lines) {
		return Span{}, false
	}
	s = Span{int(m.lines[from-1]), len(m.Text)}
	if to < len(m.lines) {
		s.End = int(m.lines[to])
	}
	return s, true
}

func (m *Module) findLines() {
	n := 1
	for _, c := range m.Text {
		if c == '\n' {
			n++
		}
	}
	m.lines = make([]int32, 1, n)
	for i, c := range m.Text {
		if c == '\n' {
			m.lines = append(m.lines, int32(i+1))
		}
	}
}

// Newline is the line end of the module: that of its first line, "\n" where
// there is none.
func (m *Module) Newline() string {
	if i := slices.Index(m.Text, '\n'); i > 0 && m.Text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// Functions are the functions in the order of the text, declarations
// included.
func (m *Module) Functions() []*Function { return m.functions }

// Function is the function of that name: its definition, or a declaration
// where the module has no definition; nil where it has neither.
func (m *Module) Function(name string) *Function {
	var found *Function
	for _, f := range m.functions {
		if f.Name != name {
			continue
		}
		if f.Body != nil {
			return f
		}
		if found == nil {
			found = f
		}
	}
	return found
}

// Entries are the functions that are kernels and have a body.
func (m *Module) Entries() []*Function {
	var list []*Function
	for _, f := range m.functions {
		if f.Entry && f.Body != nil {
			list = append(list, f)
		}
	}
	return list
}

// Variables are the variables of module scope.
func (m *Module) Variables() []*Variable {
	var list []*Variable
	for _, it := range m.Items {
		if v, ok := it.(*Variable); ok {
			list = append(list, v)
		}
	}
	return list
}
