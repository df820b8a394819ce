package ptx

import (
	"fmt"
	"strconv"

	"kmx/internal/diag"
)

// variable reads what follows the state space of a declaration.
func (p *parser) variable(start int, linkage, space string) bool {
	v := Variable{Statement: Span{Start: start}, Linkage: linkage, Space: space}
	if space == "const" && p.take('[') { // a bank, in old modules
		if _, ok := p.integer("the number of a constant bank", 0, 10); !ok {
			return false
		}
		if !p.take(']') {
			return p.want("]")
		}
	}
	for p.peek() == '.' {
		at := p.pos
		w := p.dotted()
		span := Span{at, p.pos}
		p.skip()
		switch w {
		case "align":
			n, ok := p.alignment()
			if !ok {
				return false
			}
			v.Align = n
		case "v2", "v4", "v8":
			v.Vector = int(w[1] - '0')
		case "attribute":
			d, ok := p.attribute(at)
			if !ok {
				return false
			}
			v.Attributes = append(v.Attributes, d)
		default:
			if !p.setType(&v.Type, w, span) {
				return false
			}
		}
	}
	if v.Type == "" {
		return p.want("the type of the variable")
	}
	first := len(p.items)
	for begin := start; ; begin = p.pos {
		d := p.variables.get()
		*d = v
		d.Start, d.Count = begin, 1
		if !p.declarator(d) {
			p.items = p.items[:first]
			return false
		}
		if d.Ranged {
			p.names.declareRange(d.Name, d.Count)
		} else {
			p.names.declare(d.Name, space == "reg" || space == "sreg")
		}
		p.items = append(p.items, d)
		if p.peek() == ',' {
			d.End = p.pos + 1
			p.take(',')
			continue
		}
		if !p.semicolon("the declaration of ", d.Name) {
			p.items = p.items[:first]
			return false
		}
		d.End = p.last
		break
	}
	for _, it := range p.items[first:] {
		it.(*Variable).Statement.End = p.last
	}
	return true
}

// setType notes a type and refuses a second one.
func (p *parser) setType(to *string, w string, at Span) bool {
	if _, known := typeSizes[w]; !known {
		return p.fail(at, "unknown type ."+w, diag.DidYouMean("."+w, typeNames()))
	}
	if *to != "" {
		return p.fail(at, "a second type ."+w+" after ."+*to, "")
	}
	*to = w
	return true
}

// declarator reads a name with its range, dimensions and initialiser.
func (p *parser) declarator(v *Variable) bool {
	if v.Name, v.NameAt = p.ident(); v.Name == "" {
		return p.want("the name of a variable")
	}
	if p.take('<') {
		at := p.pos // no expression: > ends the number
		if class[p.peek()]&cDigit == 0 {
			return p.want("the number of registers")
		}
		n, ok := p.literal()
		if !ok {
			return false
		}
		if n.kind != Int || n.bits > maxCount {
			return p.fail(Span{at, p.pos}, fmt.Sprintf("the number of registers is %s; it can be 0 to %d", p.src[at:p.pos], maxCount), "")
		}
		p.skip()
		v.Ranged, v.Count = true, int(n.bits)
		if !p.take('>') {
			return p.want("> after the number of registers")
		}
		return true
	}
	var ok bool
	if v.Array, v.Count, v.Dims, ok = p.dimensions(); !ok {
		return false
	}
	if p.peek() != '=' {
		return true
	}
	p.take('=')
	v.InitAt.Start = p.pos
	mark := len(p.operands)
	if p.peek() == '{' {
		ok = p.elements(1)
	} else {
		var o Operand
		if o, ok = p.initialiser(1); ok {
			p.operands = append(p.operands, o)
			v.InitAt.End = o.Range().End
		}
	}
	if ok {
		v.Init = p.operandSlab.copy(p.operands[mark:])
		if v.InitAt.End == 0 {
			v.InitAt.End = p.last
		}
	}
	p.operands = p.operands[:mark]
	return ok
}

// dimensions reads [4][5]; count is their product.
func (p *parser) dimensions() (array bool, count int, dims []int, ok bool) {
	count = 1
	for p.peek() == '[' {
		at := p.pos
		p.take('[')
		n := 0
		if p.peek() != ']' {
			if n, ok = p.integer("the number of elements", 0, maxArray); !ok {
				return false, 0, nil, false
			}
		}
		if p.peek() != ']' {
			return false, 0, nil, p.want("] after the number of elements")
		}
		p.take(']')
		if n > 0 && count > maxArray/n || len(dims) == maxNesting {
			return false, 0, nil, p.fail(Span{at, p.pos}, "the array is too large", "")
		}
		count *= n
		dims = append(dims, n)
		array = true
	}
	return array, count, dims, true
}

// integer reads a constant from low to high.
func (p *parser) integer(what string, low, high int) (int, bool) {
	at := p.pos
	if c := p.peek(); class[c]&cDigit == 0 && c != '-' && c != '(' {
		return 0, p.want(what)
	}
	im, ok := p.immediate()
	if !ok {
		return 0, false
	}
	if n := int64(im.Bits); im.Kind != Int || n < int64(low) || n > int64(high) || im.Unsigned && n < 0 {
		return 0, p.fail(Span{at, im.End}, fmt.Sprintf("%s is %s; it can be %d to %d", what, im.Text, low, high), "")
	}
	return int(im.Bits), true
}

// alignment reads what follows .align.
func (p *parser) alignment() (int, bool) {
	at := p.pos
	n, ok := p.integer("the alignment", 1, 1<<20)
	if ok && n&(n-1) != 0 {
		return 0, p.fail(Span{at, p.pos}, "the alignment is "+strconv.Itoa(n)+", no power of two", "")
	}
	return n, ok
}
