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

// params reads a list of parameters in parentheses and lays them out.
func (p *parser) params() ([]Param, bool) {
	p.take('(')
	var list []Param
	for p.peek() != ')' {
		var pr Param
		if !p.param(&pr) {
			return nil, false
		}
		list = append(list, pr)
		if p.peek() != ',' {
			break
		}
		p.take(',')
	}
	if p.peek() != ')' {
		return nil, p.want(", or ) in the list of parameters")
	}
	p.pos++
	p.last = p.pos
	p.skip()
	layout(list)
	return list, true
}

// param reads one parameter.
func (p *parser) param(pr *Param) bool {
	pr.Start = p.pos
	switch w := p.dotted(); w {
	case "param", "reg":
		pr.Space = w
	default:
		p.pos = pr.Start
		return p.want(".param or .reg")
	}
	p.skip()
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
			if pr.Ptr {
				pr.PtrAlign = n
			} else {
				pr.Align = n
			}
		case "ptr":
			pr.Ptr = true
		case "v2", "v4", "v8":
			pr.Vector = int(w[1] - '0')
		case "global", "shared", "local", "const":
			if !pr.Ptr {
				return p.fail(span, "."+w+" in a parameter stands after .ptr only", "")
			}
			pr.PtrSpace = w
		default:
			if !p.setType(&pr.Type, w, span) {
				return false
			}
		}
	}
	if pr.Type == "" {
		return p.want("the type of the parameter")
	}
	if pr.Name, pr.NameAt = p.ident(); pr.Name == "" {
		return p.want("the name of the parameter")
	}
	pr.End = pr.NameAt.End
	var count int
	var ok bool
	if pr.Array, count, _, ok = p.dimensions(); !ok {
		return false
	}
	if pr.Array {
		pr.Count = count
		pr.End = p.pos
		for pr.End > pr.NameAt.End && p.src[pr.End-1] != ']' {
			pr.End--
		}
	}
	if pr.Name != "_" {
		p.names.declare(pr.Name, pr.Space == "reg")
	}
	return true
}

// layout gives offsets and sizes: every parameter lies at the next multiple of
// its alignment.
func layout(list []Param) {
	offset := 0
	for i := range list {
		pr := &list[i]
		pr.Size = typeSizes[pr.Type] * max(1, pr.Vector)
		if pr.Align == 0 {
			pr.Align = max(1, pr.Size)
		}
		if pr.Array {
			pr.Size *= pr.Count
		}
		if pr.Space == "reg" || offset > maxArray*16 {
			pr.Offset = -1
			continue
		}
		offset = (offset + pr.Align - 1) &^ (pr.Align - 1)
		pr.Offset = offset
		offset += pr.Size
	}
}

// Parameter is the parameter that holds the byte at offset of the parameter
// block, and which of its bytes that is; nil where there is none.
func (f *Function) Parameter(offset int) (pr *Param, inside int) {
	for i := range f.Params {
		pr := &f.Params[i]
		if pr.Offset >= 0 && pr.Offset <= offset && offset < pr.Offset+pr.Size {
			return pr, offset - pr.Offset
		}
	}
	return nil, 0
}

// ParameterNamed is the parameter or return value of that name, nil where
// there is none.
func (f *Function) ParameterNamed(name string) *Param {
	for _, list := range [][]Param{f.Params, f.Returns} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

// ParameterBytes is the size of the parameter block, without padding at its
// end.
func (f *Function) ParameterBytes() int {
	n := 0
	for _, pr := range f.Params {
		n = max(n, pr.Offset+pr.Size)
	}
	return n
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
