package ptx

import (
	"fmt"
	"strings"
	"unsafe"

	"kmx/internal/diag"
)

// Limits of what Parse takes. Real modules are far below all of them; they
// hold memory and stack in proportion to the text.
const (
	maxText     = 1 << 30 // bytes of text
	maxErrors   = 20      // messages before parsing is given up
	maxDepth    = 200     // nesting of blocks
	maxNesting  = 16      // nesting of vectors, initialisers and expressions
	maxOperands = 1024    // operands of an instruction, elements of a vector
	maxCount    = 1 << 24 // registers of a range
	maxArray    = 1 << 40 // elements of an array
	maxQuoted   = 120     // characters of a line that a message shows
)

// Parse reads one module. name is how messages call it. The module keeps text,
// which must not change afterwards.
//
// The error is a diag.List with every problem found, up to 20, each with its
// line. The module is returned in any case and then holds the statements that
// were understood.
func Parse(name string, text []byte) (*Module, error) {
	m := &Module{Name: name, Text: text}
	if len(text) > maxText {
		return m, diag.List{{Summary: fmt.Sprintf("the module has %d bytes; at most %d are read", len(text), maxText), Where: diag.Range{File: name}}}
	}
	// Names are pieces of the text. They share its bytes instead of copying
	// them, which is why the text must not change.
	p := &parser{m: m, src: unsafe.String(unsafe.SliceData(text), len(text)), opcodes: map[string][]string{}}
	p.module()
	return m, p.errors.Err()
}

type parser struct {
	m      *Module
	src    string
	pos    int
	last   int // where the statement just read ends
	depth  int // of blocks
	errors diag.List
	given  bool // up: too many errors

	opcodes map[string][]string // the parts of every opcode seen
	names   scope

	items    []Item    // a stack: the items of the blocks being read
	operands []Operand // a stack: the operands being read

	itemSlab     slab[Item]
	operandSlab  slab[Operand]
	instructions slab[Instruction]
	registers    slab[Register]
	immediates   slab[Immediate]
	symbols      slab[Symbol]
	addresses    slab[Address]
	vectors      slab[Vector]
	guards       slab[Guard]
	labels       slab[Label]
	variables    slab[Variable]
	directives   slab[Directive]
}

// fail records a problem. It always returns false, for return p.fail(...).
func (p *parser) fail(at Span, summary, hint string) bool {
	if p.given {
		return false
	}
	if n := len(p.errors); n > 0 && p.errors[n-1].Where.Start.Byte == at.Start {
		return false
	}
	m := diag.Message{Summary: summary, Hint: hint, Where: p.m.Where(at)}
	if text := strings.TrimSpace(p.m.LineText(m.Where.Start.Line)); text != "" {
		m.Detail = "the line is: " + shorten(text)
	}
	p.errors = append(p.errors, m)
	if len(p.errors) >= maxErrors {
		p.given = true
		p.errors = append(p.errors, diag.Message{
			Summary: fmt.Sprintf("the first %d problems are shown; the rest of the module was not read", maxErrors),
			Where:   diag.Range{File: p.m.Name},
		})
	}
	return false
}

// want reports that something else was expected at the current position.
func (p *parser) want(what string) bool {
	found := p.found()
	return p.fail(Span{p.pos, p.pos + max(1, len(found))}, "expected "+what+", found "+found, "")
}

// found is what stands at the current position, for messages.
func (p *parser) found() string {
	if p.pos >= len(p.src) {
		return "the end of the text"
	}
	i := p.pos
	if p.src[i] == '.' || p.src[i] == '%' {
		i++
	}
	for i < len(p.src) && i < p.pos+40 && class[p.src[i]]&(cWord) != 0 {
		i++
	}
	if i == p.pos {
		i++
	}
	s := p.src[p.pos:i]
	if s[0] < ' ' || s[0] > '~' {
		return fmt.Sprintf("the byte 0x%02x", s[0])
	}
	return s
}

// Where is the place of a span for messages of other packages.
func (m *Module) Where(s Span) diag.Range {
	return diag.Range{File: m.Name, Start: m.position(s.Start), End: m.position(s.End)}
}

func (m *Module) position(offset int) diag.Pos {
	l, c := m.Line(offset)
	return diag.Pos{Line: l, Column: c, Byte: offset}
}

func shorten(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
	if r := []rune(s); len(r) > maxQuoted {
		return string(r[:maxQuoted]) + "…"
	}
	return s
}

// module reads the text to its end.
func (p *parser) module() {
	p.skip()
	for p.pos < len(p.src) && !p.given {
		start := p.pos
		if !p.topLevel() {
			p.recover(start, true)
		}
	}
	p.m.Items = append([]Item(nil), p.items...)
}

// recover goes on after the statement that began at start and failed at the
// position: after its semicolon, before a brace that closes the block around
// it; at module scope after its braces or before the next directive on a line
// of its own.
func (p *parser) recover(start int, top bool) {
	failed := p.pos
	p.pos = start
	vectors, blocks := 0, 0 // braces open from before and from behind the failure
	for ; p.pos < len(p.src); p.skip() {
		switch c := p.src[p.pos]; {
		case c == ';' && p.pos >= failed && blocks == 0:
			p.pos++
			p.skip()
			return
		case c == '{' && p.pos < failed:
			vectors++
		case c == '{':
			blocks++
		case c == '}' && blocks > 0:
			if blocks--; blocks == 0 && top {
				p.pos++
				p.skip()
				return
			}
		case c == '}' && vectors > 0:
			vectors--
		case c == '}' && !top:
			return
		case c == '"':
			if end := strings.IndexAny(p.src[p.pos+1:], "\"\n"); end >= 0 {
				p.pos += end + 1
			}
		case c == '.' && top && blocks == 0 && p.pos > failed && p.lineStart():
			return
		}
		p.pos++
	}
}

// lineStart reports whether nothing but blanks stands before the position on
// its line.
func (p *parser) lineStart() bool {
	for i := p.pos - 1; i >= 0 && p.src[i] != '\n'; i-- {
		if class[p.src[i]]&cSpace == 0 {
			return false
		}
	}
	return true
}
