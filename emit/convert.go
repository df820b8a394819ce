package emit

// Conversions between numbers.
var conversions = map[string]func(*instruction){"cvt": convert}

// convert is cvt{.rounding}{.ftz}{.sat}.d.s. Registers may be wider than the
// types.
func convert(x *instruction) {
	x.loose = true
	whole := x.one("rni", "rzi", "rmi", "rpi")
	round := x.one("rn", "rz", "rm", "rp")
	x.flushing()
	x.onlySingle = true
	sat := x.flag("sat")
	relu := x.flag("relu")
	switch x.nextType() {
	case "f16x2":
		x.packHalves(round, whole, sat, relu)
		return
	case "e4m3x2":
		if relu || sat || whole != "" {
			x.no("this form of cvt to .e4m3x2")
		}
		x.toCodes(round)
		return
	}
	d := x.typ("u8 u16 u32 u64 s8 s16 s32 s64 f16 f32 f64")
	s := x.typ("u8 u16 u32 u64 s8 s16 s32 s64 f16 f32 f64")
	if x.bad || !x.count(2) {
		return
	}
	if relu && (d.name != "f16" || s.name != "f32" || sat) {
		x.no("cvt.relu from .%s to .%s", s.name, d.name)
	}
	switch {
	case d.integer() && s.integer():
		if whole != "" || round != "" {
			x.no("a rounding between integers")
		}
		x.store(0, x.resize(x.arg(1, s), s, d, sat), d)
	case d.integer():
		if round != "" || whole == "" {
			x.no("cvt to an integer without .rni, .rzi, .rmi or .rpi")
		}
		x.store(0, x.toInteger(x.rounded(x.float(1, s), s, whole), s, d), d)
	case s.integer():
		if whole != "" || round == "" {
			x.no("cvt from an integer without a rounding")
		}
		v := x.fromInteger(x.arg(1, s), s, d, round)
		x.result(x.saturated(v, d, sat), d)
	default:
		x.between(s, d, round, whole, sat, relu)
	}
}

// resize changes the size of an integer; .sat limits it to what the result can
// hold.
func (x *instruction) resize(v value, s, d scalar, sat bool) value {
	if sat {
		v = x.limited(v, s, d)
	}
	switch {
	case s.bits == d.bits:
		return v
	case s.bits > d.bits:
		return x.do(d.word(), "trunc %s to %s", v, d.word())
	case s.class == signed:
		return x.do(d.word(), "sext %s to %s", v, d.word())
	}
	return x.do(d.word(), "zext %s to %s", v, d.word())
}

// limited is v, of the type s, limited to the range of d as far as s reaches
// beyond it.
func (x *instruction) limited(v value, s, d scalar) value {
	limit := func(how string, bound int64) {
		v = x.call(s.word(), "llvm."+how+"."+s.word(), v, number(s.word(), bound))
	}
	if s.class == signed {
		if d.class == unsigned {
			limit("smax", 0)
			if d.bits < s.bits {
				limit("smin", 1<<d.bits-1)
			}
		} else if d.bits < s.bits {
			limit("smax", -1<<(d.bits-1))
			limit("smin", 1<<(d.bits-1)-1)
		}
		return v
	}
	if d.class == signed && d.bits <= s.bits {
		limit("umin", 1<<(d.bits-1)-1)
	} else if d.class == unsigned && d.bits < s.bits {
		limit("umin", 1<<d.bits-1)
	}
	return v
}

// rounded is a number rounded to a whole one.
func (x *instruction) rounded(v value, t scalar, how string) value {
	name := map[string]string{"rni": "roundeven", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}[how]
	if name == "" {
		return v
	}
	return x.call(t.number(), "llvm."+name+"."+t.suffix(), x.canonical(v, t))
}

// toInteger converts a whole number; it saturates, with or without .sat.
func (x *instruction) toInteger(v value, s, d scalar) value {
	if s.bits == 64 {
		x.no("cvt from .f64 to an integer is not translated")
	}
	if s.half() { // exact, and the instructions for f32 saturate
		v = x.do("float", "fpext %s to float", v)
		s = scalars["f32"]
	}
	return x.call(d.word(), "ptx.cvt."+d.name+"."+s.name, v)
}

