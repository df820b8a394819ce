package ptx

import "math"

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

// combine computes n op m; ok is false for a division by zero and for
// operators that floating-point numbers do not have.
func combine(op string, n, m number) (r number, ok bool) {
	if n.kind != Int || m.kind != Int {
		return combineFloat(op, n, m)
	}
	r.unsigned = n.unsigned || m.unsigned
	a, b := n.bits, m.bits
	less := int64(a) < int64(b)
	if r.unsigned {
		less = a < b
	}
	switch op {
	case "*":
		r.bits = a * b
	case "/", "%":
		if b == 0 {
			return r, false
		}
		r.bits = divide(op == "%", r.unsigned, a, b)
	case "+":
		r.bits = a + b
	case "-":
		r.bits = a - b
	case "<<":
		r.bits, r.unsigned = a<<min(b, 64), n.unsigned
	case ">>":
		r.bits, r.unsigned = uint64(int64(a)>>min(b, 63)), n.unsigned
		if n.unsigned {
			r.bits = a >> min(b, 64)
		}
	case "&":
		r.bits = a & b
	case "|":
		r.bits = a | b
	case "^":
		r.bits = a ^ b
	default:
		return number{bits: compare(op, a == b, less, a != 0, b != 0)}, true
	}
	return r, true
}

func divide(rest, unsigned bool, a, b uint64) uint64 {
	switch {
	case unsigned && rest:
		return a % b
	case unsigned:
		return a / b
	case int64(b) == -1: // the one quotient that overflows wraps
		if rest {
			return 0
		}
		return -a
	case rest:
		return uint64(int64(a) % int64(b))
	}
	return uint64(int64(a) / int64(b))
}

func combineFloat(op string, n, m number) (r number, ok bool) {
	a, b := n.float(), m.float()
	switch op {
	case "*":
		a *= b
	case "/":
		a /= b
	case "+":
		a += b
	case "-":
		a -= b
	case "%", "<<", ">>", "&", "|", "^":
		return r, false
	default:
		return number{bits: compare(op, a == b, a < b, a != 0, b != 0)}, true
	}
	return number{kind: F64, bits: math.Float64bits(a)}, true
}

func (n number) float() float64 {
	switch {
	case n.kind == F32:
		return float64(math.Float32frombits(uint32(n.bits)))
	case n.kind == F64:
		return math.Float64frombits(n.bits)
	case n.unsigned:
		return float64(n.bits)
	}
	return float64(int64(n.bits))
}

func compare(op string, equal, less, a, b bool) uint64 {
	switch op {
	case "<":
		return truth(less)
	case "<=":
		return truth(less || equal)
	case ">":
		return truth(!less && !equal)
	case ">=":
		return truth(!less)
	case "==":
		return truth(equal)
	case "!=":
		return truth(!equal)
	case "&&":
		return truth(a && b)
	}
	return truth(a || b)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
