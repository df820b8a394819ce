package model

import (
	"fmt"

	"kmx/internal/num"
)

// attention is one head over the 64 tokens of a window: O = P V, rounded to
// f16. Q, K and V have no bias.
func (m *k) attention(i int, head kHead, h1 Values, trace *Trace) Values {
	note := func(name string, v Values) { trace.note(fmt.Sprintf("head%d.%s", i, name), v) }
	v := m.product(h1, head.v, nil).f16()
	note("V", v)

	p := head.table // position only: the probabilities are weights
	if !m.PositionOnly {
		q, key := m.product(h1, head.q, nil).f16(), m.product(h1, head.k, nil).f16()
		note("Q", q)
		note("K", key)
		// The scores start from the table of positions.
		acc := start(head.table)
		acc.add(byRow(q, nil), byRow(key, nil), m.roundEvery)
		scores := acc.f16()
		note("scores", scores)
		p = m.softmax(scores, note)
		note("P", p)
	}

	acc := startRow(v.Rows, v.Cols, nil)
	acc.add(byRow(p, nil), byColumn(v), m.roundEvery)
	o := acc.f16()
	note("O", o)
	return o
}

// Constants of the exponent, as f16 bits.
const (
	kScoreBound = 0x4d69 // 21.640625
	kCurve      = 0x91d5 // about -0.00071
	kShift      = 0xc50d // about -5.05
	one         = 0x3c00
)

// softmax turns scores into probabilities, row by row. There is no maximum to
// subtract and no scale: both are folded into the weights and the curve
//
//	t = clamp(S, +-21.640625);  u = f16(t*t)
//	v = fma(u, -0.00071, 1);    x = fma(t, v, -5.05)
//	e = f16(2^x);               P = f16(e * f16(1/sum))
func (m *k) softmax(scores Values, note func(string, Values)) Values {
	e, sums := NewValues(scores.Rows, scores.Cols), NewValues(scores.Rows, 1)
	p := NewValues(scores.Rows, scores.Cols)
	for r := range scores.Rows {
		row := e.Row(r)
		for c, s := range scores.Row(r) {
			t := num.Clamp(s, kScoreBound)
			v := num.FMA(num.Mul(t, t), kCurve, one)
			x := num.FMA(t, v, kShift)
			row[c] = num.F16FromFloat32(m.exp2(x.Float32()))
		}
		sum := m.rowSum(row)
		inverse := num.F16FromFloat32(m.rcp(sum.Float32()))
		for c, v := range row {
			p.Row(r)[c] = num.Mul(v, inverse)
		}
		sums.V[r] = sum
	}
	note("exp", e)
	note("sum", sums)
	return p
}

// rowSum adds 64 terms in float32 as the generation's accumulator registers
// hold them: each half of the wave its 32 keys in order, then the two halves.
// The result is rounded to f16.
func (m *k) rowSum(e []num.F16) num.F16 {
	var half [2]float32
	for h := range half {
		for kt := range 4 {
			for i := range 8 {
				key := 16*kt + 2*i + h
				if m.Generation == 12 {
					key = 16*kt + 8*h + i
				}
				half[h] += e[key].Float32()
			}
		}
	}
	return num.F16FromFloat32(half[0] + half[1])
}
