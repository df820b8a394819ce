package ptx

import (
	"strconv"
	"strings"
)

// directive reads what follows the name of a directive that declares nothing.
func (p *parser) directive(start int, name string, top bool) bool {
	d := p.directives.get()
	*d = Directive{Span: Span{Start: start}, Name: "." + name}
	header := name == "version" || name == "target" || name == "address_size" || name == "section" || name == "alias"
	if header && !top {
		return p.fail(Span{start, start + 1 + len(name)}, "."+name+" within a function", "it belongs to the head of the module")
	}
	ok := true
	switch name {
	case "version":
		if ok = p.version(d); ok {
			p.m.Version = d.Args[0]
		}
	case "target":
		if ok = p.args(d, "the name of a target, as sm_80"); ok {
			p.m.Target = d.Args[0]
		}
	case "address_size":
		if ok = p.args(d, "32 or 64"); ok {
			n, err := strconv.Atoi(d.Args[0])
			if err != nil || n != 32 && n != 64 || len(d.Args) != 1 {
				return p.fail(Span{start, p.last}, "the address size is "+strings.Join(d.Args, ", ")+"; it can be 32 or 64", "")
			}
			p.m.AddressSize = n
		}
	case "loc":
		ok = p.loc(d)
	case "section":
		ok = p.section(d)
	case "callprototype":
		ok = p.prototype(d)
	default: // file, pragma, alias, branchtargets, calltargets
		ok = p.args(d, "an argument of ."+name)
	}
	if !ok {
		return false
	}
	if plainDirectives[name] && !p.semicolon("the arguments of .", name) {
		return false
	}
	d.End = p.last
	p.items = append(p.items, d)
	return true
}

// arg reads one argument of a directive: a name, a number or a string.
func (p *parser) arg(what string) (string, bool) {
	start := p.pos
	switch c := p.peek(); {
	case c == '"':
		s, ok := p.quoted()
		p.last = start + len(s)
		return s, ok
	case class[c]&cDigit != 0: // no expression: nothing but a line end may follow
		if _, ok := p.literal(); !ok {
			return "", false
		}
		p.last = p.pos
		p.skip()
		return p.src[start:p.last], true
	}
	w := p.word()
	if w == "" {
		return "", p.want(what)
	}
	p.last = p.pos
	p.skip()
	return w, true
}

// args reads one argument and those after commas.
func (p *parser) args(d *Directive, what string) bool {
	for {
		a, ok := p.arg(what)
		if !ok {
			return false
		}
		d.Args = append(d.Args, a)
		if d.Name == ".file" && (len(d.Args) == 1 || len(d.Args) == 2 && p.peek() == '"') {
			continue // no comma between the number of a file, its folder and its name
		}
		if p.peek() != ',' {
			return true
		}
		p.take(',')
	}
}

// version reads "8.8", which is no number: 8.10 is newer than 8.9.
func (p *parser) version(d *Directive) bool {
	i := p.pos
	for i < len(p.src) && (class[p.src[i]]&cDigit != 0 || p.src[i] == '.') {
		i++
	}
	v := p.src[p.pos:i]
	major, minor, ok := strings.Cut(v, ".")
	if !ok || major == "" || minor == "" || strings.Contains(minor, ".") {
		return p.want("a version such as 7.5")
	}
	d.Args = []string{v}
	p.pos, p.last = i, i
	p.skip()
	return true
}

// loc reads ".loc file line column[, function_name label[+n][, inlined_at file
// line column]]".
func (p *parser) loc(d *Directive) bool {
	numbers := func(n int) bool {
		for range n {
			if class[p.peek()]&cDigit == 0 {
				return p.want("a number of .loc")
			}
			a, ok := p.arg("a number of .loc")
			if !ok {
				return false
			}
			d.Args = append(d.Args, a)
		}
		return true
	}
	if !numbers(3) {
		return false
	}
	for p.peek() == ',' {
		p.take(',')
		w, at := p.ident()
		d.Args = append(d.Args, w)
		switch w {
		case "function_name":
			sym, at := p.ident()
			if sym == "" {
				return p.want("a label")
			}
			p.last = at.End
			d.Args = append(d.Args, sym)
			if p.take('+') {
				if !numbers(1) {
					return false
				}
			}
		case "inlined_at":
			if !numbers(3) {
				return false
			}
		default:
			p.pos = at.Start
			return p.want("function_name or inlined_at")
		}
	}
	return true
}

// section reads ".section .name { ... }"; what is within the braces is passed
// over.
func (p *parser) section(d *Directive) bool {
	start := p.pos
	for p.dotted() != "" {
	}
	if p.pos == start && p.word() == "" {
		return p.want("the name of a section")
	}
	d.Args = []string{p.src[start:p.pos]}
	p.skip()
	open := p.pos
	if p.peek() != '{' {
		return p.want("{ of the section")
	}
	for depth := 0; p.pos < len(p.src); p.skip() {
		switch p.src[p.pos] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				p.pos++
				p.last = p.pos
				p.skip()
				return true
			}
		case '"':
			if _, ok := p.quoted(); !ok {
				return false
			}
			continue
		}
		p.pos++
	}
	return p.fail(Span{open, open + 1}, "the section has no end", "add the } that is missing")
}
