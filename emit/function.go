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

// take finds a name that is free in the function, as near to the PTX name as
// can be.
func (f *function) take(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '%' {
			return -1
		}
		return r
	}, name)
	free := name
	for i := 2; f.names[free]; i++ {
		free = fmt.Sprintf("%s.%d", name, i)
	}
	f.names[free] = true
	return free
}

// value is take for the name of a value.
func (f *function) value(name string) string { return "%" + f.take(name) }

// fresh is the name of a label that no PTX label has.
func (f *function) label() string {
	f.temps++
	return fmt.Sprintf(".%d", f.temps-1)
}

// do writes an instruction that has a result.
func (f *function) do(typ, format string, args ...any) value {
	v := value{typ, fmt.Sprintf("%%.%d", f.temps)}
	f.temps++
	f.say("%s = "+format, append([]any{v.text}, args...)...)
	return v
}

// say writes an instruction without a result.
func (f *function) say(format string, args ...any) {
	if !f.open {
		f.start(f.label()) // nothing jumps here
	}
	fmt.Fprintf(&f.body, "  "+format+"\n", args...)
}

// call calls an intrinsic of LLVM or a function of the library.
func (f *function) call(typ, name string, args ...value) value {
	f.use(name)
	return f.do(typ, "call %s @%s(%s)", typ, name, list(args))
}

// perform is call without a result.
func (f *function) perform(name string, args ...value) {
	f.use(name)
	f.say("call void @%s(%s)", name, list(args))
}

func list(args []value) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.String()
	}
	return strings.Join(texts, ", ")
}

// terminate ends the current block, start begins one; a block without an end
// falls through.
func (f *function) terminate(format string, args ...any) {
	f.say(format, args...)
	f.open = false
}

func (f *function) start(label string) {
	if f.open {
		f.terminate("br label %%%s", label)
	}
	fmt.Fprintf(&f.body, "%s:\n", label)
	f.open = true
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
