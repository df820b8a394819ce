package ptx

import (
	"strconv"
	"strings"
)

// shapes numbers statements by what they are apart from their names: two with
// one number may be one statement under other names.
type shapes struct {
	numbers map[string]int32
	b       strings.Builder
}

func (s *shapes) of(side *side, f flat) int32 {
	s.b.Reset()
	switch {
	case f.open:
		s.b.WriteByte('{')
	case f.close:
		s.b.WriteByte('}')
	default:
		s.item(side, f.item)
	}
	text := s.b.String()
	n, ok := s.numbers[text]
	if !ok {
		n = int32(len(s.numbers))
		s.numbers[strings.Clone(text)] = n
	}
	return n
}

func (s *shapes) item(side *side, it Item) {
	switch it := it.(type) {
	case *Instruction:
		if it.Guard != nil {
			s.b.WriteByte('@')
			if it.Guard.Negated {
				s.b.WriteByte('!')
			}
		}
		s.b.WriteString(it.Opcode)
		s.list(side, ' ', it.Operands)
		if c := it.Call; c != nil {
			s.list(side, '(', c.Returns)
			s.operand(side, c.Target)
			s.list(side, '(', c.Args)
			if c.Prototype != nil {
				s.b.WriteString("proto")
			}
		}
	case *Label:
		s.b.WriteByte(':')
	case *Variable:
		s.variable(it)
		s.list(side, '=', it.Init)
	case *Directive:
		s.b.WriteString(it.Name)
		s.int(len(it.Args))
		if it.Name != ".branchtargets" {
			s.b.WriteString(strings.Join(it.Args, " "))
		}
	case *Param:
		s.b.WriteString(".param")
		s.b.WriteString(it.Space + " " + it.Type + " " + it.PtrSpace)
		for _, n := range []int{it.Vector, it.Align, it.Count, it.PtrAlign, it.Offset} {
			s.int(n)
		}
	}
}

func (s *shapes) variable(v *Variable) {
	s.b.WriteString(v.Linkage + "." + v.Space + "." + v.Type)
	for _, n := range append([]int{v.Align, v.Vector}, v.Dims...) {
		s.int(n)
	}
	if v.Ranged {
		s.b.WriteString("<" + v.Name)
	}
}

func (s *shapes) int(n int) {
	s.b.WriteByte(' ')
	s.b.WriteString(strconv.Itoa(n))
}

func (s *shapes) list(side *side, mark byte, list []Operand) {
	s.b.WriteByte(mark)
	for _, o := range list {
		s.operand(side, o)
		s.b.WriteByte(',')
	}
}

func (s *shapes) operand(side *side, o Operand) {
	switch o := o.(type) {
	case *Register:
		if IsSpecial(o.Name) {
			s.b.WriteString(o.Name)
			return
		}
		base := baseName(o.Name)
		s.b.WriteByte('%')
		s.b.WriteString(o.Name[len(base):])
	case *Symbol:
		s.symbol(side, o)
	case *Immediate:
		s.b.WriteByte("ifd"[o.Kind])
		s.b.WriteString(strconv.FormatUint(o.Bits, 16))
	case *Sink:
		s.b.WriteByte('_')
	case *Vector:
		s.list(side, '{', o.Elems)
	case *Pair:
		s.operand(side, o.First)
		s.b.WriteByte('|')
		s.operand(side, o.Second)
	case *Negated:
		s.b.WriteByte(o.Sign)
		s.operand(side, o.Operand)
	case *Element:
		s.operand(side, o.Base)
		s.b.WriteByte('[')
		s.operand(side, o.Index)
	case *Property:
		s.b.WriteString(o.Name + "=")
		s.operand(side, o.Value)
	case *Address:
		s.b.WriteByte('[')
		if o.Base != nil {
			s.operand(side, o.Base)
		}
		s.int(int(o.Offset))
		s.list(side, ';', o.More)
	}
}

func (s *shapes) symbol(side *side, o *Symbol) {
	i, param := side.params[o.Name]
	v := side.variables[o.Name]
	switch {
	case param:
		s.b.WriteString("param")
		s.int(i)
	case v != nil:
		s.variable(v)
	case side.labels[o.Name]:
		s.b.WriteByte(':')
	default:
		name := o.Name
		if side.f != nil {
			name = strings.ReplaceAll(name, strconv.Itoa(len(side.f.Name))+side.f.Name, "*")
			name = strings.ReplaceAll(name, side.f.Name, "*")
		}
		s.b.WriteString(name)
	}
	s.int(int(o.Offset))
	if o.Generic {
		s.b.WriteByte('g')
	}
	s.int(int(o.Mask))
}
