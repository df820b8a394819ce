package model

import (
	"fmt"

	"kmx/internal/num"
)

// windowTokens is the number of tokens of M's 4x4 window; four windows make a
// square.
const windowTokens = 16

// attention is one head over the four windows: O = P V, through q8. There is
// no K: the scores are Q times itself.
func (m *m) attention(i int, head mHead, h1 Values, trace *Trace) Values {
	note := func(name string, v Values) { trace.note(fmt.Sprintf("head%d.%s", i, name), v) }
	zero := func() accumulator { return startRow(tokens, head.q.vectors, nil) }
	q := m.q8(m.product(zero(), h1, head.q).f16())
	v := m.product(zero(), h1, head.v).f16() // stays f16 in every mode
	note("Q", q)
	note("V", v)

	o := Values{Cols: v.Cols}
	for first := 0; first < tokens; first += windowTokens {
		in := func(name string, v Values) { note(fmt.Sprintf("window%d.%s", first/windowTokens, name), v) }
		qw, vw := q.rows(first, first+windowTokens), v.rows(first, first+windowTokens)

		// The scores start from the relative bias.
		order := m.order(qw.Cols)
		acc := start(head.relative)
		acc.add(byRow(qw, order), byRow(qw, order), m.roundEvery)
		scores := acc.f16()
		in("scores", scores)
		p := m.softmax(scores, in)
		in("P", p)

		acc = startRow(windowTokens, v.Cols, nil)
		acc.add(byRow(p, nil), byColumn(vw), m.roundEvery)
		o.V = append(o.V, acc.f16().V...)
		o.Rows += windowTokens
	}
	o = m.q8(o)
	note("O", o)
	return o
}

// Constants of the exponent, as f16 bits.
const (
	mScale  = 0x2466 // f16(0.0972222164 / 5.6568543)
	mBound  = 0x3873 // 0.55615234375
	mCurve1 = 0x3b6b // about 0.927
	mCurve0 = 0x3d80 // 1.375
)

// softmax turns scores into probabilities, row by row. The exponential is a
// cubic whose bits become the exponent:
//
//	t = clamp(f16(S*scale), +-0.556);  e = fma(t, -t, 0.927)
//	p = fma(t, e, 1.375);              w = bits of p, shifted and offset
//	P = f16(w * f16(1/sum))
func (m *m) softmax(scores Values, note func(string, Values)) Values {
	weight, sums := NewValues(scores.Rows, scores.Cols), NewValues(scores.Rows, 1)
	p := NewValues(scores.Rows, scores.Cols)
	for r := range scores.Rows {
		row := weight.Row(r)
		for c, s := range scores.Row(r) {
			t := num.Clamp(num.Mul(s, mScale), mBound)
			row[c] = num.FMA(t, num.FMA(t, t.Neg(), mCurve1), mCurve0)
		}
		for c := 0; c < len(row); c += 2 {
			row[c], row[c+1] = exponent(row[c], row[c+1])
		}
		sum := butterfly(row)
		inverse := num.F16FromFloat32(m.rcp(sum.Float32()))
		for c, v := range row {
			p.Row(r)[c] = num.Mul(v, inverse)
		}
		sums.V[r] = sum
	}
	note("exp", weight)
	note("sum", sums)
	return p
}

// exponent moves the fractions of two neighbouring columns into their exponents.
// The two are one 32-bit word and carry into each other.
func exponent(even, odd num.F16) (num.F16, num.F16) {
	word := (uint32(even)|uint32(odd)<<16)<<5 + 0x7ff88000
	return num.F16(word), num.F16(word >> 16)
}

// butterfly is the sum of a row of 16 in f16: each key with the one 8 away,
// then 2, 4 and 1 away.
func butterfly(row []num.F16) num.F16 {
	var sum [windowTokens]num.F16
	copy(sum[:], row)
	for _, away := range []int{8, 2, 4, 1} {
		var next [windowTokens]num.F16
		for k := range next {
			next[k] = num.Add(sum[k], sum[k^away])
		}
		sum = next
	}
	return sum[0]
}
