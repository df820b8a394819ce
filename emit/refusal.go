package emit

import (
	"fmt"
	"strings"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// Refusal is the error of Lower for a kernel with constructs that the emitter
// does not translate: all of them, in the order of the text, each with its place,
// the instruction and the reason.
type Refusal struct {
	Kernel   string // "" when every kernel of a module was asked for
	Messages diag.List
}

func (r *Refusal) Error() string {
	what := "the module"
	if r.Kernel != "" {
		what = "kernel " + r.Kernel
	}
	return fmt.Sprintf("the built-in emitter cannot translate %s:\n%s", what, r.Messages.Error())
}

// Unwrap gives the messages to errors.As.
func (r *Refusal) Unwrap() error { return r.Messages }

// refuse adds a message for a place in the module.
func (l *lowering) refuse(at ptx.Span, format string, args ...any) {
	where := l.module.Where(at)
	for _, m := range l.refused {
		if m.Where.Start.Byte == where.Start.Byte {
			return // one message for one instruction is enough
		}
	}
	l.refused = append(l.refused, diag.Message{
		Summary: fmt.Sprintf(format, args...),
		Detail:  "the line is: " + oneLine(l.module.Source(at)),
		Where:   where,
	})
}

// oneLine is source text for a comment or message: blanks collapsed, comments
// and what follows a brace left out, shortened.
func oneLine(s string) string {
	if i := strings.Index(s, "//"); i >= 0 {
		s = s[:i]
	}
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, s)), " ")
	if len(s) > 160 {
		s = s[:160] + "..."
	}
	return s
}
