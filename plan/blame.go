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
// then what its environment holds. Of a cell that is made of a library's code it
// is the command of the emitter; the commands of its helpers come before it.
func BlameCell(c *matrix.Cell, m *matrix.Matrix, emitter string) []Blame {
	origins := NewOrigins(m)
	var out []Blame
	add := func(text string, from matrix.Origin, env bool) {
		out = append(out, Blame{
			Text: text, What: from.What, Adjust: from.Adjust, Where: from.Range,
			Reads: from.Reads, Variables: origins.Variables(from), Env: env,
		})
	}
	command, env := Command(c), c.Env
	if isRecipe(c) {
		for _, b := range c.Bitcode {
			first := len(out)
			for _, t := range BitcodeCommand(c, b) {
				add(t.Text, t.From, false)
			}
			declaredAt(out[first:], b.Toolchain, m)
		}
		command, env = EmitCommand(c, emitter), emitEnv(c, emitter)
	}
	first := len(out)
	for _, t := range command {
		add(t.Text, t.From, false)
	}
	declaredAt(out[first:], c.Toolchain, m)
	for _, e := range env {
		add(e.Name+"="+e.Value, e.From, true)
	}
	return out
}

// declaredAt gives the tool of a command the place of its toolchain.
func declaredAt(command []Blame, toolchain string, m *matrix.Matrix) {
	for _, t := range m.Toolchains {
		if t.Name == toolchain && len(command) > 0 && command[0].Where.IsZero() {
			command[0].Where = t.Declared
		}
	}
}
