package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// describe is a statement as the parser understood it, for tables.
func describe(it Item) string {
	switch it := it.(type) {
	case *Instruction:
		s := it.Opcode
		if it.Guard != nil {
			s = "@" + strings.Repeat("!", int(truth(it.Guard.Negated))) + it.Guard.Register.Name + " " + s
		}
		if c := it.Call; c != nil {
			s += " returns" + describeAll(c.Returns) + " target " + describeOperand(c.Target) + " args" + describeAll(c.Args)
			if c.Prototype != nil {
				s += " prototype " + c.Prototype.Name
			}
			return s
		}
		return s + describeAll(it.Operands)
	case *Label:
		return "label " + it.Name
	case *Directive:
		s := it.Name + " " + strings.Join(it.Args, "|")
		if p := it.Prototype; p != nil {
			s += fmt.Sprintf("returns %d params %d", len(p.Returns), len(p.Params))
			for _, a := range p.Attributes {
				s += " " + a.Name
			}
		}
		return strings.TrimSpace(s)
	case *Variable:
		s := "variable " + it.Name + " " + strings.TrimSpace(it.Linkage+" "+it.Space) + " " + it.Type
		if it.Vector > 0 {
			s += " v" + strconv.Itoa(it.Vector)
		}
		if it.Align > 0 {
			s += " align " + strconv.Itoa(it.Align)
		}
		if it.Ranged {
			s += fmt.Sprintf(" range %d", it.Count)
		}
		if it.Array {
			s += fmt.Sprintf(" array %v of %d", it.Dims, it.Count)
		}
		for _, a := range it.Attributes {
			s += " " + describe(a)
		}
		if len(it.Init) > 0 {
			s += " =" + describeAll(it.Init)
		}
		return s
	case *Block:
		var inner []string
		for _, i := range it.Items {
			inner = append(inner, describe(i))
		}
		return "{ " + strings.Join(inner, "; ") + " }"
	case *Function:
		s := "func"
		if it.Entry {
			s = "entry"
		}
		for _, f := range []struct {
			is   bool
			name string
		}{{it.Extern, "extern"}, {it.Visible, "visible"}, {it.Weak, "weak"}} {
			if f.is {
				s = f.name + " " + s
			}
		}
		s += " " + it.Name + " returns" + describeParams(it.Returns) + " params" + describeParams(it.Params)
		for _, a := range it.Attributes {
			s += " " + describe(a)
		}
		if it.Body != nil {
			s += " " + describe(it.Body)
		}
		return s
	}
	return fmt.Sprintf("%T", it)
}

func describeParams(list []Param) string {
	var s []string
	for _, p := range list {
		d := p.Space + " " + p.Type + " " + p.Name
		if p.Vector > 0 {
			d += " v" + strconv.Itoa(p.Vector)
		}
		if p.Array {
			d += fmt.Sprintf("[%d]", p.Count)
		}
		if p.Ptr {
			d += fmt.Sprintf(" ptr %s %d", p.PtrSpace, p.PtrAlign)
		}
		s = append(s, fmt.Sprintf("%s align %d at %d size %d", d, p.Align, p.Offset, p.Size))
	}
	return "(" + strings.Join(s, ", ") + ")"
}

func describeAll(list []Operand) string {
	var s string
	for _, o := range list {
		s += " " + describeOperand(o)
	}
	return s
}

func describeOperand(o Operand) string {
	switch o := o.(type) {
	case *Register:
		return "r:" + o.Name
	case *Symbol:
		s := "s:" + o.Name
		if o.Offset != 0 {
			s += fmt.Sprintf("%+d", o.Offset)
		}
		if o.Generic {
			s = "generic(" + s + ")"
		}
		if o.Mask != 0 {
			s = fmt.Sprintf("%#x(%s)", o.Mask, s)
		}
		return s
	case *Immediate:
		u := ""
		if o.Unsigned {
			u = "u"
		}
		return fmt.Sprintf("%s%#x%s", [...]string{"i:", "f:", "d:"}[o.Kind], o.Bits, u)
	case *Address:
		s := "["
		if o.Base != nil {
			s += describeOperand(o.Base)
		}
		s += fmt.Sprintf("%+d", o.Offset)
		if len(o.More) > 0 {
			s += " more" + describeAll(o.More)
		}
		return s + "]"
	case *Vector:
		return "{" + strings.TrimSpace(describeAll(o.Elems)) + "}"
	case *Pair:
		return describeOperand(o.First) + "|" + describeOperand(o.Second)
	case *Negated:
		return string(o.Sign) + describeOperand(o.Operand)
	case *Element:
		return describeOperand(o.Base) + "[" + describeOperand(o.Index) + "]"
	case *Sink:
		return "_"
	case *Property:
		return o.Name + "=" + describeOperand(o.Value)
	}
	return fmt.Sprintf("%T", o)
}
