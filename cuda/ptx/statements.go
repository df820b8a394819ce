package ptx

import (
	"strings"

	"kmx/internal/diag"
)

// topLevel reads one statement of module scope.
func (p *parser) topLevel() bool {
	switch c := p.peek(); {
	case c == '.':
		return p.directiveOrDeclaration(true)
	case c == ';': // an empty statement, as after a function: part of what is before it
		return p.fail(Span{p.pos, p.pos + 1}, "a semicolon stands alone", "take it out")
	case c == '}':
		return p.fail(Span{p.pos, p.pos + 1}, "a closing brace without an opening one", "")
	}
	return p.want("a directive: instructions stand in functions only")
}

// block reads { ... }; the opening brace is next.
func (p *parser) block() *Block {
	b := &Block{Span: Span{Start: p.pos}}
	if p.depth >= maxDepth {
		p.fail(Span{p.pos, p.pos + 1}, "blocks are nested too deeply", "")
		p.given = true
		return nil
	}
	p.depth++
	mark, first := p.names.mark(), len(p.items)
	p.pos++
	p.skip()
	for !p.given {
		if p.pos >= len(p.src) {
			p.fail(b.Span, "the block that begins here has no end", "add the } that is missing")
			break
		}
		if p.src[p.pos] == '}' {
			p.pos++
			break
		}
		start := p.pos
		if !p.statement() {
			p.recover(start, false)
		}
	}
	b.End = p.pos
	p.skip()
	b.Items = p.itemSlab.copy(p.items[first:])
	clear(p.items[first:])
	p.items = p.items[:first]
	p.names.leave(mark)
	p.depth--
	return b
}

// statement reads one statement of a block.
func (p *parser) statement() bool {
	start := p.pos
	switch c := p.src[start]; {
	case class[c]&cStart != 0:
		name := p.word()
		if name == "" {
			return p.want("an instruction or a label")
		}
		end := p.pos
		p.skip()
		if p.peek() == ':' && name != "_" && !strings.HasPrefix(p.src[p.pos:], "::") {
			l := p.labels.get()
			*l = Label{Span{start, p.pos + 1}, name, Span{start, end}}
			p.pos++
			p.skip()
			p.items = append(p.items, l)
			return true
		}
		p.pos = end
		return p.instruction(start, start, nil)
	case c == '@':
		g := p.guards.get()
		p.pos++
		p.skip()
		g.Negated = p.take('!')
		at := p.pos
		name := p.word()
		if name == "" || !p.names.isRegister(name) {
			p.pos = at
			return p.want("the predicate register of the guard")
		}
		r := p.registers.get()
		*r = Register{Span{at, p.pos}, name}
		*g = Guard{Span{start, p.pos}, g.Negated, r}
		p.skip()
		at = p.pos
		if p.word() == "" {
			return p.want("an instruction after the guard")
		}
		return p.instruction(start, at, g)
	case c == '.':
		return p.directiveOrDeclaration(false)
	case c == '{':
		b := p.block()
		if b == nil {
			return false
		}
		p.items = append(p.items, b)
		return true
	case c == ';':
		return p.fail(Span{start, start + 1}, "a semicolon stands alone", "take it out")
	}
	return p.want("an instruction, a label or a directive")
}

// instruction reads what follows the first word of an opcode, which began at
// opcode and ends at the position; start is that of the guard.
func (p *parser) instruction(start, opcode int, g *Guard) bool {
	src, i := p.src, p.pos
	for i < len(src) && (class[src[i]]&cWord != 0 || src[i] == '.' || src[i] == ':') {
		i++
	}
	p.pos = i
	name := src[opcode:i]
	at := Span{opcode, i}
	parts, ok := p.opcodes[name]
	if !ok {
		if parts = splitOpcode(name); parts == nil {
			p.pos = opcode
			return p.fail(at, "malformed opcode "+name, "")
		}
		p.opcodes[name] = parts
	}
	p.skip()
	for p.peek() == '.' { // modifiers may stand apart from their opcode
		w := p.dotted()
		if w == "" {
			return p.want("a modifier of the opcode")
		}
		at.End = p.pos
		name += "." + w
		parts = append(parts[:len(parts):len(parts)], w)
		p.skip()
	}
	in := p.instructions.get()
	*in = Instruction{Guard: g, Opcode: name, OpcodeAt: at, Parts: parts}
	if parts[0] == "call" {
		if in.Call = p.call(); in.Call == nil {
			return false
		}
	} else if c := p.peek(); c != ';' && c != '}' {
		first := len(p.operands)
		ok := p.operandList(0)
		if ok {
			in.Operands = p.operandSlab.copy(p.operands[first:])
		}
		p.operands = p.operands[:first]
		if !ok {
			return false
		}
	}
	in.Span = Span{start, p.pos}
	after := "the operands of "
	if in.Call == nil && len(in.Operands) == 0 {
		after = ""
	}
	if !p.semicolon(after, parts[0]) {
		return false
	}
	in.End = p.last
	p.items = append(p.items, in)
	return true
}

// splitOpcode is nil for what is no opcode.
func splitOpcode(name string) []string {
	parts := strings.Split(name, ".")
	for _, w := range parts {
		rest := strings.ReplaceAll(w, "::", "")
		if rest == "" || strings.ContainsAny(rest, ":$%") || strings.HasPrefix(w, ":") || strings.HasSuffix(w, ":") {
			return nil
		}
	}
	return parts
}

// semicolon passes the semicolon at the end of a statement. Where it is
// missing and a new line begins, the statement is taken as complete, so that
// one slip is one message.
func (p *parser) semicolon(after, name string) bool {
	if p.peek() == ';' {
		p.pos++
		p.last = p.pos
		p.skip()
		return true
	}
	end := p.pos
	for end > 0 && class[p.src[end-1]]&cSpace != 0 {
		end--
	}
	newLine := strings.Contains(p.src[end:p.pos], "\n") || p.peek() == '}'
	if !newLine {
		return p.want("; or , after " + after + name)
	}
	p.last = end
	p.fail(Span{end, end + 1}, "expected ; after "+after+name+", found the end of the line", "")
	return true
}

// directiveOrDeclaration reads a statement that begins with a dot.
func (p *parser) directiveOrDeclaration(top bool) bool {
	start := p.pos
	linkage := ""
	for {
		at := p.pos
		name := p.dotted()
		span := Span{at, p.pos}
		p.skip()
		switch {
		case name == "":
			return p.want("a directive")
		case linkages[name]:
			if linkage != "" {
				return p.fail(span, "."+linkage+" and ."+name+" in one declaration", "")
			}
			if !top && name != "extern" && name != "visible" && name != "weak" {
				return p.fail(span, "."+name+" within a function", "")
			}
			linkage = name
			if p.peek() == '.' {
				continue
			}
			return p.want(".func, .entry or a state space after ." + linkage)
		case name == "func" || name == "entry":
			if !top {
				return p.fail(span, "."+name+" within a function", "is the } of the function before it missing?")
			}
			return p.function(start, linkage, name == "entry")
		case stateSpaces[name]:
			return p.variable(start, linkage, name)
		case linkage != "":
			return p.fail(span, "unknown directive ."+name+" after ."+linkage, diag.DidYouMean("."+name, directiveNames()))
		}
		if _, known := plainDirectives[name]; known {
			return p.directive(start, name, top)
		}
		if _, header := headerDirectives[name]; header {
			return p.fail(span, "."+name+" stands alone", "it belongs between the parameters of a function and its body")
		}
		return p.fail(span, "unknown directive ."+name, diag.DidYouMean("."+name, directiveNames()))
	}
}
