package standin

// Programs that only have to be there: the layers of K and M, the input kernels
// of K, and kernels of other names. They are short, and valid.

func layerLayoutK() []Param {
	return layout(
		size(0, "dim_x", "dim_y", Input), memory(8, "in", "f16", Input, 64), memory(16, "skip", "f16", Input, 64),
		written(memory(24, "out", "", Input, 64)), written(memory(32, "full", "", Input, 64)),
		scalar(56, "shift_x", func(Frame) uint32 { return 4 }), scalar(60, "shift_y", func(Frame) uint32 { return 4 }),
		memory(64, "w", "f16", Fixed, 65536),
	)
}

func layerLayoutM() []Param {
	return layout(
		memory(0, "w", "f16", Fixed, 65536), size(8, "dim_x", "dim_y", Input),
		scalar(16, "shift_x", func(Frame) uint32 { return 4 }), scalar(20, "shift_y", func(Frame) uint32 { return 4 }),
		memory(24, "in", "f16", Input, 64), memory(32, "skip", "f16", Input, 64),
		written(memory(40, "out", "", Input, 64)), written(memory(48, "full", "", Input, 64)),
	)
}

// layer scales the 32 halves of each pixel of a window by its weights.
func layer(f *fn) {
	x, y := f.origin()
	dims := f.ldv("dim_x", "dim_y")
	in, skip, out, full := f.pointer("in"), f.pointer("skip"), f.pointer("out"), f.pointer("full")
	lane := f.special("%tid.x")
	weight := f.word("ld.global.nc.u32", mem{f.element(f.pointer("w"), lane, 4), 0})
	f.loop(64, func(i *reg) {
		px, py := f.iadd(x, f.and(i, 7)), f.iadd(y, f.shr(i, 3))
		inside := f.pred("and.pred", f.pred("setp.lt.u32", px, dims[0]), f.pred("setp.lt.u32", py, dims[1]))
		f.when(inside, func() {
			// 16 lanes have the 64 bytes of a pixel
			index := f.iadd(f.shl(f.imad(py, dims[0], px), 4), f.and(lane, 15))
			a := f.word("ld.global.u32", mem{f.element(in, index, 4), 0})
			b := f.word("ld.global.u32", mem{f.element(skip, index, 4), 0})
			c := f.pairs2("fma.rn.f16x2", a, weight, b)
			f.do("st.global.u32", mem{f.element(out, index, 4), 0}, c)
			f.do("st.global.u32", mem{f.element(full, index, 4), 0}, f.pairs2("add.f16x2", c, a))
		})
	})
	f.do("ret")
}

func inputLayout(s shading) []Param {
	motion := Input
	if s.highMotion {
		motion = Output
	}
	return layout(
		size(0, "in_w", "in_h", Input), size(8, "out_w", "out_h", Output),
		texture(16, "colour", "rgba16f", Input, "point"), texture(24, "depth", "r32f", Input, "point"),
		texture(32, "motion", "rg16f", motion, "point"), memory(40, "exposure", "f32", Fixed, 16),
		written(memory(48, "tokens", "", Input, 32)), constant(56, "motion_x", 8), constant(60, "motion_y", 6),
		number(64, "scale_x", func(f Frame) float64 { return float64(f.OutWidth) / float64(f.InWidth) }),
		number(68, "scale_y", func(f Frame) float64 { return float64(f.OutHeight) / float64(f.InHeight) }),
	)
}

// input writes the 16 halves of a pixel that the network begins with.
func (s shading) input(f *fn) {
	x, y := f.pixel(5, 3)
	dims := f.ldv("in_w", "in_h")
	end := f.block()
	f.leave(f.outside(x, y, dims[0], dims[1]), end)
	exposure := f.float("ld.global.nc.f32", mem{f.pointer("exposure"), 0})
	colour := s.expose(f, f.fetch(f.ld("colour"), x, y), exposure)
	nx, ny := s.closest(f, x, y, f.iadd(dims[0], -1), f.iadd(dims[1], -1))
	mx, my := nx, ny
	if s.highMotion {
		scale, out := f.ldv("scale_x", "scale_y"), f.ldv("out_w", "out_h")
		mx = f.clamp(f.word("cvt.rzi.ftz.s32.f32", f.round(f.fmul(f.toFloat(x), scale[0]))), f.iadd(out[0], -1))
		my = f.clamp(f.word("cvt.rzi.ftz.s32.f32", f.round(f.fmul(f.toFloat(y), scale[1]))), f.iadd(out[1], -1))
	}
	motion, gain := f.fetch(f.ld("motion"), mx, my), f.ldv("motion_x", "motion_y")
	dx, dy := f.fmul(motion[0], gain[0]), f.fmul(motion[1], gain[1])
	v := vec{colour[0], colour[1], colour[2], f.luma(colour), dx, dy, f.round(dx), f.round(dy)}
	for i := range 8 {
		v = append(v, f.fma(v[i], v[(i+3)%8], float64(i)/8))
	}
	to := f.element(f.pointer("tokens"), f.imad(y, dims[0], x), 32)
	for i := range 2 {
		words := each(4, func(j int) *reg { return f.pack2(v[8*i+2*j], v[8*i+2*j+1]) })
		f.do("st.global.v4.u32", mem{to, 16 * i}, words)
	}
	f.end(end)
}

func clearLayout() []Param {
	return layout(size(0, "dim_x", "dim_y", Input), surface(8, "result", "rgba16f", Input, "sust.b.2d.v4.b16.zero"))
}

// clear fills a surface of f16 with its coordinates.
func clearSurface(f *fn) {
	x, y := f.pixel(3, 3)
	dims := f.ldv("dim_x", "dim_y")
	end := f.block()
	f.leave(f.outside(x, y, dims[0], dims[1]), end)
	fx, fy := f.toFloat(x), f.toFloat(y)
	f.storeQuad(f.ld("result"), x, y, vec{fx, fy, f.fadd(fx, fy), f.fsub(fx, fy)})
	f.end(end)
}
