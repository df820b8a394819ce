package standin

// The encoders' first part: one warp computes 32 features for each of 8 x 8
// pixels and leaves them as e4m3 codes in shared memory, byte k of pixel
// (px, py) at 1024*(k>>4) + 128*py + 16*px + (k&15).

type encoder struct {
	highMotion, hdr, folded bool
}

// subpixels are where the four pixels of a token lie.
var subpixels = [4]int{0, 16, 128, 144}

const encoderBlock = 360

func encoderLayout(e encoder) []Param {
	motion := Input
	if e.highMotion {
		motion = Output
	}
	l := layout(
		texture(24, "colour", "rgba16f", Input, "point"), texture(32, "depth", "r32f", Input, "point"),
		texture(56, "motion", "rg16f", motion, "point"), texture(64, "history", "rgba16f", Output, "linear"),
		size(72, "out_w", "out_h", Output), size(80, "in_w", "in_h", Input),
		constant(88, "motion_x", 8), constant(92, "motion_y", 6), constant(96, "jitter_x", 0.25), constant(100, "jitter_y", -0.125),
		number(104, "inv_w", func(f Frame) float64 { return 1 / float64(f.InWidth) }),
		number(108, "inv_h", func(f Frame) float64 { return 1 / float64(f.InHeight) }),
		memory(112, "exposure", "f32", Fixed, 16),
	)
	shift := func(Frame) uint32 { return 4 }
	if e.folded {
		return append(l, layout(memory(0, "w", "e4m3", Fixed, 16384), size(8, "dim_x", "dim_y", Input),
			scalar(16, "shift_x", shift), scalar(20, "shift_y", shift), written(memory(40, "out", "", Quarter, 64)))...)
	}
	return append(l, layout(memory(0, "w", "e4m3", Fixed, 65536), scalar(8, "shift_x", shift), scalar(12, "shift_y", shift),
		size(16, "dim_x", "dim_y", Input), written(memory(40, "out", "", Input, 32)), written(memory(48, "merged", "", Quarter, 64)))...)
}

// tile is what the head hands on.
type tile struct {
	lane, smem, x, y, w, h *reg
}

// mirror reflects a coordinate at both edges of 0..n-1.
func (f *fn) mirror(v, n *reg) *reg {
	a := f.word("abs.s32", v)
	back := f.isub(f.iadd(f.shl(n, 1), -2), a)
	return f.clamp(f.imin(a, back), f.iadd(n, -1))
}

// origin is where the tile of this block begins; it can be negative.
func (f *fn) origin() (x, y *reg) {
	shift := f.ldv("shift_x", "shift_y")
	return f.isub(f.shl(f.special("%ctaid.x"), 3), shift[0]), f.isub(f.shl(f.special("%ctaid.y"), 3), shift[1])
}

// features writes the head. Folded encoders also look at their neighbours'
// brightness, which takes two barriers more.
func (e encoder) features(f *fn, t tile) {
	exposure := f.float("ld.global.nc.f32", mem{f.pointer("exposure"), 0})
	px := f.and(t.lane, 7)
	var pixels [2]pixelFeatures
	for i := range pixels {
		py := f.iadd(f.shr(t.lane, 3), 4*i)
		pixels[i] = e.look(f, t, px, py, exposure)
	}
	if e.folded {
		e.gradients(f, t, pixels[:])
	}
	for i := range pixels {
		e.write(f, t, pixels[i])
	}
}

// pixelFeatures are the numbers that features are mixed from.
type pixelFeatures struct {
	px, py *reg
	base   vec
	light  *reg
}

func (e encoder) look(f *fn, t tile, px, py, exposure *reg) pixelFeatures {
	x, y := f.mirror(f.iadd(t.x, px), t.w), f.mirror(f.iadd(t.y, py), t.h)
	s := shading{highMotion: e.highMotion, hdr: e.hdr}
	colour := s.expose(f, f.fetch(f.ld("colour"), x, y), exposure)
	in := f.ldv("in_w", "in_h")
	nearX, nearY := s.closest(f, x, y, f.iadd(in[0], -1), f.iadd(in[1], -1))
	mx, my := nearX, nearY
	if e.highMotion {
		out := f.ldv("out_w", "out_h")
		mx, my = f.imin(f.shl(x, 1), f.iadd(out[0], -1)), f.imin(f.shl(y, 1), f.iadd(out[1], -1))
	}
	motion, gain := f.fetch(f.ld("motion"), mx, my), f.ldv("motion_x", "motion_y")
	inv, jitter := f.ldv("inv_w", "inv_h"), f.ldv("jitter_x", "jitter_y")
	dx, dy := f.fma(motion[0], gain[0], jitter[0]), f.fma(motion[1], gain[1], jitter[1])
	u, v := f.fmul(f.fadd(f.fadd(f.toFloat(x), 0.5), dx), inv[0]), f.fmul(f.fadd(f.fadd(f.toFloat(y), 0.5), dy), inv[1])
	past := f.level(f.ld("history"), u, v, f.float("mov.f32", 0.0))
	light := f.luma(colour)
	gap := f.fsub(light, f.luma(past[:3]))
	depth := f.fetch(f.ld("depth"), nearX, nearY)[0]
	lg := f.float("lg2.approx.ftz.f32", f.fmax(light, 0.0009765625))
	base := vec{colour[0], colour[1], colour[2], past[0], past[1], past[2], dx, dy, depth, gap, lg, light}
	return pixelFeatures{px, py, base, light}
}

// gradients puts the brightness of all pixels into shared memory and takes the
// differences of neighbours out of it.
func (e encoder) gradients(f *fn, t tile, pixels []pixelFeatures) {
	at := func(px, py *reg) *reg { return f.iadd(t.smem, f.shl(f.imad(py, 8, px), 2)) }
	for _, p := range pixels {
		f.do("st.shared.f32", mem{at(p.px, p.py), 0}, p.light)
	}
	f.do("bar.warp.sync", -1)
	for i, p := range pixels {
		right := f.float("ld.shared.f32", mem{at(f.imin(f.iadd(p.px, 1), 7), p.py), 0})
		down := f.float("ld.shared.f32", mem{at(p.px, f.imin(f.iadd(p.py, 1), 7)), 0})
		pixels[i].base = append(p.base, f.fsub(right, p.light), f.fsub(down, p.light))
	}
	f.do("bar.warp.sync", -1)
}

// write mixes 32 features and stores their codes.
func (e encoder) write(f *fn, t tile, p pixelFeatures) {
	r := seeded("features")
	one := func() *reg {
		a, b := p.base[r.below(len(p.base))], p.base[r.below(len(p.base))]
		v := f.fma(a, float64(r.below(64)-32)/16, f.fmul(b, float64(r.below(64)-32)/32))
		return f.fmin(f.fmax(v, -448.0), 448.0)
	}
	at := f.iadd(t.smem, f.iadd(f.shl(p.py, 7), f.shl(p.px, 4)))
	for group := range 2 {
		var words vec
		for range 4 {
			var h vec
			for range 2 {
				low, high := one(), one()
				w := f.reg(word)
				f.asm("cvt.rn.f16x2.f32", w, high, low)
				h = append(h, f.encode(w))
			}
			words = append(words, f.word("mov.b32", h))
		}
		f.do("st.shared.v4.u32", mem{at, 1024 * group}, words)
	}
}
