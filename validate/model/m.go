package model

import (
	"fmt"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// m is a layer of M with its weights taken out of the buffer.
type m struct {
	layout.Layer
	Options
	roundEvery int  // WMMA steps of a chain between roundings to f16; 0: none
	plain      bool // products take channels in plain order

	expand     operand
	expandBias []num.F16
	g1         []num.F16
	heads      []mHead
	bo, g2, b2 []num.F16
	mlp        []chunk
	merge      operand
	mergeBias  []num.F16
}

type mHead struct {
	q, v, o  operand
	relative Values // 16x16, what scores start from
}

func newM(l layout.Layer, buf []byte, o Options) (*m, error) { return newMBlock(l, buf, o, false) }

// newMBlock is newM with a choice of the order in which products take channels.
func newMBlock(l layout.Layer, buf []byte, o Options, plain bool) (*m, error) {
	w, err := layout.MLayout(l)
	if err != nil {
		return nil, err
	}
	if len(buf) < w.Bytes {
		return nil, fmt.Errorf("the weights of %s take %d bytes, there are %d", l.Name, w.Bytes, len(buf))
	}
	m := &m{Layer: l, Options: o, plain: plain}
	if o.Mode == Exact {
		m.roundEvery = 2 // 32 channels
	}
	matrix := func(f layout.Field) operand { return columns(buf, f, m.order(f.Rows)) }
	if l.Decoder() {
		m.expand, m.expandBias = matrix(w.Expand), row(buf, w.ExpandBias)
	}
	m.g1 = row(buf, w.G1)
	for _, h := range w.Heads {
		m.heads = append(m.heads, mHead{matrix(h.Q), matrix(h.V), matrix(h.O), table(buf, h.Relative)})
	}
	m.bo, m.g2, m.b2 = row(buf, w.BO), row(buf, w.G2), row(buf, w.B2)
	for _, c := range w.MLP {
		m.mlp = append(m.mlp, chunk{matrix(c.W1), matrix(c.W2), row(buf, c.B1)})
	}
	if l.Merge > 0 {
		m.merge, m.mergeBias = matrix(w.Merge), row(buf, w.MergeBias)
	}
	return m, nil
}

// k32 is the order in which M's products take k channels. Each 32 of them are
// two WMMA steps: channels 0-7 and 16-23 first, then 8-15 and 24-31. Order
// within a step does not matter, what is in which step does.
func k32(k int) []int {
	order := make([]int, 0, k)
	for base := 0; base < k; base += 32 {
		for _, eight := range []int{0, 16, 8, 24} {
			for i := range 8 {
				order = append(order, base+eight+i)
			}
		}
	}
	return order
}

// order is the order in which this layer's products take k channels.
func (m *m) order(k int) []int {
	if m.plain {
		return nil
	}
	return k32(k)
}

// product adds the chain of v times w to acc.
func (m *m) product(acc accumulator, v Values, w operand) accumulator {
	acc.add(byRow(v, m.order(v.Cols)), w, m.roundEvery)
	return acc
}

// q8 is what an intermediate result goes through: 8 bits and back where the
// build stores or multiplies it in that form, nothing in fast builds.
func (m *m) q8(v Values) Values {
	if m.Mode == Fast {
		return v
	}
	return v.mapped(num.Q8)
}

// body is what all layers of M have in common: from x0, the 64 tokens of four
// windows, to y.
func (m *m) body(x0 Values, trace *Trace) Values {
	trace.note("x0", x0)
	h1 := m.norm(x0, m.g1, "1", trace)

	// The heads add to one accumulator that starts with the residual.
	acc := start(x0.plusRow(m.bo))
	for i, head := range m.heads {
		acc = m.product(acc, m.attention(i, head, h1, trace), head.o)
	}
	x1 := acc.f16()
	trace.note("x1", x1)

	h2 := m.norm(x1, m.g2, "2", trace)
	acc = start(x1.plusRow(m.b2))
	for i, c := range m.mlp {
		hidden := m.product(startRow(tokens, layout.HiddenChunk, c.b1), h2, c.w1).f16()
		g := m.q8(hidden.mapped(gelu))
		trace.note(fmt.Sprintf("mlp%d.hidden", i), hidden)
		trace.note(fmt.Sprintf("mlp%d.gelu", i), g)
		acc = m.product(acc, g, c.w2)
	}
	y := acc.f16()
	trace.note("y", y)
	return y
}

// square is the whole of an M layer for one work-group.
func (m *m) square(b buffers) square {
	return func(sq layout.Square, trace *Trace) {
		var x0 Values
		if m.Decoder() {
			x0 = m.decoded(b.in.readHalf(sq.Half()), b.skip.readSquare(sq), trace)
		} else {
			x0 = b.in.readSquare(sq)
		}
		y := m.body(x0, trace)
		b.out.writeSquare(sq, y) // encodes
		if m.Merge > 0 {
			b.merged.writeHalf(sq.Half(), m.merged(y, trace))
		}
	}
}

// decoded joins a decoder's two inputs: x0 = f16(q8(bias + low*W) + skip).
func (m *m) decoded(low, skip Values, trace *Trace) Values {
	trace.note("low", low)
	e := m.q8(m.product(startRow(quarter, 4*m.C, m.expandBias), low, m.expand).f16())
	trace.note("expand", e)
	return spreadOut(layout.M, e).plus(skip)
}

// merged makes an encoder's half-resolution output. In every mode it sees the
// layer's output as it is stored, in 8 bits.
func (m *m) merged(y Values, trace *Trace) Values {
	stored := y.mapped(num.Q8)
	out := m.product(startRow(quarter, m.Merge, m.mergeBias), drawIn(layout.M, stored), m.merge).f16()
	trace.note("merged", out)
	return out
}
