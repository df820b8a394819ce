package ptx

import (
	"math"
)

// combine computes n op m; ok is false for a division by zero and for
// operators that floating-point numbers do not have.
func combine(op string, n, m number) (r number, ok bool) {
	if n.kind != Int || m.kind != Int {
		return combineFloat(op, n, m)
	}
	r.unsigned = n.unsigned || m.unsigned
	a, b := n.bits, m.bits
	less := int64(a) < int64(b)
	if r.unsigned {
		less = a < b
	}
	switch op {
	case "*":
		r.bits = a * b
	case "/", "%":
		if b == 0 {
			return r, false
		}
		r.bits = divide(op == "%", r.unsigned, a, b)
	case "+":
		r.bits = a + b
	case "-":
		r.bits = a - b
	case "<<":
		r.bits, r.unsigned = a<<min(b, 64), n.unsigned
	case ">>":
		r.bits, r.unsigned = uint64(int64(a)>>min(b, 63)), n.unsigned
		if n.unsigned {
			r.bits = a >> min(b, 64)
		}
	case "&":
		r.bits = a & b
	case "|":
		r.bits = a | b
	case "^":
		r.bits = a ^ b
	default:
		return number{bits: compare(op, a == b, less, a != 0, b != 0)}, true
	}
	return r, true
}

func divide(rest, unsigned bool, a, b uint64) uint64 {
	switch {
	case unsigned && rest:
		return a % b
	case unsigned:
		return a / b
	case int64(b) == -1: // the one quotient that overflows wraps
		if rest {
			return 0
		}
		return -a
	case rest:
		return uint64(int64(a) % int64(b))
	}
	return uint64(int64(a) / int64(b))
}

func combineFloat(op string, n, m number) (r number, ok bool) {
	a, b := n.float(), m.float()
	switch op {
	case "*":
		a *= b
	case "/":
		a /= b
	case "+":
		a += b
	case "-":
		a -= b
	case "%", "<<", ">>", "&", "|", "^":
		return r, false
	default:
		return number{bits: compare(op, a == b, a < b, a != 0, b != 0)}, true
	}
	return number{kind: F64, bits: math.Float64bits(a)}, true
}

func (n number) float() float64 {
	switch {
	case n.kind == F32:
		return float64(math.Float32frombits(uint32(n.bits)))
	case n.kind == F64:
		return math.Float64frombits(n.bits)
	case n.unsigned:
		return float64(n.bits)
	}
	return float64(int64(n.bits))
}

func compare(op string, equal, less, a, b bool) uint64 {
	switch op {
	case "<":
		return truth(less)
	case "<=":
		return truth(less || equal)
	case ">":
		return truth(!less && !equal)
	case ">=":
		return truth(!less)
	case "==":
		return truth(equal)
	case "!=":
		return truth(!equal)
	case "&&":
		return truth(a && b)
	}
	return truth(a || b)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
