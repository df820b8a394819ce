package standin

// The output kernels of preset K: they blend the frame, its history and what
// the network says about each pixel of the frame that was rendered.

// outputKind is the third part of an output kernel's name.
type outputKind uint8

const (
	outputV1 outputKind = iota
	outputV2
	outputMaxV2
)

func outputLayout(kind outputKind, highMotion bool) []Param {
	motion := Input
	if highMotion {
		motion = Output
	}
	l := layout(
		size(0, "out_w", "out_h", Output), size(8, "in_w", "in_h", Input),
		number(16, "scale_x", func(f Frame) float64 { return float64(f.InWidth) / float64(f.OutWidth) }),
		number(20, "scale_y", func(f Frame) float64 { return float64(f.InHeight) / float64(f.OutHeight) }),
		constant(24, "jitter_x", 0.1875), constant(28, "jitter_y", -0.3125),
		texture(32, "colour", "rgba16f", Input, "point"), texture(40, "depth", "r32f", Input, "point"),
		texture(48, "motion", "rg16f", motion, "point"), texture(56, "history", "rgba16f", Output, "point"),
		memory(64, "weights", "f16", Input, 16), memory(72, "exposure", "f32", Fixed, 16),
		surface(80, "result", "rgba32f", Output, "sust.p.2d.v4.b32.zero", "rgba16f", "rgba8", "rgb10a2"),
		surface(88, "next", "rg16f", Output, "sust.b.2d.v2.b16.zero"),
		surface(96, "mask", "r32f", Output, "sust.b.2d.b32.zero", "rg16f"),
		number(104, "inv_w", func(f Frame) float64 { return 1 / float64(f.OutWidth) }),
		number(108, "inv_h", func(f Frame) float64 { return 1 / float64(f.OutHeight) }),
		constant(112, "motion_x", 12), constant(116, "motion_y", -9),
		flags(120), constant(124, "sharp", 0.25),
	)
	if kind == outputMaxV2 {
		l = append(l, surface(128, "peak", "r32f", Half, "sust.b.2d.b32.zero"), written(memory(136, "bright", "", Fixed, 16)))
	}
	return l
}

// outputSize is of the parameter block.
func outputSize(kind outputKind) int { return [...]int{240, 272, 304}[kind] }

// shading is what the names of an output kernel choose.
type shading struct {
	inverted, highMotion, hdr bool
	kind                      outputKind
}

// output writes the program.
func (s shading) output(f *fn) {
	x, y := f.outputPixel(s.kind)
	dims := f.ldv("out_w", "out_h")
	w, h := dims[0], dims[1]
	end := f.block()
	lastX, lastY := f.iadd(w, -1), f.iadd(h, -1)
	var off *reg
	if s.kind == outputMaxV2 {
		// lanes take part in exchanges: those outside go on inside
		off = f.outside(x, y, w, h)
		x, y = f.imin(x, lastX), f.imin(y, lastY)
	} else {
		f.leave(f.outside(x, y, w, h), end)
	}
	in := f.ldv("in_w", "in_h")
	inX, inY := f.iadd(in[0], -1), f.iadd(in[1], -1)
	scale, jitter := f.ldv("scale_x", "scale_y"), f.ldv("jitter_x", "jitter_y")
	px := f.fsub(f.fma(f.fadd(f.toFloat(x), 0.5), scale[0], jitter[0]), 0.5)
	py := f.fsub(f.fma(f.fadd(f.toFloat(y), 0.5), scale[1], jitter[1]), 0.5)
	cx, cy := f.clamp(f.word("cvt.rzi.ftz.s32.f32", f.round(px)), inX), f.clamp(f.word("cvt.rzi.ftz.s32.f32", f.round(py)), inY)

	bestX, bestY := s.closest(f, cx, cy, inX, inY)
	mx, my := bestX, bestY
	if s.highMotion {
		mx, my = x, y
	}
	motion := f.fetch(f.ld("motion"), mx, my)
	gain := f.ldv("motion_x", "motion_y")
	oldX, oldY := f.fma(motion[0], gain[0], f.toFloat(x)), f.fma(motion[1], gain[1], f.toFloat(y))

	exposure := f.float("ld.global.nc.f32", mem{f.pointer("exposure"), 4})
	colour := s.expose(f, f.fetch(f.ld("colour"), cx, cy), exposure)
	weights := f.netWeights(f.imad(cy, in[0], cx))
	flags := f.ld("flags")
	past, known := s.past(f, oldX, oldY, lastX, lastY, flags)
	mixed := s.blend(f, colour, past, weights, known)
	if s.kind != outputV1 {
		mixed = s.tighten(f, mixed, cx, cy, inX, inY, exposure)
	}
	s.store(f, x, y, mixed, weights, flags, off, exposure)
	f.end(end)
}

