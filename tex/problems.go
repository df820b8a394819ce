package tex

import (
	"fmt"
	"strings"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// problems collects what is wrong with one kernel. Every message begins with
// the kernel's name and has the module's in its place.
type problems struct {
	kernel, recipe string
	m              *ptx.Module
	list           diag.List
}

// maxPlaces is how many places one message lists; a loop over thousands of
// statements must not give thousands of notes.
const maxPlaces = 4

func (p *problems) add(m diag.Message) *diag.Message {
	m.Summary = p.kernel + ": " + m.Summary
	m.Values = append(m.Values, diag.Value{Name: "recipe", Text: p.recipe})
	p.list = append(p.list, m)
	return &p.list[len(p.list)-1]
}

// nowhere is a problem of the request.
func (p *problems) nowhere(summary, hint string) {
	m := diag.Message{Summary: summary, Hint: hint}
	if p.m != nil {
		m.Where.File = p.m.Name
	}
	p.add(m)
}

// at is a problem at a statement of the kernel, which the message quotes.
func (p *problems) at(s ptx.Span, summary, hint string) *diag.Message {
	return p.add(diag.Message{Summary: summary, Hint: hint, Where: p.m.Where(s), Detail: "the statement is: " + oneLine(p.m.Source(s), 160)})
}

// places is a problem with several places; where names what is there.
func (p *problems) places(fallback ptx.Span, places []ptx.Span, where, summary, hint string) *diag.Message {
	m := diag.Message{Summary: summary, Hint: hint, Where: p.m.Where(fallback)}
	for i, s := range places {
		if i == maxPlaces {
			m.Notes = append(m.Notes, diag.Note{Text: fmt.Sprintf("and %d more", len(places)-i)})
			break
		}
		m.Notes = append(m.Notes, diag.Note{Where: p.m.Where(s), Text: where + ": " + oneLine(p.m.Source(s), 120)})
	}
	return p.add(m)
}

// internal is a fault of this package, not of its input.
func (p *problems) internal(summary string, err error) {
	m := diag.Message{Summary: summary, Where: diag.Range{File: p.m.Name}, Hint: "this is a fault of kmx: please report it with the kernel's name and the library's version"}
	if err != nil {
		m.Detail = err.Error()
	}
	p.add(m)
}

// oneLine is source text on one line, at most n characters of it.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// also adds a line to what a message says about its cause.
func also(m *diag.Message, format string, a ...any) {
	m.Detail += "\n" + fmt.Sprintf(format, a...)
}

// plural is "1 thing" or "n things".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
