package ptx

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
