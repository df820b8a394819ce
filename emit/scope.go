package emit

import (
	"fmt"
	"strconv"
	"strings"

	"kmx/cuda/ptx"
)

// scope is a block of PTX: names declared in it hide those outside.
type scope struct {
	outer     *scope
	registers map[string]*register
	ranges    map[string]*ptx.Variable // by prefix
	symbols   map[string]*symbol
	labels    map[string]string // PTX name to LLVM label
}

// register is a PTX register in use: an alloca.
type register struct {
	pointer string
	typ     scalar
}

// block translates the statements of a block in a scope of their own.
func (f *function) block(b *ptx.Block) {
	f.scope = &scope{
		outer: f.scope, registers: map[string]*register{}, ranges: map[string]*ptx.Variable{},
		symbols: map[string]*symbol{}, labels: map[string]string{},
	}
	for _, it := range b.Items {
		if l, ok := it.(*ptx.Label); ok {
			f.scope.labels[l.Name] = f.take(l.Name)
		}
	}
	for _, it := range b.Items {
		switch it := it.(type) {
		case *ptx.Block:
			f.block(it)
		case *ptx.Label:
			label := quote(f.scope.labels[it.Name])
			f.steps = append(f.steps, step{label: label, falls: true})
			f.start(label)
		case *ptx.Variable:
			f.declare(it)
		case *ptx.Instruction:
			f.instruction(it)
		case *ptx.Directive:
			f.directive(it)
		default:
			f.refuse(it.Range(), "a statement that is not translated")
		}
	}
	f.scope = f.scope.outer
}

// directive takes those that change nothing that a kernel computes.
func (f *function) directive(d *ptx.Directive) {
	switch d.Name {
	case ".loc", ".file", ".section", ".pragma":
	default:
		f.refuse(d.Span, "the directive %s is not translated", d.Name)
	}
}

// declare takes a declaration in a function.
func (f *function) declare(v *ptx.Variable) {
	switch v.Space {
	case "reg":
		t, ok := scalars[v.Type]
		if !ok || v.Vector != 0 {
			f.refuse(v.Span, "registers of type %s are not translated", registerType(v))
			return
		}
		if v.Ranged {
			f.scope.ranges[v.Name] = v
			return
		}
		f.scope.registers[v.Name] = f.register(v.Name, t)
	case "param":
		if s := f.local(v.Span, "param", v.Name, v.Type, v.Vector, v.Array, v.Count, v.Align); s != nil {
			f.scope.symbols[v.Name] = s
		}
	case "local":
		s, typ := f.storage(v)
		if s == nil {
			return
		}
		s.pointer = f.value(v.Name)
		fmt.Fprintf(&f.entry, "  %s = alloca %s, align %d, addrspace(5)\n", s.pointer, typ, s.align)
		f.scope.symbols[v.Name] = s
	default:
		f.scope.symbols[v.Name] = f.global(v, f.fn.Name+"."+v.Name)
	}
}

func registerType(v *ptx.Variable) string {
	if v.Vector != 0 {
		return fmt.Sprintf(".v%d .%s", v.Vector, v.Type)
	}
	return "." + v.Type
}

// register makes the alloca of a register. It starts as zero, so that a read of
// what nothing set is a number like any other.
func (f *function) register(name string, t scalar) *register {
	r := &register{f.value(name), t}
	align := max(t.bits/8, 1)
	fmt.Fprintf(&f.entry, "  %s = alloca %s, align %d, addrspace(5)\n", r.pointer, t.word(), align)
	fmt.Fprintf(&f.entry, "  store %s 0, ptr addrspace(5) %s, align %d\n", t.word(), r.pointer, align)
	return r
}

// find is the register of that name in force, nil where there is none.
func (f *function) find(name string) *register {
	prefix, n, ranged := splitNumber(name)
	for s := f.scope; s != nil; s = s.outer {
		if r := s.registers[name]; r != nil {
			return r
		}
		if v := s.ranges[prefix]; ranged && v != nil && n < v.Count {
			r := f.register(name, scalars[v.Type])
			s.registers[name] = r
			return r
		}
	}
	return nil
}

func splitNumber(name string) (prefix string, n int, ok bool) {
	prefix = strings.TrimRight(name, "0123456789")
	digits := name[len(prefix):]
	if digits == "" || len(digits) > 9 || len(digits) > 1 && digits[0] == '0' {
		return name, 0, false
	}
	n, err := strconv.Atoi(digits)
	return prefix, n, err == nil
}

// target is the LLVM label of a PTX label in force.
func (f *function) target(name string) (string, bool) {
	for s := f.scope; s != nil; s = s.outer {
		if l, ok := s.labels[name]; ok {
			return quote(l), true
		}
	}
	return "", false
}

// lookup is the symbol of that name in force: of a block, a parameter, or of
// the module. nil where there is none or it was refused.
func (f *function) lookup(name string) *symbol {
	for s := f.scope; s != nil; s = s.outer {
		if y, ok := s.symbols[name]; ok {
			return y
		}
	}
	if y := f.params[name]; y != nil {
		return y
	}
	if v := f.declared[name]; v != nil {
		y, known := f.variables[v]
		if !known {
			y = f.global(v, v.Name)
			f.variables[v] = y
		}
		return y
	}
	return nil
}
