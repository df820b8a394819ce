package emit

import (
	"strings"

	"kmx/cuda/ptx"
)

// instruction is one PTX instruction while it is translated. An operation takes
// the parts of the opcode that it knows; one that is left over is a refusal, so
// that no modifier is ever passed over.
type instruction struct {
	*function
	in    *ptx.Instruction
	taken []bool // parts of the opcode
	loose bool   // registers may be wider than the type
	ftz   bool   // .ftz is set
	// onlySingle: .ftz is for f32 alone, as in cvt, which keeps f16 denormals.
	onlySingle bool
	bad        bool // refused
}

// operations are the instructions by the first part of their opcode.
var operations map[string]func(*instruction)

func init() {
	operations = map[string]func(*instruction){}
	for _, family := range []map[string]func(*instruction){
		integerOperations, bitOperations, carryOperations, floatOperations, approximations, comparisons,
		conversions, moves, memoryOperations, atomicOperations, controlOperations, warpOperations, textureOperations,
	} {
		for name, op := range family {
			if operations[name] != nil {
				panic("emit: two operations for " + name)
			}
			operations[name] = op
		}
	}
}

// instruction translates one, under its guard.
func (f *function) instruction(in *ptx.Instruction) {
	x := &instruction{function: f, in: in, taken: make([]bool, len(in.Parts))}
	x.taken[0] = true
	f.steps = append(f.steps, step{in: in, falls: true})
	op := operations[in.Parts[0]]
	if op == nil {
		x.no("%s is not translated%s", in.Parts[0], reasonFor(in))
		return
	}
	line, _ := f.module.Line(in.Start)
	if !f.open {
		f.start(f.label()) // unreachable, until a label says otherwise
	}
	f.say("; %d: %s", line, oneLine(f.module.Source(in.Span)))
	after := ""
	if in.Guard != nil && !branches[in.Parts[0]] {
		p := x.guard()
		then := f.label()
		after = f.label()
		f.terminate("br i1 %s, label %%%s, label %%%s", p.text, then, after)
		f.start(then)
	}
	op(x)
	if !x.bad {
		for i, t := range x.taken {
			if !t {
				x.no("the modifier .%s of %s is not translated%s", in.Parts[i], in.Parts[0], reasonFor(in))
				break
			}
		}
	}
	if after != "" {
		f.start(after)
	}
}

// branches translate their guard themselves.
var branches = map[string]bool{"bra": true, "ret": true, "exit": true}

// guard is the condition under which the instruction runs.
func (x *instruction) guard() value {
	p := x.read(x.in.Guard.Register, scalars["pred"])
	if x.in.Guard.Negated {
		p = x.do("i1", "xor %s, true", p)
	}
	return p
}

// no refuses the instruction.
func (x *instruction) no(format string, args ...any) {
	x.bad = true
	x.refuse(x.in.Span, format, args...)
}

// flag takes a modifier and says whether it is there.
func (x *instruction) flag(name string) bool { return x.one(name) != "" }

// one takes the first modifier that is one of these, "" where none is.
func (x *instruction) one(names ...string) string {
	for i, p := range x.in.Parts {
		if x.taken[i] {
			continue
		}
		for _, n := range names {
			if p == n {
				x.taken[i] = true
				return n
			}
		}
	}
	return ""
}

// typ takes the next type; what is not among those allowed is refused.
// allowed are names, a number of which may be joined by blanks.
func (x *instruction) typ(allowed string) scalar {
	for i, p := range x.in.Parts {
		if _, isType := ptx.TypeSize(p); !isType || x.taken[i] {
			continue
		}
		for _, a := range strings.Fields(allowed) {
			if a == p {
				x.taken[i] = true
				return scalars[p]
			}
		}
		x.no("%s with the type .%s is not translated%s", x.in.Parts[0], p, reasonFor(x.in))
		return scalars["b32"]
	}
	x.no("the type of %s is missing", x.in.Parts[0])
	return scalars["b32"]
}

// nextType is the type that typ would take.
func (x *instruction) nextType() string {
	for i, p := range x.in.Parts {
		if _, isType := ptx.TypeSize(p); isType && !x.taken[i] {
			return p
		}
	}
	return ""
}

// flushing takes .ftz.
func (x *instruction) flushing() { x.ftz = x.flag("ftz") }

// rounding takes the rounding of an arithmetic instruction; none means .rn here.
func (x *instruction) rounding() string {
	if r := x.one("rn", "rz", "rm", "rp"); r != "" {
		return r
	}
	return "rn"
}

// saturated is a number limited to [0, 1], NaN to 0, where .sat asks for it.
func (x *instruction) saturated(v value, t scalar, sat bool) value {
	if !sat {
		return v
	}
	return x.call(t.number(), "ptx.sat."+t.suffix(), v)
}
