package model

import (
	"kmx/internal/num"
	"kmx/validate/layout"
)

// The stages of K that only some layers have.

// embedded widens enc0's input to C channels: x0 = max(f16(bias + in*W), 0).
func (m *k) embedded(in Values, trace *Trace) Values {
	trace.note("in", in)
	return m.product(in, m.embed, m.embedBias).f16().mapped(func(v num.F16) num.F16 { return num.Max(v, 0) })
}

// decoded joins a decoder's two inputs: x0 = f16(f16(bias + low*W) + skip).
func (m *k) decoded(low, skip Values, trace *Trace) Values {
	trace.note("low", low)
	e := m.product(low, m.expand, m.expandBias).f16()
	trace.note("expand", e)
	return spreadOut(layout.K, e).plus(skip)
}

// merged makes an encoder's half-resolution output: four tokens become one.
func (m *k) merged(y Values, trace *Trace) Values {
	out := m.product(drawIn(layout.K, y), m.merge, m.mergeBias).f16()
	trace.note("merged", out)
	return out
}

// headed is dec0's output.
func (m *k) headed(y Values, trace *Trace) Values {
	out := m.product(y, m.head, m.headBias).f16()
	trace.note("head", out)
	return out
}
