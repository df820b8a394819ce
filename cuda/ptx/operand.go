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

// addend reads + n or - n after a symbol.
func (p *parser) addend(s *Symbol) bool {
	n, end, ok := p.offset()
	if ok && end > 0 {
		s.Offset, s.End = n, end
	}
	return ok
}

// offset reads + n, + -n or - n; end is 0 where neither sign is next.
func (p *parser) offset() (n int64, end int, ok bool) {
	c := p.peek()
	if c != '+' && c != '-' {
		return 0, 0, true
	}
	if c == '+' {
		p.take('+')
	}
	if d := p.peek(); class[d]&cDigit == 0 && d != '-' && d != '(' {
		return 0, 0, p.want("a number after +")
	}
	im, ok := p.immediate()
	if !ok {
		return 0, 0, false
	}
	if im.Kind != Int {
		return 0, 0, p.fail(im.Span, "the offset "+im.Text+" is no integer", "")
	}
	return int64(im.Bits), im.End, true
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

// address reads [ ... ].
func (p *parser) address(depth int) (Operand, bool) {
	start := p.pos
	if depth > maxNesting {
		return nil, p.fail(Span{start, start + 1}, "operands are nested too deeply", "")
	}
	a := p.addresses.get()
	a.Start = start
	p.take('[')
	end := 0
	ok := true
	if class[p.peek()]&cStart != 0 {
		if a.Base, ok = p.named(); !ok {
			return nil, false
		}
	}
	switch b := a.Base.(type) {
	case *Symbol:
		a.Offset, b.Offset = b.Offset, 0 // the offset is that of the address
	case *Register:
		if a.Offset, end, ok = p.offset(); !ok {
			return nil, false
		}
	case *Immediate:
		a.Base, a.Offset = nil, int64(b.Bits)
	case nil:
		im, ok := p.immediate()
		if !ok {
			return nil, false
		}
		if im.Kind != Int {
			return nil, p.fail(im.Span, "the address "+im.Text+" is no integer", "")
		}
		a.Offset = int64(im.Bits)
	}
	if end > 0 && p.peek() == '+' { // [%r1+4+8]
		return nil, p.want(", or ] of the address")
	}
	if p.peek() == ',' {
		p.take(',')
		mark := len(p.operands)
		ok := p.operandList(depth)
		a.More = p.operandSlab.copy(p.operands[mark:])
		p.operands = p.operands[:mark]
		if !ok {
			return nil, false
		}
	}
	if p.peek() != ']' {
		return nil, p.want("] of the address")
	}
	p.pos++
	a.End = p.pos
	p.skip()
	return a, true
}

// call reads the operands of a call: [(returns),] target [, (args)
// [, prototype]].
func (p *parser) call() *Call {
	c := &Call{}
	list := func(to *[]Operand, at *Span) bool {
		at.Start = p.pos
		p.take('(')
		mark := len(p.operands)
		ok := p.peek() == ')' || p.operandList(1)
		*to = p.operandSlab.copy(p.operands[mark:])
		p.operands = p.operands[:mark]
		if ok && p.peek() != ')' {
			ok = p.want(", or ) in the list of a call")
		}
		if ok {
			p.pos++
			at.End = p.pos
			p.skip()
		}
		return ok
	}
	if p.peek() == '(' {
		if !list(&c.Returns, &c.ReturnsAt) {
			return nil
		}
		if !p.take(',') {
			p.want(", after what the call returns")
			return nil
		}
	}
	o, ok := p.named()
	if !ok {
		return nil
	}
	switch o.(type) {
	case *Symbol, *Register:
	default:
		p.fail(o.Range(), "a call of what is neither a function nor a register", "")
		return nil
	}
	c.Target = o
	if !p.take(',') {
		return c
	}
	if p.peek() == '(' {
		if !list(&c.Args, &c.ArgsAt) {
			return nil
		}
		if !p.take(',') {
			return c
		}
	}
	at := p.pos
	if o, ok = p.named(); !ok {
		return nil
	}
	sym, ok := o.(*Symbol)
	if !ok {
		p.pos = at
		p.want("the label of a .callprototype or .calltargets")
		return nil
	}
	c.Prototype = sym
	return c
}
