package ptx

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
