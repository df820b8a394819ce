package standin

import "fmt"

// Parameters, textures and surfaces.

// ld loads a parameter of the block by its name.
func (f *fn) ld(name string) *reg { return f.ldv(name)[0] }

// ldv loads parameters that lie side by side with one instruction.
func (f *fn) ldv(names ...string) vec {
	first := f.find(names[0])
	v := make(vec, len(names))
	for i, n := range names {
		if p := f.find(n); p.Offset != first.Offset+i*first.Size() || p.Type != first.Type {
			panic(fmt.Sprintf("%s: parameter %s is not beside %s", f.name, n, names[0]))
		}
		v[i] = f.reg(first.class())
	}
	address := mem{f.name + "_param_0", first.Offset}
	if len(v) == 1 {
		f.do("ld.param."+first.Type, v[0], address)
	} else {
		f.do(fmt.Sprintf("ld.param.v%d.%s", len(v), first.Type), v, address)
	}
	return v
}

func (f *fn) find(name string) Param {
	for _, p := range f.layout {
		if p.Name == name {
			return p
		}
	}
	panic(f.name + ": no parameter " + name)
}

// pointer loads a pointer into global memory.
func (f *fn) pointer(name string) *reg { return f.long("cvta.to.global.u64", f.ld(name)) }

// element is base + index*bytes.
func (f *fn) element(base *reg, index *reg, bytes int) *reg {
	return f.long("add.s64", base, f.long("mul.wide.s32", index, bytes))
}

// fetch reads a texel without filter.
func (f *fn) fetch(tex, x, y *reg) vec {
	v := f.vector(float, 4)
	f.do("tex.base.2d.v4.f32.s32", v, texel{tex, vec{x, y}})
	return v
}

// sample filters at normalised coordinates.
func (f *fn) sample(tex, u, v *reg) vec {
	d := f.vector(float, 4)
	f.do("tex.2d.v4.f32.f32", d, texel{tex, vec{u, v}})
	return d
}

// level is sample at a level of detail.
func (f *fn) level(tex, u, v *reg, lod any) vec {
	d := f.vector(float, 4)
	f.do("tex.level.2d.v4.f32.f32", d, texel{tex, vec{u, v}}, lod)
	return d
}

// gather is the first channel of four neighbours.
func (f *fn) gather(tex, u, v *reg) vec {
	d := f.vector(float, 4)
	f.do("tld4.r.2d.v4.f32.f32", d, texel{tex, vec{u, v}})
	return d
}

// storePair stores two f16 in a pixel of four bytes.
func (f *fn) storePair(surface, x, y, a, b *reg) *inst {
	halves := vec{f.narrow(a), f.narrow(b)}
	return f.do("sust.b.2d.v2.b16.zero", texel{surface, vec{f.shl(x, 2), y}}, halves)
}

// storeWord stores a word in a pixel of four bytes.
func (f *fn) storeWord(surface, x, y, w *reg) *inst {
	return f.do("sust.b.2d.b32.zero", texel{surface, vec{f.shl(x, 2), y}}, vec{w})
}

// storeQuad stores four f16 in a pixel of eight bytes.
func (f *fn) storeQuad(surface, x, y *reg, c vec) *inst {
	halves := each(4, func(i int) *reg { return f.narrow(c[i]) })
	return f.do("sust.b.2d.v4.b16.zero", texel{surface, vec{f.shl(x, 3), y}}, halves)
}

// storeColour stores a formatted pixel.
func (f *fn) storeColour(surface, x, y *reg, c vec) *inst {
	words := each(4, func(i int) *reg { return f.bits(c[i]) })
	return f.do("sust.p.2d.v4.b32.zero", texel{surface, vec{x, y}}, words)
}

// special reads a special register.
func (f *fn) special(name string) *reg { return f.word("mov.u32", name) }

// pixel is the coordinate of this thread for blocks of w x h (powers of two:
// the shifts of both are given).
func (f *fn) pixel(wide, high int) (x, y *reg) {
	x = f.iadd(f.shl(f.special("%ctaid.x"), wide), f.special("%tid.x"))
	y = f.iadd(f.shl(f.special("%ctaid.y"), high), f.special("%tid.y"))
	return x, y
}

// outside says whether a pixel is not in w x h.
func (f *fn) outside(x, y, w, h *reg) *reg {
	p, q := f.pred("setp.ge.s32", x, w), f.pred("setp.ge.s32", y, h)
	return f.pred("or.pred", p, q)
}

// exchange takes the value of another lane of the warp.
func (f *fn) exchange(how string, value *reg, lanes int) *reg {
	last := 31
	if how == "up" {
		last = 0
	}
	d := both{f.reg(word), f.reg(pred)}
	f.do("shfl.sync."+how+".b32", d, value, f.word("mov.u32", lanes), f.word("mov.u32", last), f.word("mov.u32", -1))
	return d.d
}
