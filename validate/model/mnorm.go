package model

import "kmx/internal/num"

// normEpsilon is 2^-13, as f16 bits.
const normEpsilon = 0x0800

// norm divides each token by its length and multiplies by gamma:
//
//	s = sum over c of f16(x*x), in the f16 tree of squareSum
//	r = f16(rsqrt(f16(s + 2^-13)))
//	h = q8(f16(x * f16(r * gamma)))
func (m *m) norm(x Values, gamma []num.F16, which string, trace *Trace) Values {
	out := NewValues(x.Rows, x.Cols)
	sums, roots := NewValues(x.Rows, 1), NewValues(x.Rows, 1)
	for t := range x.Rows {
		s := squareSum(x.Row(t))
		r := num.F16FromFloat32(m.rsqrt(num.Add(s, normEpsilon).Float32()))
		for c, v := range x.Row(t) {
			out.Row(t)[c] = num.Mul(v, num.Mul(r, gamma[c]))
		}
		sums.V[t], roots.V[t] = s, r
	}
	out = m.q8(out)
	trace.note("norm"+which+".sum", sums)
	trace.note("norm"+which+".rsqrt", roots)
	trace.note("h"+which, out)
	return out
}

// squareSum is the sum of the squares of a token, every addition rounded to
// f16. Channels lie in planes of 32, planes in 8 words of 4 channels. The tree:
// within a word, channels 0+2 and 1+3; then planes; then words w and w+4; then
// the four words that are left; then the two.
func squareSum(x []num.F16) num.F16 {
	planes := len(x) / 32
	var word [8][2]num.F16
	for w := range word {
		for e := range 2 {
			plane := func(p int) num.F16 {
				a, b := x[32*p+4*w+e], x[32*p+4*w+e+2]
				return num.Add(num.Mul(a, a), num.Mul(b, b))
			}
			sum := plane(0)
			if planes > 1 {
				sum = num.Add(sum, plane(1))
			}
			switch planes {
			case 3:
				sum = num.Add(sum, plane(2))
			case 4:
				sum = num.Add(sum, num.Add(plane(2), plane(3)))
			}
			word[w][e] = sum
		}
	}
	var element [2]num.F16
	for e := range element {
		lane := func(t int) num.F16 { return num.Add(word[t][e], word[t+4][e]) }
		element[e] = num.Add(num.Add(lane(0), lane(1)), num.Add(lane(2), lane(3)))
	}
	return num.Add(element[0], element[1])
}
