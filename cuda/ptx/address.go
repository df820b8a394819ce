package ptx

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
