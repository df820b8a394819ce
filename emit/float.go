package emit

// Floating-point arithmetic: f32, f64, f16 and pairs of f16. It rounds to
// nearest even, for f32 also in the other directions; contraction is off, so that a
// product and a sum are fused only where PTX says fma or mad.
var floatOperations = map[string]func(*instruction){
	"fma": func(x *instruction) { x.fused() },
	"copysign": func(x *instruction) {
		t := x.typ("f32 f64")
		if x.count(3) { // the sign of a on b
			x.result(x.call(t.number(), "llvm.copysign."+t.suffix(), x.float(2, t), x.float(1, t)), t)
		}
	},
}

const floats = "f16 f16x2 f32 f64"

// floating is add, sub and mul.
func (x *instruction) floating(op string) {
	round := x.rounding()
	x.flushing()
	sat := x.flag("sat")
	t := x.typ(floats)
	if sat && t.bits == 64 {
		x.no("%s.sat with the type .f64", op)
	}
	if !x.count(3) {
		return
	}
	a, b := x.float(1, t), x.float(2, t)
	v := value{}
	if round == "rn" {
		v = x.do(t.number(), "f%s %s, %s", op, a, b.text)
	} else {
		v = x.directed(op, round, t, a, b)
	}
	x.result(x.saturated(v, t, sat), t)
}

// fused is fma, and mad of floating types, which is the same.
func (x *instruction) fused() {
	round := x.rounding()
	x.flushing()
	sat, relu := x.flag("sat"), x.flag("relu")
	t := x.typ(floats)
	if sat && t.bits == 64 || relu && !t.half() {
		x.no("this form of %s with the type .%s", x.in.Parts[0], t.name)
	}
	if !x.count(4) {
		return
	}
	a, b, c := x.float(1, t), x.float(2, t), x.float(3, t)
	v := value{}
	if round == "rn" {
		v = x.call(t.number(), "llvm.fma."+t.suffix(), a, b, c)
	} else {
		v = x.directed("fma", round, t, a, b, c)
	}
	if relu {
		v = x.flushed(v, t)
		v = x.call(t.number(), "ptx.relu."+t.suffix(), v)
	}
	x.result(x.saturated(v, t, sat), t)
}

// floatExtreme is min and max. Of a number and a NaN the number is the result;
// with .NaN it is the NaN. -0 is less than +0. gfx12's instructions for it are
// those of IEEE 754-2019, gfx11's do the same while IEEE mode is off, as it is in
// every kernel here.
func (x *instruction) floatExtreme(op string) {
	x.flushing()
	nan := x.flag("NaN")
	t := x.typ(floats)
	if nan && t.bits == 64 {
		x.no("%s.NaN with the type .f64", op)
	}
	if !x.count(3) {
		return
	}
	a, b := x.float(1, t), x.float(2, t)
	name := "llvm." + op + "num."
	if nan {
		name = "llvm." + op + "imum."
		if t.name == "f32" && !x.options.Denormals { // gfx12's instruction does not flush
			a, b = x.call("float", "llvm.canonicalize.f32", a), x.call("float", "llvm.canonicalize.f32", b)
		}
	}
	v := x.call(t.number(), name+t.suffix(), a, b)
	x.result(x.canonical(v, t), t)
}

// canonical flushes f32 denormals where .ftz asks for it, the kernel's mode does
// it, and the instruction before might be one that LLVM lets denormals through.
func (x *instruction) canonical(v value, t scalar) value {
	if !x.ftz || t.bits != 32 || t.class != floating || x.options.Denormals {
		return v
	}
	return x.call("float", "llvm.canonicalize.f32", v)
}

// sign is abs and neg. Without .ftz they change the sign bit and nothing else.
func (x *instruction) sign(op string) {
	x.flushing()
	t := x.typ(floats)
	if !x.count(2) {
		return
	}
	v := x.float(1, t)
	if op == "neg" {
		v = x.do(t.number(), "fneg %s", v)
	} else {
		v = x.call(t.number(), "llvm.fabs."+t.suffix(), v)
	}
	x.result(x.canonical(v, t), t)
}

// quotient is div of floating types. .full and .rn are correctly rounded, which
// is more than .full asks for; .approx is a times the reciprocal of b.
func (x *instruction) quotient() {
	kind := x.one("approx", "full", "rn", "rz", "rm", "rp")
	x.flushing()
	t := x.typ("f32 f64")
	switch {
	case kind == "" || t.bits == 64 && kind != "rn":
		x.no("div without .rn, .full or .approx")
		return
	}
	if !x.count(3) {
		return
	}
	a, b := x.float(1, t), x.float(2, t)
	if kind == "rz" || kind == "rm" || kind == "rp" {
		x.result(x.directed("div", kind, t, a, b), t)
		return
	}
	if kind == "approx" {
		b = x.call("float", "llvm.amdgcn.rcp.f32", b)
		x.result(x.do("float", "fmul %s, %s", a, b.text), t)
		return
	}
	x.result(x.do(t.number(), "fdiv %s, %s", a, b.text), t)
}
