package ptx

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kmx/internal/diag"
)

// Edit replaces the bytes of a span by a text. An empty span inserts, an empty
// text deletes. Lines of Text end in "\n" whatever the module has.
type Edit struct {
	Span
	Text string
}

// Apply is the text of the module after the edits, which may come in any
// order. Line ends in them become those of the module. Insertions at one place
// keep their order and stand before a replacement that begins there.
//
// Edits that overlap or lie outside of the text are errors, all of them in one
// diag.List.
func (m *Module) Apply(edits []Edit) ([]byte, error) {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	var bad diag.List
	newline := m.Newline()
	size, at, last := len(m.Text), 0, Span{}
	for _, e := range sorted {
		switch {
		case e.Start < 0 || e.End < e.Start || e.End > len(m.Text):
			bad = append(bad, diag.Message{Where: diag.Range{File: m.Name},
				Summary: fmt.Sprintf("an edit of the bytes %d to %d of a text of %d bytes", e.Start, e.End, len(m.Text))})
			continue
		case e.Start < at:
			bad = append(bad, diag.Message{Where: m.Where(e.Span),
				Summary: fmt.Sprintf("two edits overlap: %s and %s", shorten(oneLine(m.Source(last))), shorten(oneLine(m.Source(e.Span)))),
				Notes:   []diag.Note{{Where: m.Where(last), Text: "the other edit"}}})
		}
		at, last = max(at, e.End), e.Span
		size += len(e.Text) - (e.End - e.Start) + strings.Count(e.Text, "\n")*(len(newline)-1)
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Grow(size)
	at = 0
	for _, e := range sorted {
		out.Write(m.Text[at:e.Start])
		out.WriteString(withNewline(e.Text, newline))
		at = e.End
	}
	out.Write(m.Text[at:])
	return out.Bytes(), nil
}

// withNewline gives every line of text the line end newline.
func withNewline(text, newline string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if newline == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", newline)
}
