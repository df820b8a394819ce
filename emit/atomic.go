package emit

// Atomic operations and fences.
var atomicOperations = map[string]func(*instruction){
	"atom":   func(x *instruction) { x.atomic(true) },
	"red":    func(x *instruction) { x.atomic(false) },
	"fence":  func(x *instruction) { fence(x, false) },
	"membar": func(x *instruction) { fence(x, true) },
}

// atomicOps are LLVM's names, by the operation and the class of type.
var atomicOps = map[string]map[class]string{
	"and":  {untyped: "and"},
	"or":   {untyped: "or"},
	"xor":  {untyped: "xor"},
	"exch": {untyped: "xchg"},
	"add":  {unsigned: "add", signed: "add", floating: "fadd"},
	"min":  {unsigned: "umin", signed: "min"},
	"max":  {unsigned: "umax", signed: "max"},
	"inc":  {unsigned: "uinc_wrap"},
	"dec":  {unsigned: "udec_wrap"},
}

// atomic is atom, which returns what was there, and red, which does not.
func (x *instruction) atomic(result bool) {
	order := x.one("relaxed", "acquire", "release", "acq_rel")
	scope := x.one("cta", "cluster", "gpu", "sys")
	if scope == "" {
		scope = "gpu"
	}
	space := x.one("global", "shared", "shared::cta")
	if space == "shared::cta" {
		space = "shared"
	}
	op := x.one("and", "or", "xor", "exch", "cas", "add", "min", "max", "inc", "dec")
	t := x.typ("b32 b64 u32 u64 s32 s64 f32")
	llvm := map[string]string{"": "monotonic", "relaxed": "monotonic", "acquire": "acquire", "release": "release", "acq_rel": "acq_rel"}[order]
	cas := op == "cas"
	name := atomicOps[op][t.class]
	switch {
	case x.bad:
		return
	case op == "" || !cas && name == "" || cas && t.class != untyped:
		x.no("%s.%s with the type .%s", x.in.Parts[0], op, t.name)
		return
	case (op == "inc" || op == "dec") && t.bits != 32:
		x.no("%s.%s with the type .%s", x.in.Parts[0], op, t.name)
		return
	case t.class == floating && x.options.Denormals:
		x.no("an addition of .f32 in memory, in a kernel that keeps denormals: PTX flushes them in global memory and keeps them in shared memory")
		return
	}
	first, n := 0, 2
	if result {
		first, n = 1, 3
	}
	if cas {
		n++
	}
	if !x.count(n) {
		return
	}
	p, ok := x.locate(x.in.Operands[first], space)
	if !ok {
		return
	}
	var old value
	if cas {
		expected, v := x.arg(first+1, t), x.arg(first+2, t)
		failure := "monotonic"
		if llvm == "acquire" || llvm == "acq_rel" {
			failure = "acquire"
		}
		both := x.do("{ "+t.word()+", i1 }", "cmpxchg %s, %s, %s %s%s %s, align %d", p.value, expected, v, scopes[scope], llvm, failure, t.bits/8)
		old = x.do(t.word(), "extractvalue %s, 0", both)
	} else {
		v := x.toNumber(x.arg(first+1, t), t)
		old = x.do(t.number(), "atomicrmw %s %s, %s %s%s, align %d", name, p.value, v, scopes[scope], llvm, t.bits/8)
		old = x.toWord(old, t)
	}
	if result {
		x.store(0, old, t)
	}
}

// fence is fence, and membar, its older form.
func fence(x *instruction, old bool) {
	scope, order := "", "seq_cst"
	if old {
		scope = x.one("cta", "gl", "sys")
		if scope == "gl" {
			scope = "gpu"
		}
	} else {
		if o := x.one("sc", "acq_rel"); o == "acq_rel" || o == "" {
			order = "acq_rel"
		}
		scope = x.one("cta", "cluster", "gpu", "sys")
	}
	if scope == "" || !x.count(0) {
		x.no("%s without .cta, .gpu or .sys", x.in.Parts[0])
		return
	}
	x.say("fence %s%s", scopes[scope], order)
}
