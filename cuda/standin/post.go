package standin

// The post kernels of presets M (folded) and L: they blend as the output
// kernels do, look at their neighbours through shared memory (3_1) or through
// the warp (3_2), and keep their history in pairs of f16.

type post struct {
	lanes, highMotion, hdr, folded bool // lanes: 3_2
}

func postLayout(p post) []Param {
	motion := Input
	if p.highMotion {
		motion = Output
	}
	l := layout(
		memory(0, "weights", "f16", Input, 16),
		size(8, "out_w", "out_h", Output), size(16, "in_w", "in_h", Input),
		number(24, "scale_x", func(f Frame) float64 { return float64(f.InWidth) / float64(f.OutWidth) }),
		number(28, "scale_y", func(f Frame) float64 { return float64(f.InHeight) / float64(f.OutHeight) }),
		texture(32, "colour", "rgba16f", Input, "point"), texture(40, "depth", "r32f", Input, "point"),
		texture(48, "motion", "rg16f", motion, "point"), texture(56, "history", "rgba16f", Output, "linear"),
		number(64, "inv_w", func(f Frame) float64 { return 1 / float64(f.OutWidth) }),
		number(68, "inv_h", func(f Frame) float64 { return 1 / float64(f.OutHeight) }),
		number(72, "inv_in_w", func(f Frame) float64 { return 1 / float64(f.InWidth) }),
		number(76, "inv_in_h", func(f Frame) float64 { return 1 / float64(f.InHeight) }),
		surface(80, "result", "rgba32f", Output, "sust.p.2d.v4.b32.zero", "rgba16f", "rgba8", "rgb10a2"),
		surface(88, "warm", "rg16f", Output, "sust.b.2d.v2.b16.zero"),
		surface(96, "cold", "rg16f", Output, "sust.b.2d.v2.b16.zero"),
		constant(104, "exposure", 0.75), constant(108, "sharp", 0.375),
		constant(112, "motion_x", 7), constant(116, "motion_y", 5),
		flags(120),
	)
	if p.lanes {
		l = append(l, surface(128, "mask", "r32f", Output, "sust.b.2d.b32.zero", "rg16f"))
	}
	return l
}

func (p post) size() int {
	if p.folded {
		return 200
	}
	return 232
}

// post writes the program. Blocks are 32 x 8; every thread goes to the barrier.
func (p post) program(f *fn) {
	f.scoped = true
	x, y := f.pixel(5, 3)
	dims := f.ldv("out_w", "out_h")
	off := f.outside(x, y, dims[0], dims[1])
	x, y = f.imin(x, f.iadd(dims[0], -1)), f.imin(y, f.iadd(dims[1], -1))
	in := f.ldv("in_w", "in_h")
	scale := f.ldv("scale_x", "scale_y")
	wholeX, ix := f.floor(f.fmul(f.toFloat(x), scale[0]))
	_, iy := f.floor(f.fmul(f.toFloat(y), scale[1]))
	ix, iy = f.clamp(ix, f.iadd(in[0], -1)), f.clamp(iy, f.iadd(in[1], -1))
	fraction := f.sat(f.fsub(f.fmul(f.toFloat(x), scale[0]), wholeX))

	s := shading{highMotion: p.highMotion, hdr: p.hdr, kind: outputV2}
	exposure := f.ld("exposure")
	colour := s.expose(f, f.fetch(f.ld("colour"), ix, iy), exposure)
	weights := f.netWeights(f.imad(iy, in[0], ix))
	edge := p.edge(f, ix, iy)
	mx, my := ix, iy
	if p.highMotion {
		mx, my = x, y
	}
	motion, gain := f.fetch(f.ld("motion"), mx, my), f.ldv("motion_x", "motion_y")
	oldX, oldY := f.fma(motion[0], gain[0], f.toFloat(x)), f.fma(motion[1], gain[1], f.toFloat(y))
	past, known := s.past(f, oldX, oldY, f.iadd(dims[0], -1), f.iadd(dims[1], -1), f.ld("flags"))
	mixed := s.blend(f, colour, past, weights, known)
	brightness := f.luma(mixed)
	around := p.around(f, brightness)
	boost := f.fmul(f.fsub(brightness, around), f.fmul(f.ld("sharp"), fraction))
	sharp := each(3, func(i int) *reg { return f.fma(boost, weights[2], mixed[i]) })

	end := f.block()
	f.leave(off, end)
	p.store(f, x, y, mixed, sharp, weights, edge, exposure, brightness)
	f.end(end)
}

