package ptx

import (
	"fmt"
	"slices"
)

// matcher compares statements of two sides. What a name of one stands for on
// the other is put to names, which says what is wrong with that, "" for
// nothing.
type matcher struct {
	a, b  *side
	names func(a, b string) string
}

// items says in what two statements differ apart from their names; "" where
// they do not.
func (c *matcher) items(a, b Item) string {
	switch a := a.(type) {
	case *Instruction:
		if b, ok := b.(*Instruction); ok {
			return c.instructions(a, b)
		}
	case *Label:
		if b, ok := b.(*Label); ok {
			return c.names(a.Name, b.Name)
		}
	case *Variable:
		if b, ok := b.(*Variable); ok {
			return c.variables(a, b)
		}
	case *Directive:
		if b, ok := b.(*Directive); ok {
			return c.directives(a, b)
		}
	}
	return "they are statements of different kinds"
}

func (c *matcher) instructions(a, b *Instruction) string {
	if a.Opcode != b.Opcode {
		return "the opcodes differ"
	}
	if (a.Guard == nil) != (b.Guard == nil) {
		return "one has a guard, the other has none"
	}
	if a.Guard != nil {
		if a.Guard.Negated != b.Guard.Negated {
			return "one of the guards is negated"
		}
		if why := c.registers(a.Guard.Register, b.Guard.Register); why != "" {
			return why
		}
	}
	if a.Call == nil {
		return c.lists(a.Operands, b.Operands)
	}
	x, y := a.Call, b.Call
	for _, l := range [][2][]Operand{{x.Returns, y.Returns}, {{x.Target}, {y.Target}}, {x.Args, y.Args}} {
		if why := c.lists(l[0], l[1]); why != "" {
			return why
		}
	}
	if (x.Prototype == nil) != (y.Prototype == nil) {
		return "one names a prototype, the other does not"
	}
	if x.Prototype != nil {
		return c.symbols(x.Prototype, y.Prototype)
	}
	return ""
}

func (c *matcher) lists(a, b []Operand) string {
	if len(a) != len(b) {
		return fmt.Sprintf("one has %d operands, the other %d", len(a), len(b))
	}
	for i := range a {
		if why := c.operands(a[i], b[i]); why != "" {
			return why
		}
	}
	return ""
}

func (c *matcher) operands(a, b Operand) string {
	differ := fmt.Sprintf("%s and %s differ", c.a.m.Source(a.Range()), c.b.m.Source(b.Range()))
	switch a := a.(type) {
	case *Register:
		if b, ok := b.(*Register); ok {
			return c.registers(a, b)
		}
	case *Symbol:
		if b, ok := b.(*Symbol); ok {
			return c.symbols(a, b)
		}
	case *Immediate:
		if b, ok := b.(*Immediate); ok && a.Kind == b.Kind && a.Bits == b.Bits {
			return ""
		}
	case *Sink:
		if _, ok := b.(*Sink); ok {
			return ""
		}
	case *Vector:
		if b, ok := b.(*Vector); ok && len(a.Elems) == len(b.Elems) {
			return c.lists(a.Elems, b.Elems)
		}
	case *Pair:
		if b, ok := b.(*Pair); ok {
			return c.lists([]Operand{a.First, a.Second}, []Operand{b.First, b.Second})
		}
	case *Negated:
		if b, ok := b.(*Negated); ok && a.Sign == b.Sign {
			return c.operands(a.Operand, b.Operand)
		}
	case *Element:
		if b, ok := b.(*Element); ok {
			return c.lists([]Operand{a.Base, a.Index}, []Operand{b.Base, b.Index})
		}
	case *Property:
		if b, ok := b.(*Property); ok && a.Name == b.Name {
			return c.operands(a.Value, b.Value)
		}
	case *Address:
		b, ok := b.(*Address)
		if !ok || a.Offset != b.Offset || (a.Base == nil) != (b.Base == nil) || len(a.More) != len(b.More) {
			break
		}
		if a.Base != nil {
			if why := c.operands(a.Base, b.Base); why != "" {
				return why
			}
		}
		return c.lists(a.More, b.More)
	}
	return differ
}

func (c *matcher) registers(a, b *Register) string {
	if IsSpecial(a.Name) || IsSpecial(b.Name) {
		if a.Name == b.Name {
			return ""
		}
		return a.Name + " and " + b.Name + " differ"
	}
	x, y := baseName(a.Name), baseName(b.Name)
	if a.Name[len(x):] != b.Name[len(y):] {
		return a.Name + " and " + b.Name + " differ"
	}
	return c.names(x, y)
}

// symbols compares what two symbols stand for: parameters are the same where
// their places are, variables where their declarations are alike, labels by
// name only. Everything else must have the same name, that of the function
// within it aside.
func (c *matcher) symbols(a, b *Symbol) string {
	differ := a.Name + " and " + b.Name + " differ"
	if a.Offset != b.Offset || a.Generic != b.Generic || a.Mask != b.Mask {
		return differ
	}
	i, p := c.a.params[a.Name]
	k, q := c.b.params[b.Name]
	if p || q {
		if p && q && i == k {
			return c.names(a.Name, b.Name)
		}
		return a.Name + " and " + b.Name + " are not parameters of the same place"
	}
	if v, w := c.a.variables[a.Name], c.b.variables[b.Name]; v != nil && w != nil {
		if sameShape(v, w) {
			return c.names(a.Name, b.Name)
		}
		return a.Name + " and " + b.Name + " are declared differently: " + c.a.text(v) + " and " + c.b.text(w)
	}
	if c.a.labels[a.Name] && c.b.labels[b.Name] || a.Name != b.Name && c.a.own(a.Name, c.b) == b.Name {
		return c.names(a.Name, b.Name)
	}
	if a.Name == b.Name {
		return ""
	}
	return differ
}

func (c *matcher) variables(a, b *Variable) string {
	if !sameShape(a, b) {
		return "the declarations differ"
	}
	if why := c.lists(a.Init, b.Init); why != "" {
		return why
	}
	if a.Ranged {
		if a.Name != b.Name {
			return "the names of the registers differ"
		}
		return ""
	}
	return c.names(a.Name, b.Name)
}

func (c *matcher) directives(a, b *Directive) string {
	if a.Name != b.Name || len(a.Args) != len(b.Args) || (a.Prototype == nil) != (b.Prototype == nil) {
		return "the directives differ"
	}
	if a.Prototype != nil {
		if !sameParams(a.Prototype.Params, b.Prototype.Params) || !sameParams(a.Prototype.Returns, b.Prototype.Returns) {
			return "the prototypes differ"
		}
		return ""
	}
	if a.Name == ".branchtargets" {
		for i := range a.Args {
			if why := c.names(a.Args[i], b.Args[i]); why != "" {
				return why
			}
		}
		return ""
	}
	if !slices.Equal(a.Args, b.Args) {
		return "the arguments of " + a.Name + " differ"
	}
	return ""
}

// sameParams reports whether two lists of parameters differ in names only.
func sameParams(a, b []Param) bool {
	return slices.EqualFunc(a, b, func(a, b Param) bool { return paramShape(a) == paramShape(b) })
}

// paramShape is a parameter without its name and its places in the text.
func paramShape(p Param) Param {
	p.Span, p.NameAt, p.Name = Span{}, Span{}, ""
	return p
}
