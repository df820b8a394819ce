package ptx

import "strings"

// carry is the name under which the carry flag appears in the data flow: add.cc
// writes it and addc reads it.
const carry = "CC.CF"

// writesNothing are the operations whose first operand is no destination
// although it may be a register. An operation whose first operand is an
// address or a constant has none either, and needs no entry.
var writesNothing = map[string]bool{
	"bra": true, "brx": true, "ret": true, "exit": true, "trap": true, "brkpt": true,
	"bar": true, "barrier": true, "membar": true, "fence": true, "nanosleep": true,
	"pmevent": true, "setmaxnreg": true, "stackrestore": true, "griddepcontrol": true,
}

// readsDestination are operations that add to their first operand.
var readsDestination = map[string]bool{"wgmma": true}

// Destinations are the operands that an instruction writes, vectors and pairs
// not taken apart. Whether an operand is written is decided by the operation
// alone; types play no part.
func (in *Instruction) Destinations() []Operand {
	if in.Call != nil {
		return in.Call.Returns
	}
	if len(in.Operands) == 0 {
		return nil
	}
	if writesNothing[in.Op()] && !(in.Has("red") && (in.Op() == "bar" || in.Op() == "barrier")) {
		return nil
	}
	switch in.Operands[0].(type) {
	case *Register, *Vector, *Pair, *Sink:
		return in.Operands[:1]
	}
	return nil
}

// Sources are the operands that an instruction reads, the guard not among
// them. The target of a call and of a branch is one.
func (in *Instruction) Sources() []Operand {
	if c := in.Call; c != nil {
		return append([]Operand{c.Target}, c.Args...)
	}
	if n := len(in.Destinations()); n > 0 && !readsDestination[in.Op()] {
		return in.Operands[n:]
	}
	return in.Operands
}

// Ends reports whether control does not go on behind the instruction when its
// guard holds: a branch, return, exit or trap.
func (in *Instruction) Ends() bool {
	switch in.Op() {
	case "bra", "brx", "ret", "exit", "trap":
		return true
	}
	return false
}

// registersOf calls visit for every register in o.
func registersOf(o Operand, visit func(*Register)) {
	switch o := o.(type) {
	case *Register:
		visit(o)
	case *Immediate, *Symbol, *Sink:
	default:
		WalkOperand(o, func(o Operand) {
			if r, ok := o.(*Register); ok {
				visit(r)
			}
		})
	}
}

var special = map[string]bool{
	"%tid": true, "%ntid": true, "%laneid": true, "%warpid": true, "%nwarpid": true,
	"%ctaid": true, "%nctaid": true, "%smid": true, "%nsmid": true, "%gridid": true,
	"%is_explicit_cluster": true, "%clusterid": true, "%nclusterid": true,
	"%cluster_ctaid": true, "%cluster_nctaid": true, "%cluster_ctarank": true, "%cluster_nctarank": true,
	"%lanemask_eq": true, "%lanemask_le": true, "%lanemask_lt": true, "%lanemask_ge": true, "%lanemask_gt": true,
	"%clock": true, "%clock_hi": true, "%clock64": true,
	"%globaltimer": true, "%globaltimer_lo": true, "%globaltimer_hi": true,
	"%reserved_smem_offset_begin": true, "%reserved_smem_offset_end": true, "%reserved_smem_offset_cap": true,
	"%reserved_smem_offset": true, "%total_smem_size": true, "%aggr_smem_size": true, "%dynamic_smem_size": true,
	"%current_graph_exec": true,
}

// IsSpecial reports whether a name is that of a predefined register such as
// %tid.x, %laneid or %envreg3.
func IsSpecial(name string) bool {
	base := baseName(name)
	if special[base] {
		return true
	}
	prefix, _, ok := splitNumber(strings.TrimSuffix(base, "_64"))
	return ok && (prefix == "%pm" || prefix == "%envreg" || prefix == "%reserved_smem_offset_")
}

// baseName is the name without the part that is picked from it: %tid of
// %tid.x.
func baseName(name string) string {
	for i := 0; i < len(name); i++ {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return name
}
