package standin

// form is how roundf is written.
type form uint8

const (
	signBits  form = iota // and, or, add.rz.ftz, cvt.rzi: compilers for sm_80 to sm_89
	copySign              // copysign, add.rz.ftz, cvt.rzi: newer ones
	bothForms             // in turn, as code from two headers has it
)

// half of one, with the sign of x.
func (f *fn) signedHalf(x *reg) *reg {
	kind := f.rounded
	if kind == bothForms {
		kind = form(f.roundings % 2)
		f.roundings++
	}
	if kind == copySign {
		return f.float("copysign.f32", x, 0.5)
	}
	sign := f.word("and.b32", f.bits(x), -2147483648)
	return f.float("mov.b32", f.word("or.b32", sign, 1056964608))
}

// round is roundf: halves away from zero.
func (f *fn) round(x *reg) *reg {
	sum := f.float("add.rz.ftz.f32", x, f.signedHalf(x))
	return f.float("cvt.rzi.f32.f32", sum)
}

// roundAround is roundf whose truncation was moved behind the end of a branch:
// other statements and a label stand between its two halves.
func (f *fn) roundAround(x *reg, p *reg, between func()) *reg {
	sum := f.float("add.rz.ftz.f32", x, f.signedHalf(x))
	f.when(p, between)
	return f.float("cvt.rzi.f32.f32", sum)
}

// quantise rounds a value of 0..1 to steps.
func (f *fn) quantise(x *reg, steps float64) *reg {
	return f.fmul(f.round(f.fmul(x, steps)), 1/steps)
}
