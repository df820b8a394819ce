package emit

import (
	"fmt"
	"strings"

	"kmx/cuda/ptx"
)

// function is the translation of one PTX function.
type function struct {
	*lowering
	fn   *ptx.Function
	path []*ptx.Function // who calls it, itself last

	entry strings.Builder // allocas and their initialisation
	body  strings.Builder
	open  bool // the current basic block has no terminator yet
	temps int
	names map[string]bool // of values and labels, taken
	scope *scope
	// symbols of the parameter list, and the results of a .func
	params   map[string]*symbol
	returns  []*symbol
	steps    []step             // statements, for the check of barriers
	barriers []*ptx.Instruction // of the block of threads
}

func newFunction(l *lowering, fn *ptx.Function, path []*ptx.Function) *function {
	f := &function{lowering: l, fn: fn, path: path, names: map[string]bool{}, params: map[string]*symbol{}}
	for _, taken := range []string{"params", "result", "begin", "exit"} {
		f.names[taken] = true
	}
	return f
}

// symbol is something with an address.
type symbol struct {
	space   space
	pointer string // of LLVM: @name, %name
	offset  int    // of a kernel's parameter in its block
	size    int
	align   int
	typ     string // of LLVM, of what is passed
	param   bool   // a parameter, or what is passed to or from a function
	fresh   bool   // a kernel parameter: never written
}

func (f *function) lower() {
	for _, p := range f.fn.Params {
		f.param(p)
	}
	for _, p := range f.fn.Returns {
		if s := f.local(p.Span, p.Space, p.Name, p.Type, p.Vector, p.Array, p.Count, p.Align); s != nil {
			f.params[p.Name] = s
			f.returns = append(f.returns, s)
		}
	}
	f.checkAttributes()
	if f.fn.Body == nil {
		return
	}
	f.open = true
	f.block(f.fn.Body)
	if f.open {
		f.terminate("br label %%exit")
	}
	if f.options.Wave64 {
		f.checkBarriers()
	}
}

// param makes the symbol of a parameter: a place in the block of a kernel, a
// local copy in a .func.
func (f *function) param(p ptx.Param) {
	if f.fn.Entry {
		if p.Space != "param" || p.Offset < 0 {
			f.refuse(p.Span, "a kernel parameter outside the parameter block")
			return
		}
		f.params[p.Name] = &symbol{space: spaces["const"], pointer: "%params", offset: p.Offset, size: p.Size, param: true, fresh: true}
		return
	}
	s := f.local(p.Span, p.Space, p.Name, p.Type, p.Vector, p.Array, p.Count, p.Align)
	if s == nil {
		return
	}
	f.params[p.Name] = s
	fmt.Fprintf(&f.entry, "  store %s %s, %s %s, align %d\n", passed(p), s.pointer+".in", s.space.pointer(), s.pointer, s.align)
}

// passed is the type of LLVM in which a parameter or result goes to and from a
// function: structures are arrays, by value like the rest.
func passed(p ptx.Param) string {
	t := scalars[p.Type]
	if p.Array {
		return fmt.Sprintf("[%d x %s]", p.Count, t.word())
	}
	return t.number()
}

// local makes memory for a parameter or result of a call, which is passed by
// value: a scalar or an array.
func (f *function) local(at ptx.Span, where, name, typ string, vector int, array bool, count, align int) *symbol {
	t, ok := elementType(typ)
	if where != "param" || !ok || vector != 0 || array && count < 1 {
		f.refuse(at, "only scalars and arrays in .param space are passed to and from functions")
		return nil
	}
	p := ptx.Param{Type: typ, Array: array, Count: count}
	s := &symbol{space: spaces["local"], pointer: f.value(name), size: t.bits / 8, align: max(align, t.bits/8), typ: passed(p), param: true}
	if array {
		s.size *= count
	}
	fmt.Fprintf(&f.entry, "  %s = alloca %s, align %d, addrspace(5)\n", s.pointer, s.typ, s.align)
	fmt.Fprintf(&f.entry, "  store %s zeroinitializer, %s %s, align %d\n", s.typ, s.space.pointer(), s.pointer, s.align)
	return s
}

// write is the text of the function.
func (f *function) write(b *strings.Builder, group int) {
	line, _ := f.module.Line(f.fn.Start)
	fmt.Fprintf(b, "; line %d\n", line)
	if f.fn.Entry {
		size := f.parameterBlock()
		params := ""
		if size > 0 {
			params = fmt.Sprintf("ptr addrspace(4) noundef readonly byref([%d x i8]) align 16 %%params", size)
		}
		fmt.Fprintf(b, "define protected amdgpu_kernel void @%s(%s) #%d {\n", quote(f.fn.Name), params, group)
	} else {
		fmt.Fprintf(b, "define internal %s @%s(%s) #%d {\n", f.resultType(), quote(f.fn.Name), f.inputs(), group)
	}
	b.WriteString(f.entry.String())
	b.WriteString("  br label %begin\nbegin:\n")
	b.WriteString(f.body.String())
	b.WriteString("exit:\n")
	if len(f.returns) == 0 {
		b.WriteString("  ret void\n}\n")
		return
	}
	s := f.returns[0]
	fmt.Fprintf(b, "  %%result = load %s, %s %s, align %d\n  ret %s %%result\n}\n", f.resultType(), s.space.pointer(), s.pointer, s.align, f.resultType())
}

// parameterBlock is the size of a kernel's parameters in bytes.
func (f *function) parameterBlock() int {
	end := 0
	for _, p := range f.fn.Params {
		end = max(end, p.Offset+p.Size)
	}
	return end
}

func (f *function) resultType() string {
	if len(f.returns) == 0 {
		return "void"
	}
	return f.returns[0].typ
}

func (f *function) inputs() string {
	var list []string
	for _, p := range f.fn.Params {
		if s := f.params[p.Name]; s != nil {
			list = append(list, s.typ+" "+s.pointer+".in")
		}
	}
	return strings.Join(list, ", ")
}

// quote is a name as LLVM writes it after @.
func quote(name string) string {
	for _, r := range name {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.", r) {
			return fmt.Sprintf("%q", name)
		}
	}
	return name
}
