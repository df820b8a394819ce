package tex

import (
	"cmp"
	"strings"

	"kmx/cuda/ptx"
)

// Change is one edit: Old stood at At in the module, New stands there now. Old
// is empty where something was inserted. Lines end in "\n".
type Change struct {
	// What is the count that the edit belongs to ("stores.v2b16", "round",
	// "e4m3"), "splice", "extern", or "" for what belongs to the change before.
	What     string
	At       ptx.Span
	Old, New string
}

func (e *editor) change(what string, s ptx.Span, text string) Change {
	return Change{What: what, At: s, Old: strings.ReplaceAll(e.m.Source(s), "\r\n", "\n"), New: text}
}

func byPlace(a, b Change) int {
	return cmp.Or(cmp.Compare(a.At.Start, b.At.Start), cmp.Compare(a.At.End, b.At.End))
}

// block is a row of whole lines, from inclusive and to exclusive, counted from
// 1, and what they become.
type block struct {
	from, to int
	what     []string
	text     string
}

// blocks widens changes to whole lines and joins those that share lines.
func blocks(m *ptx.Module, changes []Change) []block {
	var list []block
	end := 0 // of the module's bytes that the last block stands for
	for _, c := range changes {
		from, _ := m.Line(c.At.Start)
		to, _ := m.Line(c.At.End)
		to++
		insert := c.At.Start == c.At.End && strings.HasSuffix(c.New, "\n")
		start, _ := m.LineSpan(from, from)
		if insert && start.Start == c.At.Start {
			to = from
		}
		n := len(list)
		if n > 0 && from < list[n-1].to {
			b := &list[n-1]
			b.text = strings.TrimSuffix(b.text, m.Source(ptx.Span{Start: end, End: lineEnd(m, b.to-1)}))
			b.text += m.Source(ptx.Span{Start: end, End: c.At.Start}) + c.New
			b.to = max(b.to, to)
		} else {
			list = append(list, block{from: from, to: to, text: m.Source(ptx.Span{Start: start.Start, End: c.At.Start}) + c.New})
		}
		b := &list[len(list)-1]
		end = c.At.End
		if to > from {
			b.text += m.Source(ptx.Span{Start: end, End: lineEnd(m, b.to-1)})
		}
		if c.What != "" {
			b.what = append(b.what, c.What)
		}
	}
	for i := range list {
		list[i].trim(m)
	}
	return list
}

// trim takes off the lines at the beginning and the end that stay as they are.
func (b *block) trim(m *ptx.Module) {
	lines := strings.SplitAfter(strings.ReplaceAll(b.text, "\r\n", "\n"), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	same := func(line int, text string) bool { return m.LineText(line) == strings.TrimSuffix(text, "\n") }
	for len(lines) > 0 && b.from < b.to && same(b.from, lines[0]) {
		b.from, lines = b.from+1, lines[1:]
	}
	for len(lines) > 0 && b.from < b.to && same(b.to-1, lines[len(lines)-1]) {
		b.to, lines = b.to-1, lines[:len(lines)-1]
	}
	b.text = strings.Join(lines, "")
}

// lineEnd is where a line ends, behind its line end.
func lineEnd(m *ptx.Module, line int) int {
	s, _ := m.LineSpan(line, line)
	return s.End
}