// outputPixel is this thread's pixel. Blocks are 32 x 8; the second kind asks
// for their size.
func (f *fn) outputPixel(kind outputKind) (x, y *reg) {
	if kind != outputV2 {
		return f.pixel(5, 3)
	}
	x = f.imad(f.special("%ctaid.x"), f.special("%ntid.x"), f.special("%tid.x"))
	y = f.imad(f.special("%ctaid.y"), f.special("%ntid.y"), f.special("%tid.y"))
	return x, y
}

// closest finds the nearest of nine depths.
func (s shading) closest(f *fn, cx, cy, lastX, lastY *reg) (x, y *reg) {
	depth := f.ld("depth")
	bestX, bestY, best := f.word("mov.u32", cx), f.word("mov.u32", cy), f.float("mov.f32", f.fetch(depth, cx, cy)[0])
	row := func(dy *reg) {
		ty := f.clamp(f.iadd(cy, dy), lastY)
		for dx := -1; dx <= 1; dx++ {
			tx := f.clamp(f.iadd(cx, dx), lastX)
			d := f.fetch(depth, tx, ty)[0]
			compare := "setp.lt.ftz.f32"
			if s.inverted {
				compare = "setp.gt.ftz.f32"
			}
			p := f.pred(compare, d, best)
			f.do("selp.f32", best, d, best, p)
			f.do("selp.b32", bestX, tx, bestX, p)
			f.do("selp.b32", bestY, ty, bestY, p)
		}
	}
	f.loop(3, func(i *reg) { row(f.iadd(i, -1)) })
	return bestX, bestY
}

// expose brings a colour into 0..1.
func (s shading) expose(f *fn, c vec, exposure *reg) vec {
	if !s.hdr {
		return each(3, func(i int) *reg { return f.sat(c[i]) })
	}
	lit := each(3, func(i int) *reg { return f.fmax(f.fmul(c[i], exposure), 0.0) })
	down := f.rcp(f.fadd(f.luma(lit), 1.0))
	return each(3, func(i int) *reg { return f.fmin(f.fmul(lit[i], down), 1.0) })
}

// netWeights reads eight halves of a pixel and makes weights of four of them;
// the others stay as they are.
func (f *fn) netWeights(index *reg) vec {
	words := f.vector(word, 4)
	f.do("ld.global.nc.v4.u32", words, mem{f.element(f.pointer("weights"), index, 16), 0})
	var v vec
	for _, w := range words {
		low, high := f.pair(w)
		v = append(v, low, high)
	}
	top := f.fmax(f.fmax(v[0], v[1]), f.fmax(v[2], v[3]))
	var sum *reg
	for i := range 4 {
		v[i] = f.exp(f.fmin(f.fmax(f.fsub(v[i], top), -16.0), 0.0))
		if sum == nil {
			sum = v[i]
		} else {
			sum = f.fadd(sum, v[i])
		}
	}
	down := f.rcp(sum)
	for i := range 4 {
		v[i] = f.fmul(v[i], down)
	}
	return v
}
