package emit

// directed is f32 arithmetic rounded in a direction: add, sub, mul, fma and div, in
// f64 by functions of the library. It is exact and slow.
func (x *instruction) directed(op, round string, t scalar, args ...value) value {
	if t.name != "f32" {
		x.no("%s.%s with the type .%s%s", op, round, t.name, reasonFor(x.in))
		return value{t.number(), "zeroinitializer"}
	}
	wide := make([]value, len(args))
	for i, a := range args {
		if !x.options.Denormals {
			a = x.call("float", "llvm.canonicalize.f32", a)
		}
		wide[i] = x.do("double", "fpext %s to double", a)
	}
	a, b := wide[0], wide[1]
	if op == "sub" {
		op, b = "add", x.do("double", "fneg %s", b)
	}
	var s value
	switch op {
	case "mul": // the product has 48 bits
		s = x.do("double", "fmul %s, %s", a, b.text)
	case "div":
		s = x.call("double", "ptx.odd.div", a, b)
	case "fma":
		a, b = x.do("double", "fmul %s, %s", a, b.text), wide[2]
		fallthrough
	default:
		s = x.call("double", "ptx.odd.add", a, b)
	}
	v := x.call("float", "ptx.narrow."+round, s)
	if round == "rm" && (op == "add" || op == "fma") {
		v = x.call("float", "ptx.zero.rm", s, a, b, v)
	}
	if !x.options.Denormals { // a step may have led to one
		v = x.call("float", "ptx.ftz.f32", v)
	}
	return v
}
