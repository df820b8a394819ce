package ptx

import (
	"strings"
)

// elements reads { a, b, ... } of an initialiser onto the operand stack and
// leaves its end in last.
func (p *parser) elements(depth int) bool {
	p.take('{')
	for comma := false; comma || p.peek() != '}'; {
		o, ok := p.initialiser(depth + 1)
		if !ok {
			return false
		}
		p.operands = append(p.operands, o)
		if comma = p.take(','); !comma {
			break
		}
	}
	if p.peek() != '}' {
		return p.want(", or } in the initialiser")
	}
	p.pos++
	p.last = p.pos
	p.skip()
	return true
}

// initialiser reads one value: a constant, the address of a symbol, generic()
// or masked, a property of a sampler, or values in braces.
func (p *parser) initialiser(depth int) (Operand, bool) {
	if depth > maxNesting {
		return nil, p.fail(Span{p.pos, p.pos + 1}, "initialisers are nested too deeply", "")
	}
	start := p.pos
	if p.peek() == '{' {
		mark := len(p.operands)
		if !p.elements(depth) {
			return nil, false
		}
		v := p.vectors.get()
		*v = Vector{Span{start, p.last}, p.operandSlab.copy(p.operands[mark:])}
		p.operands = p.operands[:mark]
		return v, true
	}
	if c := p.peek(); class[c]&cStart == 0 {
		if class[c]&cDigit == 0 && strings.IndexByte("-+!~(", c) < 0 {
			return nil, p.want("a value")
		}
		im, ok := p.immediate()
		if !ok {
			return nil, false
		}
		if p.peek() != '(' || im.Kind != Int {
			return im, true
		}
		sym, ok := p.wrapped()
		if !ok {
			return nil, false
		}
		sym.Start, sym.Mask = start, im.Bits
		return sym, true
	}
	name, at := p.ident()
	switch {
	case name == "":
		return nil, p.want("a value")
	case name == "WARP_SZ":
		p.pos = start
		im, ok := p.immediate()
		return im, ok
	case name == "generic" && p.peek() == '(':
		sym, ok := p.wrapped()
		if !ok {
			return nil, false
		}
		sym.Start, sym.Generic = start, true
		return sym, p.addend(sym)
	case p.peek() == '=':
		p.take('=')
		v, ok := p.initialiser(depth + 1)
		if !ok {
			return nil, false
		}
		return &Property{Span{start, v.Range().End}, name, v}, true
	}
	sym := p.symbols.get()
	*sym = Symbol{Span: at, Name: name}
	return sym, p.addend(sym)
}

// wrapped reads ( symbol [+ n] ).
func (p *parser) wrapped() (*Symbol, bool) {
	p.take('(')
	name, at := p.ident()
	if name == "" {
		return nil, p.want("the name of a variable")
	}
	sym := p.symbols.get()
	*sym = Symbol{Span: at, Name: name}
	if !p.addend(sym) {
		return nil, false
	}
	if p.peek() != ')' {
		return nil, p.want(")")
	}
	p.pos++
	sym.End = p.pos
	p.skip()
	return sym, true
}
