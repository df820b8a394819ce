package ptx

import (
	"kmx/internal/diag"
)

// headerDirective reads one directive of the header of a function; the dot is
// next.
func (p *parser) headerDirective() (*Directive, bool) {
	start := p.pos
	name := p.dotted()
	if name == "attribute" {
		p.skip()
		return p.attribute(start)
	}
	args, known := headerDirectives[name]
	if !known {
		if p.pos = start; name == "" {
			return nil, p.want("a directive of a function, as .maxntid")
		}
		return nil, p.fail(Span{start, start + 1 + len(name)}, "unknown directive ."+name+" in the header of a function", diag.DidYouMean("."+name, headerNames()))
	}
	d := p.directives.get()
	*d = Directive{Span: Span{Start: start}, Name: "." + name}
	p.last = p.pos
	p.skip()
	if args && !p.args(d, "an argument of ."+name) {
		return nil, false
	}
	if name == "pragma" && !p.semicolon("the arguments of .", "pragma") {
		return nil, false
	}
	d.End = p.last
	return d, true
}

// attribute reads what follows .attribute: ( .managed ) or
// ( .unified(1, 2) ).
func (p *parser) attribute(start int) (*Directive, bool) {
	d := p.directives.get()
	*d = Directive{Span: Span{Start: start}, Name: ".attribute"}
	if !p.take('(') {
		return nil, p.want("( after .attribute")
	}
	for {
		w := p.dotted()
		if w == "" {
			return nil, p.want("an attribute, as .managed")
		}
		d.Args = append(d.Args, "."+w)
		p.skip()
		if p.take('(') {
			if !p.args(d, "an argument of ."+w) {
				return nil, false
			}
			if !p.take(')') {
				return nil, p.want(")")
			}
		}
		if !p.take(',') {
			break
		}
	}
	if p.peek() != ')' {
		return nil, p.want(") after the attributes")
	}
	p.pos++
	d.End, p.last = p.pos, p.pos
	p.skip()
	return d, true
}
