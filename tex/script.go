package tex

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// address is [base+offset].
func address(base string, offset int) string {
	if offset == 0 {
		return "[" + base + "]"
	}
	return fmt.Sprintf("[%s+%d]", base, offset)
}

// script collects the statements before a call: registers of the call's scope,
// what fills them, and the arguments.
type script struct {
	e     *editor
	regs  map[string][]string // by type
	lines []string
	args  []string
}

func (e *editor) script() *script { return &script{e: e, regs: map[string][]string{}} }

// declare declares a register of the scope.
func (s *script) declare(typ, what string) string {
	r := s.e.names.reg(what)
	s.regs[typ] = append(s.regs[typ], r)
	return r
}

// statements are the declarations, then what fills the registers.
func (s *script) statements() []string {
	var list []string
	for _, typ := range slices.Sorted(maps.Keys(s.regs)) {
		list = append(list, fmt.Sprintf(".reg .%s %s;", typ, strings.Join(s.regs[typ], ", ")))
	}
	return append(list, s.lines...)
}

// load passes the parameters from offset on: one of 64 bits, or as many of 32
// as what has words.
func (s *script) load(offset int, typ string, what ...string) {
	size := map[string]int{"b64": 8, "b32": 4}[typ]
	for i, w := range what {
		at, ok := s.e.paramAt(offset+i*size, size)
		if !ok {
			s.e.problems.at(s.e.f.NameAt, fmt.Sprintf("the kernel has no parameter at offset %d, which holds %s", offset+i*size, w), "this is not the kernel that the recipe was written for")
			at = "[0]"
		}
		r := s.declare(typ, w)
		s.lines = append(s.lines, fmt.Sprintf("ld.param.%s %s, %s;", typ, r, at))
		s.args = append(s.args, r)
	}
}

// move passes a value that mov takes: a symbol's address, a special register.
func (s *script) move(what, from string) {
	r := s.declare("b32", what)
	s.lines = append(s.lines, fmt.Sprintf("mov.u32 %s, %s;", r, from))
	s.args = append(s.args, r)
}

// pass passes a register of the kernel.
func (s *script) pass(reg string) { s.args = append(s.args, reg) }