// edge is how much the depth changes around a pixel, from four neighbours.
func (p post) edge(f *fn, ix, iy *reg) *reg {
	inv := f.ldv("inv_in_w", "inv_in_h")
	u, v := f.fmul(f.fadd(f.toFloat(ix), 0.75), inv[0]), f.fmul(f.fadd(f.toFloat(iy), 0.75), inv[1])
	d := f.gather(f.ld("depth"), u, v)
	high := f.fmax(f.fmax(d[0], d[1]), f.fmax(d[2], d[3]))
	low := f.fmin(f.fmin(d[0], d[1]), f.fmin(d[2], d[3]))
	return f.float("fma.rn.ftz.sat.f32", f.fsub(high, low), 8.0, 0.0)
}

// around is the mean of the two neighbours in a row of 32.
func (p post) around(f *fn, value *reg) *reg {
	if p.lanes {
		w := f.bits(value)
		left, right := f.exchange("up", w, 1), f.exchange("down", w, 1)
		return f.fmul(f.fadd(f.float("mov.b32", left), f.float("mov.b32", right)), 0.5)
	}
	name := "_ZZ" + f.name + "E4tile"
	f.shared = append(f.shared, array{name, 1024})
	tx, ty := f.special("%tid.x"), f.special("%tid.y")
	base := f.word("mov.u32", name)
	row := f.iadd(base, f.shl(ty, 7))
	f.do("st.shared.f32", mem{f.iadd(row, f.shl(tx, 2)), 0}, value)
	f.do("bar.sync", 0)
	at := func(d int) *reg {
		i := f.clamp(f.iadd(tx, d), 31)
		return f.float("ld.shared.f32", mem{f.iadd(row, f.shl(i, 2)), 0})
	}
	return f.fmul(f.fadd(at(-1), at(1)), 0.5)
}

func (p post) store(f *fn, x, y *reg, mixed, sharp, weights vec, edge, exposure, brightness *reg) {
	result, warm, cold := f.ld("result"), f.ld("warm"), f.ld("cold")
	steep := f.pred("setp.gt.ftz.f32", edge, 0.25)
	f.choose(steep, func() {
		f.storeColour(result, x, y, append(append(vec{}, mixed...), edge))
		f.storePair(warm, x, y, mixed[0], mixed[1])
	}, func() {
		out := sharp
		if p.hdr {
			up := f.rcp(f.fmax(f.fmul(exposure, f.fsub(1.0, f.fmin(brightness, 0.9375))), 0.0009765625))
			out = each(3, func(i int) *reg { return f.fmul(f.fmax(sharp[i], 0.0), up) })
		}
		f.storeColour(result, x, y, append(append(vec{}, out...), f.float("mov.f32", 1.0)))
		f.storePair(warm, x, y, sharp[0], sharp[1])
	})
	f.storePair(cold, x, y, mixed[2], weights[3])
	if p.lanes {
		f.storeWord(f.ld("mask"), x, y, f.bits(f.float("tanh.approx.f32", weights[6])))
	}
	if !p.folded {
		// preset L marks where it has no trust in its history
		doubt := f.pred("setp.lt.ftz.f32", weights[1], 0.125)
		f.storePair(cold, x, y, mixed[2], edge).under(doubt, f)
	}
}
