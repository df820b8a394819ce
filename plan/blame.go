package plan

import (
	"kmx/internal/diag"
	"kmx/matrix"
)

// Blame is one word of a cell's command with what put it there.
type Blame struct {
	Text string
	// What names it: "toolchain hip flags", "family k defines", "target
	// gfx1201", or "kind clang" for the mechanism.
	What string
	// Adjust is the reason of the adjust that put it there, or "".
	Adjust string
	// Where is the list element or entry where the matrix writes it out, the
	// expression otherwise; zero for the mechanism.
	Where diag.Range
	// Reads is what the place and the conditions around it read, as written;
	// Variables are the variables among that.
	Reads     []string
	Variables []*matrix.Variable
	// Env marks an entry NAME=value of the environment.
	Env bool
}

// BlameCell explains every word of the command of c, the symbolic tool first,
// then what its environment holds.
func BlameCell(c *matrix.Cell, m *matrix.Matrix) []Blame {
	origins := NewOrigins(m)
	var out []Blame
	add := func(text string, from matrix.Origin, env bool) {
		out = append(out, Blame{
			Text: text, What: from.What, Adjust: from.Adjust, Where: from.Range,
			Reads: from.Reads, Variables: origins.Variables(from), Env: env,
		})
	}
	for _, t := range Command(c) {
		add(t.Text, t.From, false)
	}
	for _, t := range m.Toolchains {
		if t.Name == c.Toolchain && len(out) > 0 && out[0].Where.IsZero() {
			out[0].Where = t.Declared
		}
	}
	for _, e := range c.Env {
		add(e.Name+"="+e.Value, e.From, true)
	}
	return out
}
