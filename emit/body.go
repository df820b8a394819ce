package emit

import (
	"fmt"
	"strings"
)

// What a function's text is made with: names, instructions and basic blocks.

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

// label is the name of a label that no PTX label has.
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
