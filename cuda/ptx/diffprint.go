package ptx

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// renamed is a statement of a with the names that b has for its own.
func (d *differ) renamed(f flat) string {
	in, ok := f.item.(*Instruction)
	if !ok {
		return d.a.flat(f)
	}
	type piece struct {
		at   Span
		text string
	}
	var pieces []piece
	in.Walk(func(o Operand) {
		switch o := o.(type) {
		case *Register:
			base := baseName(o.Name)
			if to, ok := d.to[base]; ok {
				pieces = append(pieces, piece{Span{o.Start, o.Start + len(base)}, plain(to)})
			}
		case *Symbol:
			if to, ok := d.to[o.Name]; ok && strings.HasPrefix(d.a.m.Source(o.Span), o.Name) {
				pieces = append(pieces, piece{Span{o.Start, o.Start + len(o.Name)}, plain(to)})
			}
		}
	})
	slices.SortFunc(pieces, func(p, q piece) int { return cmp.Compare(p.at.Start, q.at.Start) })
	var b strings.Builder
	at := in.Start
	for _, p := range pieces {
		if p.at.Start < at {
			continue
		}
		b.WriteString(d.a.m.Source(Span{at, p.at.Start}))
		b.WriteString(p.text)
		at = p.at.End
	}
	b.WriteString(d.a.m.Source(Span{at, in.End}))
	return oneLine(b.String())
}

// Write prints the changed rows with up to context kept rows around them, each
// group under a line with the places in both modules.
func (c *Comparison) Write(w io.Writer, context int) error {
	near := make([]bool, len(c.Changes))
	last := -1 - context
	for i, ch := range c.Changes {
		if ch.Kind != Kept {
			last = i
		}
		near[i] = i-last <= context
	}
	last = len(c.Changes) + context
	for i := len(c.Changes) - 1; i >= 0; i-- {
		if c.Changes[i].Kind != Kept {
			last = i
		}
		near[i] = near[i] || last-i <= context
	}
	lineA, lineB := 1, 1
	for i, ch := range c.Changes {
		lineA, lineB = cmp.Or(ch.LineA, lineA), cmp.Or(ch.LineB, lineB)
		if !near[i] {
			continue
		}
		if i == 0 || !near[i-1] {
			if _, err := fmt.Fprintf(w, "@@ %s:%d %s:%d @@\n", c.nameA, lineA, c.nameB, lineB); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(w, "%c %s\n", ch.Kind, shorten(ch.Text)); err != nil {
			return err
		}
	}
	return nil
}
