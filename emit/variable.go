package emit

import (
	"fmt"
	"strings"

	"kmx/cuda/ptx"
)

// Limits of one variable in bytes.
const (
	maxShared   = 64 << 10
	maxVariable = 1 << 31
)

// storage is a variable as a symbol without a pointer yet, and its LLVM type.
func (l *lowering) storage(v *ptx.Variable) (*symbol, string) {
	t, ok := elementType(v.Type)
	sp, known := spaces[v.Space]
	if !ok || !known || v.Space == "generic" || len(v.Attributes) > 0 {
		l.refuse(v.Span, "a variable of type .%s in the space .%s is not translated", v.Type, v.Space)
		return nil, ""
	}
	elements, unit := v.Count, max(v.Vector, 1)
	if v.Space == "shared" && elements*unit*t.bits/8 > maxShared || elements*unit*t.bits/8 > maxVariable {
		l.refuse(v.Span, "%s has %d bytes, more than the GPU has for it", v.Name, elements*unit*t.bits/8)
		return nil, ""
	}
	natural := t.bits / 8 * unit
	s := &symbol{space: sp, size: elements * natural, align: max(v.Align, natural)}
	typ := t.word()
	if v.Array || v.Vector != 0 {
		typ = fmt.Sprintf("[%d x %s]", elements*unit, t.word())
	}
	return s, typ
}

// global defines a variable that all threads see, under a name of its own.
func (l *lowering) global(v *ptx.Variable, name string) *symbol {
	s, typ := l.storage(v)
	if s == nil {
		return nil
	}
	for free, i := name, 2; ; i++ { // scopes of a function may share a name
		if !l.names[free] {
			name = free
			break
		}
		free = fmt.Sprintf("%s.%d", name, i)
	}
	l.names[name] = true
	s.pointer = "@" + quote(name)
	switch v.Space {
	case "shared":
		linkage, start := "internal", " poison"
		if v.Linkage == "extern" {
			if v.Count != 0 || !v.Array {
				l.refuse(v.Span, "shared memory of another module: only an array without a size, which the launch sizes, may be .extern")
				return nil
			}
			linkage, start = "external", ""
		}
		if len(v.Init) > 0 {
			l.refuse(v.Span, "shared memory with an initialiser")
			return nil
		}
		l.globals = append(l.globals, fmt.Sprintf("%s = %s addrspace(3) global %s%s, align %d\n", s.pointer, linkage, typ, start, s.align))
	case "global", "const":
		if v.Linkage == "extern" || v.Linkage == "common" {
			l.refuse(v.Span, "a .%s variable of another module", v.Linkage)
			return nil
		}
		typ, start, ok := l.initialiser(v, typ)
		if !ok {
			return nil
		}
		linkage, kind := "internal", "global"
		if v.Linkage == "visible" || v.Linkage == "weak" {
			linkage = "protected"
		}
		if v.Space == "const" {
			kind = "constant"
		}
		if linkage == "protected" {
			kind = "externally_initialized " + kind // the host may set it before a launch
		}
		l.globals = append(l.globals, fmt.Sprintf("%s = %s addrspace(%d) %s %s %s, align %d\n", s.pointer, linkage, s.space.number, kind, typ, start, s.align))
	default:
		l.refuse(v.Span, "a variable in the space .%s at this place", v.Space)
		return nil
	}
	return s
}

// initialiser is the first value of a variable, with the type that it makes of
// it: what an initialiser leaves out is zero, a second part of the variable.
func (l *lowering) initialiser(v *ptx.Variable, typ string) (as, start string, ok bool) {
	if len(v.Init) == 0 {
		return typ, "zeroinitializer", true
	}
	t := scalars[v.Type]
	count := v.Count * max(v.Vector, 1)
	var words []string
	var flatten func(ops []ptx.Operand) bool
	flatten = func(ops []ptx.Operand) bool {
		for _, op := range ops {
			switch op := op.(type) {
			case *ptx.Vector:
				if len(v.Dims) > 1 {
					l.refuse(v.InitAt, "an initialiser with inner braces")
					return false
				}
				if !flatten(op.Elems) {
					return false
				}
			case *ptx.Immediate:
				bits, ok := constant(op, t)
				if !ok {
					l.refuse(op.Span, "the constant %s for the type .%s", op.Text, t.name)
					return false
				}
				words = append(words, fmt.Sprintf("%s %d", t.word(), bits))
			default:
				l.refuse(op.Range(), "an initialiser that is no number")
				return false
			}
		}
		return true
	}
	if !flatten(v.Init) {
		return "", "", false
	}
	if len(words) > count || len(words) == 0 {
		l.refuse(v.InitAt, "%d values for %d elements", len(words), count)
		return "", "", false
	}
	if !strings.HasPrefix(typ, "[") {
		return typ, strings.TrimPrefix(words[0], t.word()+" "), true
	}
	given := fmt.Sprintf("[%d x %s]", len(words), t.word())
	list := "[" + strings.Join(words, ", ") + "]"
	if len(words) == count {
		return given, list, true
	}
	rest := fmt.Sprintf("[%d x %s]", count-len(words), t.word())
	return fmt.Sprintf("<{ %s, %s }>", given, rest), fmt.Sprintf("<{ %s %s, %s zeroinitializer }>", given, list, rest), true
}
