package ptx

// precedence of the binary operators of constant expressions.
var precedence = map[string]int{
	"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8,
	"<": 7, ">": 7, "<=": 7, ">=": 7, "==": 6, "!=": 6,
	"&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}

// operator is the operator at the position, "" when none is there. "?" counts
// as one.
func (p *parser) operator() string {
	rest := p.src[p.pos:]
	if len(rest) > 1 {
		if op := rest[:2]; precedence[op] > 0 {
			return op
		}
	}
	if len(rest) > 0 && (rest[0] == '?' || precedence[rest[:1]] > 0) {
		return rest[:1]
	}
	return ""
}

// expression reads a constant expression of operators that bind stronger than
// least; end is where its last character ends, without trivia.
func (p *parser) expression(least, depth int) (n number, end int, ok bool) {
	if depth > maxNesting {
		return n, 0, p.fail(Span{p.pos, p.pos + 1}, "a constant expression is nested too deeply", "")
	}
	start := p.pos
	n, end, ok = p.unary(depth)
	for ok {
		op := p.operator()
		if op == "?" && least == 0 {
			return p.choice(n, depth)
		}
		if op == "" || op == "?" || precedence[op] <= least {
			return n, end, true
		}
		p.pos += len(op)
		p.skip()
		var m number
		if m, end, ok = p.expression(precedence[op], depth+1); !ok {
			break
		}
		if n, ok = combine(op, n, m); !ok {
			return n, 0, p.fail(Span{start, end}, "the constant expression "+shorten(p.src[start:end])+" has no value", "")
		}
	}
	return n, end, ok
}

// choice reads ? a : b.
func (p *parser) choice(cond number, depth int) (n number, end int, ok bool) {
	p.take('?')
	a, _, ok := p.expression(0, depth+1)
	if !ok {
		return n, 0, false
	}
	if !p.take(':') {
		return n, 0, p.want(": of a conditional expression")
	}
	b, end, ok := p.expression(0, depth+1)
	if cond.bits != 0 {
		return a, end, ok
	}
	return b, end, ok
}

// unary reads a number with its signs, a cast, or an expression in
// parentheses.
func (p *parser) unary(depth int) (n number, end int, ok bool) {
	if depth > maxNesting {
		return n, 0, p.fail(Span{p.pos, p.pos + 1}, "a constant expression is nested too deeply", "")
	}
	switch c := p.peek(); {
	case class[c]&cDigit != 0:
		if n, ok = p.literal(); !ok {
			return n, 0, false
		}
		end = p.pos
		p.skip()
		return n, end, true
	case c == '-' || c == '+' || c == '!' || c == '~':
		at := p.pos
		p.take(c)
		if n, end, ok = p.unary(depth + 1); !ok {
			return n, 0, false
		}
		switch {
		case c == '-' && n.kind == F32:
			n.bits ^= 1 << 31
		case c == '-' && n.kind == F64:
			n.bits ^= 1 << 63
		case c == '-':
			n.bits = -n.bits
			n.unsigned = n.unsigned && n.bits != 1<<63
		case c == '+':
		case n.kind != Int:
			return n, 0, p.fail(Span{at, end}, string(c)+" of a floating-point number", "")
		case c == '!':
			n.bits = truth(n.bits == 0)
		default:
			n.bits = ^n.bits
		}
		return n, end, true
	case c == '(':
		p.take('(')
		cast := p.dotted()
		if cast != "" {
			if cast != "s64" && cast != "u64" {
				return n, 0, p.fail(Span{p.pos - len(cast) - 1, p.pos}, "a cast to ."+cast, "constants can be cast to .s64 and .u64")
			}
			p.skip()
			if !p.take(')') {
				return n, 0, p.want(")")
			}
			n, end, ok = p.unary(depth + 1)
			n.unsigned = cast == "u64"
			return n, end, ok
		}
		if n, _, ok = p.expression(0, depth+1); !ok {
			return n, 0, false
		}
		if p.peek() != ')' {
			return n, 0, p.want(")")
		}
		p.pos++
		end = p.pos
		p.skip()
		return n, end, true
	}
	at := p.pos
	if p.word() == "WARP_SZ" {
		end = p.pos
		p.skip()
		return number{bits: 32}, end, true
	}
	p.pos = at
	return n, 0, p.want("a number")
}
