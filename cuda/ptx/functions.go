package ptx

import "strings"

// function reads what follows .func or .entry.
func (p *parser) function(start int, linkage string, entry bool) bool {
	f := &Function{Span: Span{Start: start}, Entry: entry,
		Extern: linkage == "extern", Visible: linkage == "visible", Weak: linkage == "weak"}
	if linkage == "common" {
		return p.fail(Span{start, start + len(".common")}, ".common before a function", "it belongs to variables")
	}
	mark := p.names.mark()
	defer func() { p.names.leave(mark) }()
	for p.peek() == '.' {
		d, ok := p.headerDirective()
		if !ok {
			return false
		}
		f.Attributes = append(f.Attributes, d)
	}
	var ok bool
	if p.peek() == '(' {
		if entry {
			return p.fail(Span{p.pos, p.pos + 1}, "expected the name of the .entry, found (", "an .entry returns nothing")
		}
		if f.Returns, ok = p.params(); !ok {
			return false
		}
	}
	if f.Name, f.NameAt = p.ident(); f.Name == "" {
		return p.want("the name of the function")
	}
	p.last = f.NameAt.End
	if p.peek() == '(' {
		if f.Params, ok = p.params(); !ok {
			return false
		}
	}
	for p.peek() == '.' && !p.statementNext() {
		d, ok := p.headerDirective()
		if !ok {
			return false
		}
		f.Attributes = append(f.Attributes, d)
	}
	switch c := p.peek(); {
	case c == ';':
		p.pos++
		f.End = p.pos
		p.skip()
	case c == '{':
		f.Body = p.block()
		if f.Body == nil {
			return false
		}
		f.End = f.Body.End
	case p.pos >= len(p.src) || c == '.': // ptxas takes declarations without their semicolon
		f.End = p.last
	default:
		return p.want("{ or ; after the header of " + f.Name)
	}
	p.items = append(p.items, f)
	p.m.functions = append(p.m.functions, f)
	return true
}

// statementNext reports whether the directive that is next begins a statement of
// module scope, and is none of the header of a function.
func (p *parser) statementNext() bool {
	at := p.pos
	name := p.dotted()
	p.pos = at
	if _, header := headerDirectives[name]; header {
		return false
	}
	_, plain := plainDirectives[name]
	return plain || linkages[name] || stateSpaces[name] || name == "func" || name == "entry"
}

// Attribute is the directive of that name in the header, with or without its
// dot; nil where there is none.
func (f *Function) Attribute(name string) *Directive {
	name = "." + strings.TrimPrefix(name, ".")
	for _, d := range f.Attributes {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// prototype reads what follows .callprototype.
func (p *parser) prototype(d *Directive) bool {
	pt := &Prototype{}
	mark := p.names.mark()
	defer func() { p.names.leave(mark) }()
	var ok bool
	if p.peek() == '(' {
		if pt.Returns, ok = p.params(); !ok {
			return false
		}
	}
	name, at := p.ident()
	if name == "" {
		return p.want("_ in the place of the name of the function")
	}
	p.last = at.End
	if p.peek() == '(' {
		if pt.Params, ok = p.params(); !ok {
			return false
		}
	}
	for p.peek() == '.' {
		h, ok := p.headerDirective()
		if !ok {
			return false
		}
		pt.Attributes = append(pt.Attributes, h)
	}
	d.Prototype = pt
	return true
}
