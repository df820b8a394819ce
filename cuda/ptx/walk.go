package ptx

import "iter"

// Statement is one statement of a function and the blocks it stands in, the
// body of the function first.
type Statement struct {
	Item   Item
	Scopes []*Block // shared between statements: not to be changed or kept
}

// Statements gives the statements of a function in the order of the text with
// nested blocks opened up: labels, declarations, directives and instructions.
// A declaration gives none.
func (m *Module) Statements(f *Function) iter.Seq[Statement] {
	return func(yield func(Statement) bool) {
		if f != nil && f.Body != nil {
			statements(f.Body, nil, yield)
		}
	}
}

func statements(b *Block, outer []*Block, yield func(Statement) bool) bool {
	scopes := append(outer, b)
	for _, it := range b.Items {
		if inner, ok := it.(*Block); ok {
			if !statements(inner, scopes, yield) {
				return false
			}
		} else if !yield(Statement{it, scopes}) {
			return false
		}
	}
	return true
}

// Instructions gives the instructions of a function in the order of the text,
// those of nested blocks included.
func (m *Module) Instructions(f *Function) iter.Seq[*Instruction] {
	return func(yield func(*Instruction) bool) {
		for s := range m.Statements(f) {
			if in, ok := s.Item.(*Instruction); ok && !yield(in) {
				return
			}
		}
	}
}

// Walk calls visit with every operand of an instruction and the operands
// within them, outer before inner, the guard first.
func (in *Instruction) Walk(visit func(Operand)) {
	if in.Guard != nil {
		visit(in.Guard.Register)
	}
	for _, o := range in.Operands {
		WalkOperand(o, visit)
	}
	if c := in.Call; c != nil {
		for _, o := range c.Returns {
			WalkOperand(o, visit)
		}
		WalkOperand(c.Target, visit)
		for _, o := range c.Args {
			WalkOperand(o, visit)
		}
		if c.Prototype != nil {
			visit(c.Prototype)
		}
	}
}

// WalkOperand calls visit with o and the operands within it.
func WalkOperand(o Operand, visit func(Operand)) {
	visit(o)
	switch o := o.(type) {
	case *Address:
		if o.Base != nil {
			WalkOperand(o.Base, visit)
		}
		for _, x := range o.More {
			WalkOperand(x, visit)
		}
	case *Vector:
		for _, x := range o.Elems {
			WalkOperand(x, visit)
		}
	case *Pair:
		WalkOperand(o.First, visit)
		WalkOperand(o.Second, visit)
	case *Negated:
		WalkOperand(o.Operand, visit)
	case *Element:
		WalkOperand(o.Base, visit)
		WalkOperand(o.Index, visit)
	case *Property:
		WalkOperand(o.Value, visit)
	}
}
