package model

import (
	"fmt"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// k is a layer of K with its weights taken out of the buffer.
type k struct {
	layout.Layer
	Options
	roundEvery int // steps of a chain between roundings to f16; 0: none

	embed      operand
	embedBias  []num.F16
	expand     operand
	expandBias []num.F16
	g1         []num.F16
	heads      []kHead
	bo, g2, b2 []num.F16
	mlp        []chunk
	merge      operand
	mergeBias  []num.F16
	head       operand
	headBias   []num.F16
}

type kHead struct {
	q, k, v, o operand
	table      Values // what scores start from, or the probabilities
}

// chunk is the weights of 32 hidden channels.
type chunk struct {
	w1, w2 operand
	b1     []num.F16
}

func newK(l layout.Layer, buf []byte, o Options) (*k, error) {
	w, err := layout.KLayout(l)
	if err != nil {
		return nil, err
	}
	if len(buf) < w.Bytes {
		return nil, fmt.Errorf("the weights of %s take %d bytes, there are %d", l.Name, w.Bytes, len(buf))
	}
	m := &k{Layer: l, Options: o}
	if o.Mode == Exact || l.RoundsSteps {
		m.roundEvery = 1
	}
	if l.Embed > 0 {
		m.embed, m.embedBias = columns(buf, w.Embed, nil), row(buf, w.EmbedBias)
	}
	if l.Decoder() {
		m.expand, m.expandBias = columns(buf, w.Expand, nil), row(buf, w.ExpandBias)
	}
	m.g1 = row(buf, w.G1)
	for _, h := range w.Heads {
		head := kHead{v: columns(buf, h.V, nil), o: columns(buf, h.O, nil), table: table(buf, h.Table)}
		if !l.PositionOnly {
			head.q, head.k = columns(buf, h.Q, nil), columns(buf, h.K, nil)
		}
		m.heads = append(m.heads, head)
	}
	m.bo, m.g2, m.b2 = row(buf, w.BO), row(buf, w.G2), row(buf, w.B2)
	for _, c := range w.MLP {
		m.mlp = append(m.mlp, chunk{columns(buf, c.W1, nil), columns(buf, c.W2, nil), row(buf, c.B1)})
	}
	if l.Merge > 0 {
		m.merge, m.mergeBias = columns(buf, w.Merge, nil), row(buf, w.MergeBias)
	}
	if l.Head > 0 {
		m.head, m.headBias = columns(buf, w.Head, nil), row(buf, w.HeadBias)
	}
	return m, nil
}

// product is the chain of v times w, started from a row (nil: zero).
func (m *k) product(v Values, w operand, from []num.F16) accumulator {
	acc := startRow(v.Rows, w.vectors, from)
	acc.add(byRow(v, nil), w, m.roundEvery)
	return acc
}

// body is what all layers of K have in common: from x0, the 64 tokens of a
// window, to y.
func (m *k) body(x0 Values, trace *Trace) Values {
	trace.note("x0", x0)
	h1 := m.norm(x0, trace)

	// The heads add to one accumulator, which starts at the output bias.
	acc := startRow(tokens, m.C, m.bo)
	for i, head := range m.heads {
		o := m.attention(i, head, h1, trace)
		acc.add(byRow(o, nil), head.o, m.roundEvery)
	}
	x1 := acc.f16().plus(x0)
	trace.note("x1", x1)

	// The second branch has no norm, only a gain.
	in := x1.timesRow(m.g2)
	trace.note("mlp.in", in)
	acc = start(x1.plusRow(m.b2))
	for i, c := range m.mlp {
		hidden := m.product(in, c.w1, c.b1).f16()
		g := hidden.mapped(gelu)
		trace.note(fmt.Sprintf("mlp%d.hidden", i), hidden)
		trace.note(fmt.Sprintf("mlp%d.gelu", i), g)
		acc.add(byRow(g, nil), c.w2, m.roundEvery)
	}
	y := acc.f16()
	trace.note("y", y)
	return y
}
