package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Style is how Print looks.
type Style struct {
	Color bool
	// Source gives the bytes of a file for snippets; nil, or a nil answer,
	// means no snippet.
	Source func(file string) []byte
}

// widest is the longest snippet line in characters; longer ones are cut
// around the marked range.
const widest = 140

// Print writes the messages for people:
//
//	error: summary
//	  matrix.hcl:41:7
//	    41 |   flags = ["-O3"]
//	       |           ^^^^^^^
//	  detail
//	  with numerics = "fast", fp8 = false
//	  note: the earlier one is here
//	  matrix.hcl:12:3
//	    12 | ...
//	  hint: what to do
//
// Messages are separated by an empty line.
func Print(w io.Writer, l List, s Style) {
	p := printer{w: bufio.NewWriter(w), style: s}
	for i, m := range l {
		if i > 0 {
			p.line("")
		}
		p.message(m)
	}
	p.w.Flush()
}

type printer struct {
	w     *bufio.Writer
	style Style
}

const (
	red    = "1;31"
	yellow = "1;33"
	blue   = "34"
	cyan   = "36"
	bold   = "1"
)

func (p *printer) paint(code, text string) string {
	if !p.style.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *printer) line(s string) { p.w.WriteString(s + "\n") }

func (p *printer) message(m Message) {
	color := red
	if m.Severity == Warning {
		color = yellow
	}
	p.line(p.paint(color, m.Severity.String()+":") + " " + p.paint(bold, plain(clip(m.Summary))))
	p.place(m.Where, color)
	p.text(m.Detail)
	if len(m.Values) > 0 {
		parts := make([]string, len(m.Values))
		for i, v := range m.Values {
			parts[i] = v.Name + " = " + shorten(v.Text, 100)
		}
		p.text("with " + strings.Join(parts, ", "))
	}
	for _, n := range m.Notes {
		p.line("  " + p.paint(bold, "note:") + " " + plain(n.Text))
		p.place(n.Where, blue)
	}
	if m.Hint != "" {
		p.text(p.paint(cyan, "hint:") + " " + clip(m.Hint))
	}
}

func (p *printer) text(s string) {
	if s == "" {
		return
	}
	for line := range strings.SplitSeq(s, "\n") {
		if p.style.Color {
			p.line("  " + line) // may hold our own colour codes
		} else {
			p.line("  " + plain(line))
		}
	}
}

func (p *printer) place(r Range, color string) {
	if r.IsZero() {
		return
	}
	p.line("  " + p.paint(blue, plain(r.String())))
	if p.style.Source == nil || r.Start.Line == 0 {
		return
	}
	text, mark, ok := snippet(p.style.Source(r.File), r)
	if !ok {
		return
	}
	number := fmt.Sprintf("%5d", r.Start.Line)
	p.line("  " + p.paint(blue, number+" |") + " " + text)
	p.line("  " + p.paint(blue, strings.Repeat(" ", len(number))+" |") + " " + p.paint(color, mark))
}

// snippet is the first line of r and the marks under it. Tabs are kept in
// both, so that they line up whatever the terminal makes of a tab.
func snippet(src []byte, r Range) (text, mark string, ok bool) {
	from := r.Start.Byte
	if src == nil || from < 0 || from > len(src) {
		return "", "", false
	}
	begin := strings.LastIndexByte(string(src[:from]), '\n') + 1
	end := len(src)
	if i := strings.IndexByte(string(src[from:]), '\n'); i >= 0 {
		end = from + i
	}
	to := min(max(r.End.Byte, from+1), end)
	before, marked, after := string(src[begin:from]), string(src[from:max(from, to)]), string(src[max(from, to):end])
	after = strings.TrimRight(after, "\r")
	if len(before) > widest/2 && len(before)+len(marked)+len(after) > widest {
		before = "…" + lastRunes(before, widest/2)
	}
	marked = shorten(marked, widest/2+20)
	after = shorten(after, max(20, widest-utf8.RuneCountInString(before+marked)))
	pad := strings.Map(func(c rune) rune {
		if c == '\t' {
			return c
		}
		return ' '
	}, before)
	return plain(before + marked + after), pad + strings.Repeat("^", max(1, utf8.RuneCountInString(marked))), true
}

func lastRunes(s string, n int) string {
	r := []rune(s)
	return string(r[max(0, len(r)-n):])
}

func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}

// Plain is a text of lines without other control characters, so that what it quotes
// cannot drive the terminal.
func Plain(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = plain(line)
	}
	return strings.Join(lines, "\n")
}

// plain takes the control characters out, so that a file cannot drive the
// terminal through a message.
func plain(s string) string {
	return strings.Map(func(c rune) rune {
		if c != '\t' && unicode.IsControl(c) {
			return '?'
		}
		return c
	}, s)
}