// fromInteger rounds an integer to a number.
func (x *instruction) fromInteger(v value, s, d scalar, round string) value {
	op := "uitofp"
	if s.class == signed {
		op = "sitofp"
	}
	exact := s.bits <= 32 && d.bits == 64 || s.bits <= 16 && d.bits == 32 || s.bits == 8 && d.bits == 16
	switch {
	case exact || round == "rn" && d.bits > 16:
		return x.do(d.number(), "%s %s to %s", op, v, d.number())
	case round == "rn":
		// Through f32, which rounds no number below 2^24, while those from
		// 65520 on are infinite in f16: it is rounded once.
		return x.do("half", "fptrunc %s to half", x.do("float", "%s %s to float", op, v))
	case d.bits == 32:
		return x.call("float", "ptx.cvt."+round+".f32."+s.name, v)
	}
	x.no("cvt.%s from .%s to .%s: the directed roundings are translated to .f32 only", round, s.name, d.name)
	return value{d.number(), "0.0"}
}

// between converts a number to one of another size, or rounds it to a whole one.
func (x *instruction) between(s, d scalar, round, whole string, sat, relu bool) {
	v := x.float(1, s)
	switch {
	case s == d:
		if round != "" {
			x.no("cvt.%s between equal types", round)
		}
		v = x.rounded(v, s, whole)
		if whole == "" {
			v = x.canonical(v, s)
		}
	case whole != "":
		x.no("cvt.%s between .%s and .%s", whole, s.name, d.name)
	case s.bits < d.bits:
		if round != "" {
			x.no("cvt.%s to a larger type", round)
		}
		v = x.do(d.number(), "fpext %s to %s", x.canonical(v, s), d.number())
	case round == "rn":
		v = x.do(d.number(), "fptrunc %s to %s", v, d.number())
	case round == "rz" && s.bits == 32:
		v = x.call("half", "ptx.cvt.rz.f16.f32", v)
	default:
		x.no("cvt.%s from .%s to .%s: only .rn, and .rz from .f32 to .f16, are translated", round, s.name, d.name)
	}
	if relu {
		v = x.call(d.number(), "ptx.relu."+d.suffix(), v)
	}
	x.result(x.saturated(v, d, sat), d)
}

// packHalves is cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
func (x *instruction) packHalves(round, whole string, sat, relu bool) {
	x.loose = false
	d := x.typ("f16x2")
	if x.nextType() == "e4m3x2" {
		if round != "rn" || whole != "" || sat || relu || x.ftz {
			x.no("only cvt.rn makes .f16x2 of .e4m3x2")
		}
		x.fromCodes()
		return
	}
	if kind := x.nextType(); kind != "f32" {
		x.no("cvt from .%s to .f16x2 is not translated%s", kind, reasonFor(x.in))
		return
	}
	s := x.typ("f32")
	if round != "rn" && round != "rz" || whole != "" || sat {
		x.no("only cvt.rn and cvt.rz, with or without .relu, make .f16x2 from .f32")
		return
	}
	if !x.count(3) {
		return
	}
	var halves [2]value // low, high
	for i := range 2 {
		v := x.float(2-i, s)
		if round == "rn" {
			halves[i] = x.do("half", "fptrunc %s to half", v)
		} else {
			halves[i] = x.call("half", "ptx.cvt.rz.f16.f32", v)
		}
	}
	v := x.pairOf(halves[0], halves[1])
	if relu {
		v = x.call(d.number(), "ptx.relu."+d.suffix(), v)
	}
	x.result(v, d)
}

// pairOf makes a vector of two halves.
func (x *instruction) pairOf(low, high value) value {
	v := x.do("<2 x half>", "insertelement <2 x half> poison, %s, i32 0", low)
	return x.do("<2 x half>", "insertelement %s, %s, i32 1", v, high)
}
