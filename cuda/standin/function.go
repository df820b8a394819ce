package standin

import "strings"

// class is a kind of register; the order is that of the declarations.
type class uint8

const (
	pred class = iota
	half
	word
	float
	long
	classes
)

var prefixes = [classes]string{"%p", "%rs", "%r", "%f", "%rd"}
var kinds = [classes]string{".pred", ".b16", ".b32", ".f32", ".b64"}

// reg is a register of a function. It gets its number when all is scheduled.
type reg struct {
	class  class
	number int
	home   *block // where it is written first
	wide   bool   // lives across blocks
}

// Operands besides *reg, int (an integer), float64 (an f32) and string (as is).
type (
	vec   []*reg
	mem   struct{ base, offset any } // [base+offset]; base: *reg or string
	texel struct {
		object *reg
		at     vec
	}
	target struct{ *block }    // of a branch
	both   struct{ d, p *reg } // d|p
)

// style is how an instruction is printed.
type style uint8

const (
	plain  style = iota
	inline       // as inline assembly: between comments, in braces
)

// inst is one statement, or a few that stay together (lines).
type inst struct {
	guard      *reg
	not        bool
	op         string
	args       []any
	style      style
	defs, uses []*reg
	lines      func(name func(*reg) string) []string // instead of op and args

	// memory it accesses, while a block is scheduled
	space  string
	writes bool
}

// block is a basic block. Frozen ones keep the order they are written in.
type block struct {
	label  int // 0: nobody jumps here
	number int // in the function
	insts  []*inst
	frozen bool
	pragma string // printed behind the label
}

// fn is a function under construction.
type fn struct {
	name      string
	index     int // of the function in its module, part of its labels
	layout    []Param
	rounded   form
	blocks    []*block
	cur       *block
	all       []*reg
	shared    []array
	depot     int // bytes of local memory
	frozen    bool
	roundings int
	sequence  int  // of calls
	scoped    bool // halves are taken apart in scopes of their own
}

// array is shared memory of a function.
type array struct {
	name  string
	bytes int
}

func newFunction(name string, index int, layout []Param, f form) *fn {
	fn := &fn{name: name, index: index, layout: layout, rounded: f}
	fn.cur = fn.block()
	fn.place(fn.cur)
	return fn
}

// block makes a block that is not placed yet.
func (f *fn) block() *block { return &block{frozen: f.frozen} }

// place puts a block behind the others and goes on in it.
func (f *fn) place(b *block) {
	b.number = len(f.blocks)
	b.frozen = f.frozen
	f.blocks = append(f.blocks, b)
	f.cur = b
}

// freeze begins a block in which, and behind which, statements keep their order.
func (f *fn) freeze(on bool) {
	f.frozen = on
	f.place(f.block())
}

func (f *fn) reg(c class) *reg {
	r := &reg{class: c}
	f.all = append(f.all, r)
	return r
}

func (f *fn) add(in *inst) *inst {
	f.cur.insts = append(f.cur.insts, in)
	for _, r := range in.defs {
		r.seen(f.cur)
	}
	for _, r := range in.uses {
		r.seen(f.cur)
	}
	return in
}

func (r *reg) seen(b *block) {
	switch {
	case r.home == nil:
		r.home = b
	case r.home != b:
		r.wide = true
	}
}

// results says whether an instruction writes its first operand.
func results(op string) bool {
	for _, p := range []string{"st.", "sust.", "bra", "bar.", "red.", "ret", "fence."} {
		if strings.HasPrefix(op, p) {
			return false
		}
	}
	return true
}

// do appends an instruction.
func (f *fn) do(op string, args ...any) *inst {
	in := &inst{op: op, args: args}
	for i, a := range args {
		regs := registers(a)
		if i == 0 && results(op) {
			in.defs = regs
		} else {
			in.uses = append(in.uses, regs...)
		}
	}
	return f.add(in)
}

// asm appends an instruction as inline assembly.
func (f *fn) asm(op string, args ...any) *inst {
	in := f.do(op, args...)
	in.style = inline
	return in
}

// under puts a guard before an instruction.
func (in *inst) under(p *reg, f *fn) *inst {
	in.guard = p
	in.uses = append(in.uses, p)
	p.seen(f.cur)
	return in
}

// unless puts a negated guard before an instruction.
func (in *inst) unless(p *reg, f *fn) *inst {
	in.not = true
	return in.under(p, f)
}

func registers(a any) []*reg {
	switch a := a.(type) {
	case *reg:
		return []*reg{a}
	case vec:
		return a
	case mem:
		return append(registers(a.base), registers(a.offset)...)
	case texel:
		return append([]*reg{a.object}, a.at...)
	case both:
		return []*reg{a.d, a.p}
	}
	return nil
}

// result appends an instruction that writes a new register.
func (f *fn) result(c class, op string, args []any) *reg {
	d := f.reg(c)
	f.do(op, append([]any{d}, args...)...)
	return d
}

func (f *fn) pred(op string, args ...any) *reg  { return f.result(pred, op, args) }
func (f *fn) word(op string, args ...any) *reg  { return f.result(word, op, args) }
func (f *fn) float(op string, args ...any) *reg { return f.result(float, op, args) }
func (f *fn) long(op string, args ...any) *reg  { return f.result(long, op, args) }

// vector is n new registers.
func (f *fn) vector(c class, n int) vec {
	v := make(vec, n)
	for i := range v {
		v[i] = f.reg(c)
	}
	return v
}
