package emit

import (
	"fmt"
	"slices"
	"strings"

	"kmx/cuda/ptx"
)

// Jumps, calls and the barrier of a block.
var controlOperations = map[string]func(*instruction){
	"bra":     branch,
	"ret":     leave,
	"exit":    leave,
	"call":    callFunction,
	"bar":     barrier,
	"barrier": barrier,
	"trap": func(x *instruction) {
		if x.count(0) {
			x.perform("llvm.trap")
		}
	},
}

func branch(x *instruction) {
	x.flag("uni")
	if !x.count(1) {
		return
	}
	s, ok := x.in.Operands[0].(*ptx.Symbol)
	if !ok || s.Offset != 0 {
		x.no("a jump to %s", x.module.Source(x.in.Operands[0].Range()))
		return
	}
	to, ok := x.target(s.Name)
	if !ok {
		x.no("there is no label %s in reach", s.Name)
		return
	}
	x.jump(to)
}

// jump ends the block with a jump, under the guard of the instruction.
func (x *instruction) jump(to string) {
	s := &x.steps[len(x.steps)-1]
	s.to, s.falls = to, x.in.Guard != nil
	if x.in.Guard == nil {
		x.terminate("br label %%%s", to)
		return
	}
	p, next := x.guard(), x.label()
	x.terminate("br i1 %s, label %%%s, label %%%s", p.text, to, next)
	x.start(next)
}

// leave is ret and exit. In a .func exit ends the thread, which the GPU has no
// way to do from there.
func leave(x *instruction) {
	x.flag("uni")
	if x.in.Parts[0] == "exit" && !x.fn.Entry {
		x.no("exit in a function")
		return
	}
	if x.count(0) {
		x.jump("exit")
	}
}

// barrier is bar.sync 0 and its kind: all threads of the block.
func barrier(x *instruction) {
	x.flag("cta")
	if x.in.Parts[0] == "bar" && x.flag("warp") {
		x.flag("sync")
		if x.count(1) {
			x.arg(0, scalars["b32"])
			x.perform("ptx.bar.warp.sync")
		}
		return
	}
	sync := x.flag("sync")
	x.flag("aligned")
	if !sync || len(x.in.Operands) != 1 {
		x.no("only a barrier of all threads of the block (bar.sync 0) is translated")
		return
	}
	if id, ok := x.in.Operands[0].(*ptx.Immediate); !ok || id.Bits != 0 {
		x.no("only the barrier 0 is translated")
		return
	}
	x.barriers = append(x.barriers, x.in)
	if x.options.Wave64 && x.in.Guard != nil {
		x.no("in wave64, a barrier under a guard: the two warps of a wave may differ")
	}
	if x.options.Wave64 && !x.fn.Entry {
		x.no("in wave64, a barrier in a function: whether both warps of a wave meet it is not looked into")
	}
	x.perform("ptx.bar.sync")
}

// callFunction calls a function of the module or of the linked bitcode. What is
// passed are scalars, by value.
func callFunction(x *instruction) {
	x.flag("uni")
	c := x.in.Call
	target, ok := c.Target.(*ptx.Symbol)
	if !ok || c.Prototype != nil {
		x.no("an indirect call")
		return
	}
	fn := x.module.Function(target.Name)
	if fn == nil || fn.Entry {
		x.no("%s is no function of the module", target.Name)
		return
	}
	if slices.Contains(x.path, fn) {
		x.no("a call of %s from itself", fn.Name)
		return
	}
	if len(c.Args) != len(fn.Params) || len(c.Returns) != len(fn.Returns) || len(fn.Returns) > 1 {
		x.no("%s is called with %d arguments and %d results, it is declared with %d and %d", fn.Name, len(c.Args), len(c.Returns), len(fn.Params), len(fn.Returns))
		return
	}
	if !x.callee(fn) {
		return
	}
	var args []string
	for i, a := range c.Args {
		args = append(args, x.argument(a, fn.Params[i]).String())
	}
	if len(fn.Returns) == 0 {
		x.say("call void @%s(%s)", quote(fn.Name), strings.Join(args, ", "))
		return
	}
	t, result := scalars[fn.Returns[0].Type], passed(fn.Returns[0])
	v := x.do(result, "call %s @%s(%s)", result, quote(fn.Name), strings.Join(args, ", "))
	if s := x.variable(c.Returns[0]); s != nil {
		if s.typ != result && (fn.Returns[0].Array || s.size != t.bits/8) {
			x.no("the result of %s is another type than %s", fn.Name, x.module.Source(c.Returns[0].Range()))
		}
		x.say("store %s, %s %s, align %d", v, s.space.pointer(), s.pointer, s.align)
		return
	}
	if fn.Returns[0].Array {
		x.no("an array returned to a register")
		return
	}
	x.write(c.Returns[0], x.toWord(v, t), t)
}

// callee makes sure that a function can be called: it is translated, or declared
// where bitcode is linked.
func (x *instruction) callee(fn *ptx.Function) bool {
	for _, p := range append(slices.Clone(fn.Params), fn.Returns...) {
		if _, ok := elementType(p.Type); !ok || p.Space != "param" || p.Vector != 0 || p.Array && (p.Count < 1 || fn.Body == nil) {
			x.no("%s takes or returns what is no scalar in .param space", fn.Name)
			return false
		}
	}
	if fn.Body != nil {
		x.lowerFunction(fn, x.path)
		return true
	}
	if len(x.options.Bitcode) == 0 {
		x.no("%s is an external function, and no bitcode is given that has it", fn.Name)
		return false
	}
	var types []string
	for _, p := range fn.Params {
		types = append(types, passed(p))
	}
	result := "void"
	if len(fn.Returns) == 1 {
		result = passed(fn.Returns[0])
	}
	x.declareExtern(fn.Name, result, types)
	return true
}

func (l *lowering) declareExtern(name, result string, types []string) {
	l.externs[name] = fmt.Sprintf("declare hidden %s @%s(%s) #0\n", result, quote(name), strings.Join(types, ", "))
}

// variable is the symbol of an operand that names a .param variable.
func (x *instruction) variable(op ptx.Operand) *symbol {
	s, ok := op.(*ptx.Symbol)
	if !ok || !x.isParameter(s.Name) {
		return nil
	}
	return x.lookup(s.Name)
}

// argument is an argument of a call: a .param variable, register or constant.
func (x *instruction) argument(op ptx.Operand, p ptx.Param) value {
	t, typ := scalars[p.Type], passed(p)
	s := x.variable(op)
	switch {
	case s == nil && p.Array:
		x.no("the argument %s is no array", x.module.Source(op.Range()))
		return value{typ, "zeroinitializer"}
	case s == nil:
		return x.toNumber(x.read(op, t), t)
	case s.fresh || s.typ != typ && (p.Array || s.size != t.bits/8):
		x.no("the argument %s is of another type than the parameter", x.module.Source(op.Range()))
	}
	return x.do(typ, "load %s, %s %s, align %d", typ, s.space.pointer(), s.pointer, s.align)
}
