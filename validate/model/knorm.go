package model

import (
	"kmx/internal/num"
)

// norm divides each token by its length and multiplies by gamma: no mean, no
// epsilon, so a token of zeros becomes NaN.
//
//	s  = f16(sum over c of f16(x*x)), a float32 running sum in channel order
//	r  = f16(rsqrt(s))
//	h1 = f16(x * f16(r * gamma))
func (m *k) norm(x Values, trace *Trace) Values {
	out := NewValues(x.Rows, x.Cols)
	sums, roots := NewValues(x.Rows, 1), NewValues(x.Rows, 1)
	for t := range x.Rows {
		var sum float32
		for _, v := range x.Row(t) {
			sum += num.Mul(v, v).Float32()
		}
		s := num.F16FromFloat32(sum)
		r := num.F16FromFloat32(m.rsqrt(s.Float32()))
		for c, v := range x.Row(t) {
			out.Row(t)[c] = num.Mul(v, num.Mul(r, m.g1[c]))
		}
		sums.V[t], roots.V[t] = s, r
	}
	trace.note("norm1.sum", sums)
	trace.note("norm1.rsqrt", roots)
	trace.note("h1", out)
	return out
}
