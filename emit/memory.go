package emit

import (
	"fmt"

	"kmx/cuda/ptx"
)

// Loads, stores and conversions of addresses.
var memoryOperations = map[string]func(*instruction){
	"ld":       load,
	"st":       storeMemory,
	"cvta":     convertAddress,
	"isspacep": inSpace,
	"prefetch": func(x *instruction) { // a hint
		x.one("global", "local")
		x.one("L1", "L2")
		x.count(1)
	},
	"prefetchu": func(x *instruction) { x.one("L1"); x.count(1) },
}

// access is what the modifiers of a load or store say.
type access struct {
	space    string // "" generic
	volatile bool
	order    string // LLVM's ordering of an atomic access, "" for a plain one
	scope    string // syncscope(...) with a blank behind it, or ""
	vector   int
	typ      scalar
}

var scopes = map[string]string{"cta": `syncscope("workgroup") `, "cluster": `syncscope("agent") `, "gpu": `syncscope("agent") `, "sys": ""}

// access takes the modifiers. Hints to caches change no result.
func (x *instruction) access(store bool) access {
	x.loose = true
	a := access{vector: 1}
	a.volatile = x.flag("volatile") || x.flag("cv") || x.flag("wt")
	orders := map[string]string{"relaxed": "monotonic", "acquire": "acquire", "release": "release"}
	x.flag("weak")
	if o := x.one("relaxed", "acquire", "release"); o != "" {
		a.order = orders[o]
		s := x.one("cta", "cluster", "gpu", "sys")
		if s == "" || store == (o == "acquire") && o != "relaxed" {
			x.no("%s.%s without a scope that goes with it", x.in.Parts[0], o)
		}
		a.scope = scopes[s]
	}
	a.space = x.one("param", "global", "shared", "local", "const")
	switch x.one("shared::cta", "param::entry", "param::func") {
	case "shared::cta":
		a.space = "shared"
	case "param::entry", "param::func":
		a.space = "param"
	}
	x.flag("nc")
	x.one("ca", "cg", "cs", "lu", "wb")
	x.one("L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate")
	x.one("L2::evict_normal", "L2::evict_first", "L2::evict_last")
	x.one("L2::64B", "L2::128B", "L2::256B")
	switch x.one("v2", "v4", "v8") {
	case "v2":
		a.vector = 2
	case "v4":
		a.vector = 4
	case "v8":
		a.vector = 8
	}
	a.typ = x.typ("b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 f32 f64")
	if a.order != "" && a.vector > 1 {
		x.no("an ordered access to a vector")
	}
	if a.vector*a.typ.bits > 128 {
		x.no("an access of more than 16 bytes")
	}
	return a
}

// elements are the operands of a vector access, or the one of a scalar.
func (x *instruction) elements(op ptx.Operand, n int) []ptx.Operand {
	if v, ok := op.(*ptx.Vector); ok {
		if len(v.Elems) != n {
			x.no("%d elements for a vector of %d", len(v.Elems), n)
			return nil
		}
		return v.Elems
	}
	if n != 1 {
		x.no("a vector access without a vector")
		return nil
	}
	return []ptx.Operand{op}
}

func load(x *instruction) {
	a := x.access(false)
	if !x.count(2) {
		return
	}
	p, ok := x.locate(x.in.Operands[1], a.space)
	to := x.elements(x.in.Operands[0], a.vector)
	if !ok || to == nil {
		return
	}
	typ, align := a.memory()
	mods, order, tail := a.words()
	if p.invariant {
		tail = ", !invariant.load !1"
	}
	v := x.do(typ, "load %s%s, %s%s, align %d%s", mods, typ, p.value, order, align, tail)
	for i, op := range to {
		e := v
		if a.vector > 1 {
			e = x.do(a.typ.word(), "extractelement %s, i32 %d", v, i)
		}
		x.write(op, e, a.typ)
	}
}

func storeMemory(x *instruction) {
	a := x.access(true)
	if !x.count(2) {
		return
	}
	if a.space == "const" {
		x.no("a store to constant memory")
	}
	p, ok := x.locate(x.in.Operands[0], a.space)
	from := x.elements(x.in.Operands[1], a.vector)
	if !ok || from == nil {
		return
	}
	if p.invariant {
		x.no("a store to a parameter of the kernel")
	}
	typ, align := a.memory()
	var v value
	for i, op := range from {
		e := x.read(op, a.typ)
		if a.vector == 1 {
			v = e
			break
		}
		into := typ + " poison"
		if i > 0 {
			into = v.String()
		}
		v = x.do(typ, "insertelement %s, %s, i32 %d", into, e, i)
	}
	mods, order, _ := a.words()
	x.say("store %s%s, %s%s, align %d", mods, v, p.value, order, align)
}

// memory is the type of an access and its alignment, which PTX asks to be its
// size.
func (a access) memory() (typ string, align int) {
	if a.vector > 1 {
		return fmt.Sprintf("<%d x %s>", a.vector, a.typ.word()), a.vector * a.typ.bits / 8
	}
	return a.typ.word(), a.typ.bits / 8
}

// words are what goes before the type, after the pointer, and at the end.
func (a access) words() (mods, order, tail string) {
	if a.order != "" {
		mods, order = "atomic ", " "+a.scope+a.order
	}
	if a.volatile {
		mods += "volatile "
	}
	return mods, order, ""
}
