package ptx

import "fmt"

// operandList reads operands with commas between them onto the operand stack,
// at least one.
func (p *parser) operandList(depth int) bool {
	for n := 0; ; n++ {
		if n == maxOperands {
			return p.fail(Span{p.pos, p.pos + 1}, fmt.Sprintf("more than %d operands", maxOperands), "")
		}
		o, ok := p.operand(depth)
		if !ok {
			return false
		}
		p.operands = append(p.operands, o)
		if p.peek() != ',' {
			return true
		}
		p.take(',')
	}
}

// operand reads one operand and the trivia after it.
func (p *parser) operand(depth int) (Operand, bool) {
	start := p.pos
	if start >= len(p.src) {
		return nil, p.want("an operand")
	}
	var o Operand
	switch c := p.src[start]; {
	case class[c]&cStart != 0:
		var ok bool
		if o, ok = p.named(); !ok {
			return nil, false
		}
	case c == '{':
		v, ok := p.vector(depth + 1)
		if !ok {
			return nil, false
		}
		o = v
	case c == '[':
		return p.address(depth + 1)
	case c == '!':
		p.take('!')
		if class[p.peek()]&cStart == 0 {
			p.pos = start
			return p.constant()
		}
		x, ok := p.named()
		if !ok {
			return nil, false
		}
		return &Negated{Span{start, x.Range().End}, '!', x}, true
	case c == '-':
		p.take('-')
		if class[p.peek()]&cStart == 0 || p.word() == "WARP_SZ" {
			p.pos = start
			return p.constant()
		}
		p.pos = start
		p.take('-')
		x, ok := p.named()
		if !ok {
			return nil, false
		}
		return &Negated{Span{start, x.Range().End}, '-', x}, true
	case class[c]&cDigit != 0 || c == '(' || c == '~' || c == '+':
		return p.constant()
	default:
		return nil, p.want("an operand")
	}
	if p.peek() != '|' {
		return o, true
	}
	p.take('|')
	second, ok := p.named()
	if !ok {
		return nil, false
	}
	return &Pair{Span{start, second.Range().End}, o, second}, true
}

// constant is immediate as an Operand.
func (p *parser) constant() (Operand, bool) {
	im, ok := p.immediate()
	if !ok {
		return nil, false
	}
	return im, true
}

// named reads an operand that begins with a name: a register, a symbol with
// what is added to it, an element of an array, _, or WARP_SZ.
func (p *parser) named() (Operand, bool) {
	start := p.pos
	name := p.word()
	if name == "" {
		return nil, p.want("a register or a name")
	}
	end := p.pos
	switch name {
	case "_":
		p.skip()
		return &Sink{Span{start, end}}, true
	case "WARP_SZ":
		p.pos = start
		return p.constant()
	}
	if p.names.isRegister(name) {
		if p.peek() == '.' && p.dotted() != "" { // %tid.x, %v.y, %r1.b0
			end = p.pos
			name = p.src[start:end]
		}
		if c := p.peek(); c != ',' && c != ';' {
			p.skip()
		}
		r := p.registers.get()
		*r = Register{Span{start, end}, name}
		if p.peek() == '[' {
			return p.element(r)
		}
		return r, true
	}
	p.skip()
	s := p.symbols.get()
	*s = Symbol{Span: Span{start, end}, Name: name}
	if p.peek() == '[' {
		return p.element(s)
	}
	return s, p.addend(s)
}

// element reads [i] after the name of an array.
func (p *parser) element(base Operand) (Operand, bool) {
	p.take('[')
	var index Operand
	var ok bool
	if class[p.peek()]&cStart != 0 {
		index, ok = p.plainRegister()
	} else {
		index, ok = p.constant()
	}
	if !ok {
		return nil, false
	}
	if p.peek() != ']' {
		return nil, p.want("] after the index")
	}
	p.pos++
	e := &Element{Span{base.Range().Start, p.pos}, base, index}
	p.skip()
	return e, true
}

// plainRegister reads the name of a register and nothing more.
func (p *parser) plainRegister() (Operand, bool) {
	at := p.pos
	name := p.word()
	if name == "" || !p.names.isRegister(name) {
		p.pos = at
		return nil, p.want("a register or a number")
	}
	r := p.registers.get()
	*r = Register{Span{at, p.pos}, name}
	p.skip()
	return r, true
}

// vector reads { a, b, ... }.
func (p *parser) vector(depth int) (*Vector, bool) {
	start := p.pos
	if depth > maxNesting {
		return nil, p.fail(Span{start, start + 1}, "operands are nested too deeply", "")
	}
	p.take('{')
	mark := len(p.operands)
	ok := p.operandList(depth)
	if ok && p.peek() != '}' {
		ok = p.want(", or } in the vector")
	}
	v := p.vectors.get()
	if ok {
		p.pos++
		*v = Vector{Span{start, p.pos}, p.operandSlab.copy(p.operands[mark:])}
		p.skip()
	}
	p.operands = p.operands[:mark]
	return v, ok
}
