package standin

// Arithmetic as -use_fast_math writes it: f32 flushed, approximations.

func (f *fn) fadd(a, b any) *reg    { return f.float("add.ftz.f32", a, b) }
func (f *fn) fsub(a, b any) *reg    { return f.float("sub.ftz.f32", a, b) }
func (f *fn) fmul(a, b any) *reg    { return f.float("mul.ftz.f32", a, b) }
func (f *fn) fma(a, b, c any) *reg  { return f.float("fma.rn.ftz.f32", a, b, c) }
func (f *fn) fmin(a, b any) *reg    { return f.float("min.ftz.f32", a, b) }
func (f *fn) fmax(a, b any) *reg    { return f.float("max.ftz.f32", a, b) }
func (f *fn) fabs(a any) *reg       { return f.float("abs.ftz.f32", a) }
func (f *fn) sat(a any) *reg        { return f.float("cvt.ftz.sat.f32.f32", a) }
func (f *fn) rcp(a any) *reg        { return f.float("rcp.approx.ftz.f32", a) }
func (f *fn) iadd(a, b any) *reg    { return f.word("add.s32", a, b) }
func (f *fn) isub(a, b any) *reg    { return f.word("sub.s32", a, b) }
func (f *fn) imin(a, b any) *reg    { return f.word("min.s32", a, b) }
func (f *fn) imax(a, b any) *reg    { return f.word("max.s32", a, b) }
func (f *fn) imad(a, b, c any) *reg { return f.word("mad.lo.s32", a, b, c) }
func (f *fn) shl(a any, n int) *reg { return f.word("shl.b32", a, n) }
func (f *fn) shr(a any, n int) *reg { return f.word("shr.u32", a, n) }
func (f *fn) sar(a any, n int) *reg { return f.word("shr.s32", a, n) }
func (f *fn) and(a, b any) *reg     { return f.word("and.b32", a, b) }
func (f *fn) or(a, b any) *reg      { return f.word("or.b32", a, b) }

// halve divides a signed number by two, towards zero.
func (f *fn) halve(a *reg) *reg {
	sign := f.shr(a, 31)
	return f.sar(f.iadd(a, sign), 1)
}

// clamp brings a coordinate into 0..last.
func (f *fn) clamp(a, last any) *reg { return f.imin(f.imax(a, 0), last) }

// floor is an f32 and its whole part below.
func (f *fn) floor(a *reg) (whole *reg, index *reg) {
	whole = f.float("cvt.rmi.ftz.f32.f32", a)
	return whole, f.word("cvt.rzi.ftz.s32.f32", whole)
}

func (f *fn) toFloat(a any) *reg { return f.float("cvt.rn.f32.s32", a) }

// bits moves an f32 into a word.
func (f *fn) bits(a *reg) *reg { return f.word("mov.b32", a) }

// exp is e to the x.
func (f *fn) exp(a *reg) *reg {
	return f.float("ex2.approx.ftz.f32", f.fmul(a, 1.4426950408889634))
}

// narrow rounds an f32 to f16, as the half header does it.
func (f *fn) narrow(a *reg) *reg {
	h := f.reg(half)
	f.asm("cvt.rn.f16.f32", h, a)
	return h
}

// widen is the f32 of an f16.
func (f *fn) widen(h *reg) *reg {
	d := f.reg(float)
	f.asm("cvt.f32.f16", d, h)
	return d
}

// pair splits a word into two f16 and widens both.
func (f *fn) pair(w *reg) (low, high *reg) {
	if f.scoped {
		return f.part(w, "low"), f.part(w, "high")
	}
	h := f.vector(half, 2)
	f.do("mov.b32", h, w)
	return f.widen(h[0]), f.widen(h[1])
}

// part is pair in a scope with registers of its own, as inline functions of
// headers leave it.
func (f *fn) part(w *reg, which string) *reg {
	d := f.reg(float)
	f.add(&inst{op: "scope", defs: []*reg{d}, uses: []*reg{w}, lines: func(name func(*reg) string) []string {
		return []string{"// begin inline asm", "{.reg .b16 low, high;", "mov.b32 {low, high}, " + name(w) + ";",
			"cvt.f32.f16 " + name(d) + ", " + which + ";}", "", "// end inline asm"}
	}})
	return d
}

// pack2 rounds two f32 into a word of two f16.
func (f *fn) pack2(low, high *reg) *reg {
	return f.word("mov.b32", vec{f.narrow(low), f.narrow(high)})
}

// lerp is a + t*(b-a).
func (f *fn) lerp(a, b, t *reg) *reg { return f.fma(f.fsub(b, a), t, a) }

// luma weighs a colour.
func (f *fn) luma(c vec) *reg {
	return f.fma(c[2], 0.0722, f.fma(c[1], 0.7152, f.fmul(c[0], 0.2126)))
}

// each applies a function to the channels of colours.
func each(n int, g func(i int) *reg) vec {
	v := make(vec, n)
	for i := range v {
		v[i] = g(i)
	}
	return v
}
