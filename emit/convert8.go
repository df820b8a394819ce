package emit

// Conversions of pairs of e4m3, in integers, so that they are exact whatever the
// GPU has for them.

// toCodes is cvt.rn.satfinite.e4m3x2 of a pair of f16, or of two f32 of which the
// first becomes the upper byte.
func (x *instruction) toCodes(round string) {
	x.loose = false
	finite := x.flag("satfinite")
	d := x.typ("e4m3x2")
	s := x.typ("f16x2 f32")
	if round != "rn" || !finite || x.ftz {
		x.no("only cvt.rn.satfinite makes .e4m3x2")
		return
	}
	var low, high value
	if s.class == pair {
		if !x.count(2) {
			return
		}
		v := x.float(1, s)
		low = x.call("i8", "ptx.e4m3.f16", x.do("half", "extractelement %s, i32 0", v))
		high = x.call("i8", "ptx.e4m3.f16", x.do("half", "extractelement %s, i32 1", v))
	} else {
		if !x.count(3) {
			return
		}
		high = x.call("i8", "ptx.e4m3.f32", x.float(1, s))
		low = x.call("i8", "ptx.e4m3.f32", x.float(2, s))
	}
	x.store(0, x.call("i16", "ptx.cvt.e4m3x2", low, high), d)
}

// fromCodes is cvt.rn.f16x2.e4m3x2.
func (x *instruction) fromCodes() {
	s := x.typ("e4m3x2")
	if !x.count(2) {
		return
	}
	v := x.arg(1, s)
	low := x.do("i8", "trunc %s to i8", v)
	high := x.do("i8", "trunc %s to i8", x.do("i16", "lshr %s, 8", v))
	x.result(x.pairOf(x.call("half", "ptx.cvt.f16.e4m3", low), x.call("half", "ptx.cvt.f16.e4m3", high)), scalars["f16x2"])
}
