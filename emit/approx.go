package emit

// Approximations are the instructions of the hardware, which are within one
// unit in the last place; PTX asks for less. Those of f32 flush denormals on both
// sides whatever the mode, so that without .ftz, in a kernel that keeps denormals,
// functions of the library scale around them.
var approximations = map[string]func(*instruction){
	"rcp": func(x *instruction) {
		if round := x.one("rn", "rz", "rm", "rp"); round != "" {
			x.flushing()
			t := x.typ("f32 f64")
			one := value{t.number(), "1.0"}
			switch {
			case !x.count(2):
			case round == "rn":
				x.result(x.do(t.number(), "fdiv %s, %s", one, x.float(1, t).text), t)
			default:
				x.result(x.directed("div", round, t, one, x.float(1, t)), t)
			}
			return
		}
		x.approximate("rcp", "f32")
	},
	"sqrt": func(x *instruction) {
		if round := x.one("rn", "rz", "rm", "rp"); round != "" {
			if round != "rn" {
				x.no("sqrt with the rounding .%s%s", round, reasonFor(x.in))
			}
			x.flushing()
			t := x.typ("f32")
			if x.count(2) {
				x.result(x.call("float", "llvm.sqrt.f32", x.float(1, t)), t)
			}
			return
		}
		x.approximate("sqrt", "f32")
	},
	"rsqrt": func(x *instruction) { x.approximate("rsqrt", "f32") },
	"lg2":   func(x *instruction) { x.approximate("lg2", "f32") },
	"ex2":   func(x *instruction) { x.approximate("ex2", "f32 f16 f16x2") },
	"tanh":  func(x *instruction) { x.approximate("tanh", "f32 f16 f16x2") },
}

func (x *instruction) approximate(op, types string) {
	if !x.flag("approx") {
		x.no("%s without .approx or .rn", op)
	}
	x.flushing()
	t := x.typ(types)
	if !x.count(2) {
		return
	}
	name := "ptx." + op + ".approx."
	if op == "tanh" && x.ftz {
		x.no("tanh with .ftz")
	}
	if op != "tanh" && t.class == floating && t.bits == 32 && (x.ftz || !x.options.Denormals) {
		name += "ftz."
	}
	x.result(x.call(t.number(), name+t.suffix(), x.float(1, t)), t)
}
