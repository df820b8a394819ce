package tex

import (
	"fmt"
	"strings"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// roundf is compiled to a directed rounding: x plus one half with x's sign,
// rounded towards zero, then its integer part.
//
//	form A: s = (x and 80000000) or 3F000000      form B: s = copysign(x, 0.5)
//	        d = add.rz x, s ; r = cvt.rzi d               the same
//
// One instruction with another rounding mode than the rest makes a compiler for
// AMD GPUs treat the whole kernel as one with strict floating point. The same
// number comes without it:
//
//	t = cvt.rzi x ; r = |x - t| >= 0.5 ? t + 2s : t
//
// x - t is exact, and t + 2s is where it is used (below 2^23). Equal for every
// f32 that is no NaN, denormals flushed or not (measured, all 2^32). Both sums name
// their rounding, without which ptxas might fuse a product into them.
const (
	half    = 0x3F000000
	signBit = 0x80000000
)

// directed is the directed rounding of an instruction: "rz", "rm", "rp" or "".
// Conversions to integers (.rzi, .rmi, .rpi) have none.
func directed(in *ptx.Instruction) string {
	for _, p := range in.Parts[1:] {
		switch p {
		case "rz", "rm", "rp":
			return p
		}
	}
	return ""
}

// rounding rewrites the idiom in what is kept and refuses any other directed
// rounding there.
func (e *editor) rounding() {
	for _, in := range e.list {
		if !e.kept(in) || directed(in) == "" {
			continue
		}
		if in.Opcode != "add.rz.f32" && in.Opcode != "add.rz.ftz.f32" {
			e.problems.at(in.Span, in.Opcode+" rounds ."+directed(in)+", which would make the whole kernel strict in floating point",
				"a recipe can rewrite roundf only (add.rz.f32 of one half, then cvt.rzi): this kernel needs a rewrite of its own")
			continue
		}
		e.roundf(in)
	}
}

// roundf rewrites the idiom that has its addition at add.
func (e *editor) roundf(add *ptx.Instruction) {
	d, dok := e.reg(add, 0)
	a, aok := e.reg(add, 1)
	b, bok := e.reg(add, 2)
	if !dok || !aok || !bok || len(add.Operands) != 3 {
		e.unpaired(add, reason{text: "it does not add two registers"})
		return
	}
	x, s := 1, 2
	if why := e.isHalf(add, b, a); why.text != "" {
		if other := e.isHalf(add, a, b); other.text != "" {
			e.unpaired(add, reason{why.text + "; with the operands the other way round, " + other.text, why.at})
			return
		}
		x, s = 2, 1
	}
	var cvts []*ptx.Instruction
	for _, use := range e.flow.Uses(d) {
		if !contains(e.flow.ReachingDefs(use, d), add) {
			continue
		}
		switch {
		case use.Opcode != "cvt.rzi.f32.f32" && use.Opcode != "cvt.rzi.ftz.f32.f32":
			e.unpaired(add, because(use, "its result is used in line %d by %s, not by cvt.rzi.f32.f32 alone", e.line(use), use.Opcode))
			return
		case len(e.flow.ReachingDefs(use, d)) != 1:
			e.unpaired(add, because(use, "the cvt.rzi in line %d may take %s from elsewhere", e.line(use), d))
			return
		case written(use, 0) == "" || written(use, 1) == "":
			e.unpaired(add, because(use, "the cvt.rzi in line %d has other operands than two registers", e.line(use)))
			return
		case !e.kept(use):
			e.unpaired(add, because(use, "the cvt.rzi in line %d is in the part that is replaced", e.line(use)))
			return
		}
		cvts = append(cvts, use)
	}
	if len(cvts) == 0 {
		e.unpaired(add, reason{text: "no cvt.rzi.f32.f32 takes its result"})
		return
	}
	e.replace("round", add.Span, e.rewritten(add, cvts[0], x, s))
	for _, c := range cvts {
		e.replace("", c.Span, guard(c)+"mov.f32 "+written(c, 0)+", "+written(c, 1)+";")
	}
}

func (e *editor) unpaired(add *ptx.Instruction, why reason) {
	m := e.problems.at(add.Span, add.Opcode+" that is no part of roundf: "+why.text,
		"a recipe can rewrite roundf only: x plus one half with the sign of x, of which cvt.rzi.f32.f32 takes the integer part")
	if why.at != nil && why.at != add {
		m.Notes = append(m.Notes, diag.Note{Where: e.m.Where(why.at.Span), Text: "because of this: " + oneLine(e.m.Source(why.at.Span), 120)})
	}
}

// rewritten computes the rounded number where add stands; x and s are the numbers
// of its operands. cvt says whether the conversion flushes denormals.
func (e *editor) rewritten(add, cvt *ptx.Instruction, xAt, sAt int) string {
	d, x, s := written(add, 0), written(add, xAt), written(add, sAt)
	ftz := ""
	if add.Has("ftz") {
		ftz = ".ftz"
	}
	n := e.names
	t, diff, up, p := n.reg("t"), n.reg("diff"), n.reg("up"), n.reg("p")
	return strings.Join([]string{
		"{",
		fmt.Sprintf(".reg .pred %s;", p),
		fmt.Sprintf(".reg .f32 %s, %s, %s;", t, diff, up),
		fmt.Sprintf("%s %s, %s;", cvt.Opcode, t, x),
		fmt.Sprintf("sub.rn%s.f32 %s, %s, %s;", ftz, diff, x, t),
		fmt.Sprintf("abs%s.f32 %s, %s;", ftz, diff, diff),
		fmt.Sprintf("setp.ge%s.f32 %s, %s, 0f%08X;", ftz, p, diff, half),
		fmt.Sprintf("add.rn%s.f32 %s, %s, %s;", ftz, up, s, s),
		fmt.Sprintf("add.rn%s.f32 %s, %s, %s;", ftz, up, t, up),
		fmt.Sprintf("%sselp.f32 %s, %s, %s, %s;", guard(add), d, up, t, p),
		"}",
	}, "\n\t")
}

// guard is the guard of an instruction as it is written before another one.
func guard(in *ptx.Instruction) string {
	if in.Guard == nil {
		return ""
	}
	if in.Guard.Negated {
		return "@!" + in.Guard.Register.Name + " "
	}
	return "@" + in.Guard.Register.Name + " "
}

func contains(list []*ptx.Instruction, in *ptx.Instruction) bool {
	for _, o := range list {
		if o == in {
			return true
		}
	}
	return false
}
