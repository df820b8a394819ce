package emit

import (
	"slices"

	"kmx/cuda/ptx"
)

// Textures and surfaces of two dimensions through handles.
//
// A texture handle is the address of a descriptor block: an image of 8 dwords at
// byte 0 and a sampler of 4 dwords at byte 48. A handle of 0 reads zeros. Lanes may
// have different handles; the compiler makes a loop over the different ones.
var textureOperations = map[string]func(*instruction){
	"tex":  fetch,
	"tld4": gather,
	"sust": storeSurface,
}

// texel is a texture instruction's address: handle and coordinates.
type texel struct {
	handle value
	at     []value
}

// sampled reads the operand [handle, {x, y}].
func (x *instruction) sampled(op ptx.Operand, t scalar) (texel, bool) {
	a, ok := op.(*ptx.Address)
	if !ok || a.Offset != 0 || len(a.More) != 1 || a.Coordinates() == nil || len(a.Coordinates().Elems) != 2 {
		x.no("only [handle, {x, y}] is translated")
		return texel{}, false
	}
	base, ok := a.Base.(*ptx.Register)
	if !ok {
		x.no("a texture that is no handle in a register")
		return texel{}, false
	}
	r := texel{handle: x.read(base, scalars["b64"])}
	for _, c := range a.Coordinates().Elems {
		r.at = append(r.at, x.toNumber(x.read(c, t), t))
	}
	return r, true
}

// spread writes the four components.
func (x *instruction) spread(v value, t scalar) {
	to, ok := x.in.Operands[0].(*ptx.Vector)
	if !ok || len(to.Elems) != 4 {
		x.no("only a vector of four components is translated")
		return
	}
	for i, op := range to.Elems {
		e := x.do("float", "extractelement %s, i32 %d", v, i)
		if t.bits == 16 {
			e = x.do("half", "fptrunc %s to half", e)
		}
		x.write(op, x.toWord(e, t), t)
	}
}

// fetch is tex. Integer coordinates read one texel without a filter: an image
// load, which is zero outside the image whatever the sampler says.
func fetch(x *instruction) {
	level := x.one("base", "level")
	if !x.flag("2d") || !x.flag("v4") {
		x.no("only tex.2d with .v4 is translated")
		return
	}
	d, c := x.typ("f32 f16 u32 s32"), x.typ("s32 f32")
	if d.integer() && c.name != "s32" {
		x.no("integers of a texture by other than integer coordinates")
		return
	}
	n := 2
	if level == "level" {
		n = 3
	}
	if c.name == "s32" && level == "level" {
		x.no("tex.level with integer coordinates")
		return
	}
	if !x.count(n) {
		return
	}
	p, ok := x.sampled(x.in.Operands[1], c)
	if !ok {
		return
	}
	args := []value{p.handle, p.at[0], p.at[1]}
	name := "ptx.tex.base.2d." + c.name
	if level == "level" {
		name = "ptx.tex.level.2d.f32"
		args = append(args, x.toNumber(x.arg(2, scalars["f32"]), scalars["f32"]))
	}
	x.spread(x.call("<4 x float>", name, args...), d)
}

// gather is tld4: one component of four neighbours.
func gather(x *instruction) {
	component := x.one("r", "g", "b", "a")
	if component == "" || !x.flag("2d") || !x.flag("v4") {
		x.no("only tld4.2d with .v4 is translated")
		return
	}
	d, c := x.typ("f32"), x.typ("f32")
	if !x.count(2) {
		return
	}
	if p, ok := x.sampled(x.in.Operands[1], c); ok {
		x.spread(x.call("<4 x float>", "ptx.tld4."+component+".2d", p.handle, p.at[0], p.at[1]), d)
	}
}

// surfaceStores are the helpers that surface stores call, by what follows sust.
var surfaceStores = map[string]struct {
	helper string
	typ    string
	n      int
}{
	"b.2d.b32.zero":    {"d4r_sust_b32", "b32", 1},
	"b.2d.v2.b16.zero": {"d4r_sust_v2b16", "b16", 2},
	"b.2d.v4.b16.zero": {"d4r_sust_v4b16", "b16", 4},
	"p.2d.v4.b32.zero": {"d4r_sust_p_v4b32", "b32", 4},
}

// storeSurface is sust, a call of the helper for its form.
func storeSurface(x *instruction) {
	form := x.in.Opcode[len("sust."):]
	s, ok := surfaceStores[form]
	if !ok {
		x.no("this form of sust is not translated (there are %s)", forms())
		return
	}
	for i := range x.taken {
		x.taken[i] = true
	}
	if len(x.options.Bitcode) == 0 {
		x.no("a surface store needs the helper %s, and no bitcode is given", s.helper)
		return
	}
	if !x.count(2) {
		return
	}
	p, ok := x.sampled(x.in.Operands[0], scalars["s32"])
	from := x.elements(x.in.Operands[1], s.n)
	if !ok || from == nil {
		return
	}
	t := scalars[s.typ]
	args := []value{p.handle, p.at[0], p.at[1]}
	types := []string{"i64", "i32", "i32"}
	for _, op := range from {
		args = append(args, x.read(op, t))
		types = append(types, t.word())
	}
	x.declareExtern(s.helper, "void", types)
	x.say("call void @%s(%s)", s.helper, list(args))
}

func forms() string {
	var names []string
	for n := range surfaceStores {
		names = append(names, "sust."+n)
	}
	slices.Sort(names)
	text := names[0]
	for _, n := range names[1:] {
		text += ", " + n
	}
	return text
}
