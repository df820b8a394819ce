package main

import "slices"

// arithmeticOperators break sums, products and their rounding.
func arithmeticOperators() []operator {
	return []operator{
		{"swap operands", swapOperands},
		{"skip an addend", skipAddend},
		{"other arithmetic", otherArithmetic},
		{"round otherwise", roundOtherwise},
		{"sum in another order", reorder},
		{"drop clamp", dropClamp},
		{"drop quantisation", dropQuantisation},
	}
}

// commutative are calls whose first two arguments may stand in any order.
var commutative = []string{"add", "larger", "plus", "__builtin_elementwise_min", "__builtin_elementwise_max", "KMX_HOOK", "K_LAYER", "fma16",
	"__builtin_elementwise_fma", "__builtin_fmaf", "laid_out", "__hip_atomic_load", "__hip_atomic_store", "KMX_KERNEL"}

// swapOperands exchanges the sides of an operator, or arguments.
func swapOperands(s *source, i int) []change {
	if s.binary(i, "-", "/", "%", "<<", ">>") {
		a, ok := s.before(i)
		b, ok2 := s.after(i)
		if ok && ok2 {
			return s.replace(span{a.first, b.last}, s.readSpan(b)+" "+s.tokens[i].text+" "+s.readSpan(a))
		}
	}
	open, ok := s.call(i)
	if !ok || slices.Contains(commutative, s.tokens[i].text) {
		return nil
	}
	var list []change
	args := s.arguments(open)
	for n := 0; n+1 < len(args); n++ {
		a, b := args[n], args[n+1]
		if s.readSpan(a) != s.readSpan(b) {
			list = append(list, s.replace(span{a.first, b.last}, s.readSpan(b)+", "+s.readSpan(a))...)
		}
	}
	return list
}

// skipAddend leaves out what is added.
func skipAddend(s *source, i int) []change {
	if s.is(i, "+=") {
		return s.put(i, "=")
	}
	if !s.binary(i, "+", "-") {
		return nil
	}
	a, ok := s.termBefore(i)
	b, ok2 := s.termAfter(i)
	if !ok || !ok2 {
		return nil
	}
	list := s.replace(span{a.first, b.last}, s.readSpan(a))
	if s.is(i, "+") {
		list = append(list, s.replace(span{a.first, b.last}, s.readSpan(b))...)
	}
	return list
}

var others = map[string]string{"+": "-", "-": "+", "*": "+", "/": "%", "%": "/", "&": "|", "|": "&", "<<": ">>", ">>": "<<"}

func otherArithmetic(s *source, i int) []change {
	other := others[s.tokens[i].text]
	if other == "" || !s.binary(i, s.tokens[i].text) || s.inFor(i) {
		return nil
	}
	if _, ok := s.before(i); !ok {
		return nil
	}
	return s.put(i, other)
}

// roundOtherwise rounds once more, or towards zero.
func roundOtherwise(s *source, i int) []change {
	open, ok := s.call(i)
	if !ok {
		return nil
	}
	args := s.arguments(open)
	whole := span{s.chain(i), s.match[open]}
	call := s.readSpan(whole)
	switch name := s.tokens[i].text; {
	case name == "fma16" && len(args) == 3:
		return s.replace(whole, "(("+s.readSpan(args[0])+") * ("+s.readSpan(args[1])+") + ("+s.readSpan(args[2])+"))")
	case name == "narrow" && len(args) == 1:
		return s.replace(whole, "(f16)__builtin_amdgcn_cvt_pkrtz("+s.readSpan(args[0])+", 0.0f)[0]")
	case name == "add_wide":
		return s.replace(whole, "(f32)(f16)"+call)
	case (name == "mma_f16" || name == "mma_fp8") && !(s.is(whole.first-1, "(") && s.is(whole.first-2, "round")):
		return s.replace(whole, "wmma::widen(wmma::round("+call+"))")
	case name == "sum_rows" || name == "sum_k":
		return s.replace(whole, "(f32)__builtin_amdgcn_cvt_pkrtz("+call+", 0.0f)[0]")
	}
	return nil
}

// reorder adds or multiplies in another order: a + (b + c) as (a + b) + c. That
// differs for floats only.
func reorder(s *source, i int) []change {
	if !s.binary(i, "+", "*") || !s.is(i+1, "(") {
		return nil
	}
	a, ok := s.before(i)
	end := s.match[i+1]
	inner, ok2 := s.after(i + 1)
	op := inner.last + 1
	if !ok || !ok2 || !s.binary(op, s.tokens[i].text) || op >= end {
		return nil
	}
	sign := " " + s.tokens[i].text + " "
	return s.replace(span{a.first, end}, "(("+s.readSpan(a)+sign+s.readSpan(inner)+")"+sign+s.read(op+1, end-1)+")")
}

// dropClamp leaves out limits.
func dropClamp(s *source, i int) []change {
	open, ok := s.call(i)
	if !ok {
		return nil
	}
	args := s.arguments(open)
	whole := span{s.chain(i), s.match[open]}
	switch s.tokens[i].text {
	case "clamp_abs", "__builtin_elementwise_min", "__builtin_elementwise_max", "positive16", "saturate", "abs16":
		return s.replace(whole, "("+s.readSpan(args[0])+")")
	}
	return nil
}

// dropQuantisation leaves values as they are, where others are rounded to e4m3,
// or leaves out what an activation does.
func dropQuantisation(s *source, i int) []change {
	open, ok := s.call(i)
	if !ok {
		return nil
	}
	args := s.arguments(open)
	if len(args) != 1 {
		return nil
	}
	whole := span{s.chain(i), s.match[open]}
	arg := s.readSpan(args[0])
	switch s.tokens[i].text {
	case "q8", "gelu16", "exponential", "softmax":
		return s.replace(whole, "("+arg+")")
	case "quantised":
		return s.replace(whole, "wmma::join("+arg+")")
	case "pack":
		return s.replace(whole, "("+arg+")")
	}
	return nil
}
