package standin

// The unfolded encoder and decoder of preset L: one warp, 8 x 8 pixels in four
// windows of 4 x 4, one after another.

// unfolded0 is the encoder: the head and its barrier, 32 MMAs of embedding, a
// second barrier, four windows of 72, a third barrier, 16 MMAs of merging.
func (e encoder) unfolded0(f *fn) {
	dims := f.ldv("dim_x", "dim_y")
	w, out, merged := f.pointer("w"), f.pointer("out"), f.pointer("merged")
	x, y := f.origin()
	name := "_ZZ" + f.name + "E8features"
	f.shared = append(f.shared, array{name, 2048})
	t := tile{lane: f.special("%laneid"), smem: f.word("mov.u32", name), x: x, y: y, w: dims[0], h: dims[1]}
	e.features(f, t)
	f.do("bar.warp.sync", -1)

	f.freeze(true)
	at := f.weightsAt(w, t.lane)
	row, quad := f.shr(t.lane, 2), f.and(t.lane, 3)
	token := f.iadd(t.smem, f.iadd(f.shl(f.and(row, 3), 4), f.iadd(f.shl(f.shr(row, 2), 7), f.shl(quad, 2))))
	windows := make([][]vec, 4)
	for i := range windows {
		windows[i] = f.embed(at, f.windowOperand(token, i))
	}
	f.do("bar.warp.sync", -1)
	for i := range windows {
		windows[i] = f.gate(at, f.attend(at, windows[i]))
		e.keep(f, t, token, out, windows[i], i, row, quad)
	}
	f.do("bar.warp.sync", -1)
	e.merge(f, t, at, merged, row, quad)
	f.do("ret")
}

// corner is the offset of a window's first pixel in shared memory.
func corner(window int) int { return 64*(window&1) + 512*(window>>1) }

// windowOperand loads 16 tokens of 32 codes.
func (f *fn) windowOperand(token *reg, window int) vec {
	var a vec
	for _, k := range []int{0, 1024} {
		for _, rows := range []int{0, 256} {
			a = append(a, f.word("ld.shared.u32", mem{token, corner(window) + k + rows}))
		}
	}
	return a
}

// embed is two layers, eight MMAs.
func (f *fn) embed(w weights, a vec) []vec {
	first := f.product(a, w, 4096, 512, f.accumulators(w, 5120, 4))
	zero := f.word("mov.u32", 0)
	for i := range first {
		v := first[i]
		first[i] = each(2, func(h int) *reg { return f.pairs2("max.f16x2", v[h], zero) })
	}
	return f.product(f.operand8(first), w, 5184, 512, f.accumulators(w, 6208, 4))
}

// gate scales a window by what eight MMAs say about it.
func (f *fn) gate(w weights, x []vec) []vec {
	g := f.product(f.operand8(x), w, further, 512, f.accumulators(w, further+4096, 8))
	out := make([]vec, 4)
	for i := range out {
		out[i] = each(2, func(h int) *reg {
			return f.pairs2("fma.rn.f16x2", x[i][h], f.pairs2("tanh.approx.f16x2", g[i][h]), g[i+4][h])
		})
	}
	return out
}

// keep stores the codes of a window, in shared memory and one plane of 32 bytes
// a pixel.
func (e encoder) keep(f *fn, t tile, token, out *reg, x []vec, window int, row, quad *reg) {
	low, high := f.codes(x[0], x[1]), f.codes(x[2], x[3])
	px := f.iadd(f.iadd(t.x, 4*(window&1)), f.and(row, 3))
	inX := f.pred("setp.lt.u32", px, t.w)
	for h := range 2 {
		f.do("st.shared.u32", mem{token, corner(window) + 256*h}, low[h])
		f.do("st.shared.u32", mem{token, corner(window) + 1024 + 256*h}, high[h])
		py := f.iadd(f.iadd(t.y, 4*(window>>1)+2*h), f.shr(row, 2))
		ok := f.pred("and.pred", inX, f.pred("setp.lt.u32", py, t.h))
		to := f.element(out, f.iadd(f.shl(f.imad(t.w, py, px), 3), quad), 4)
		f.do("st.global.u32", mem{to, 0}, low[h]).under(ok, f)
		f.do("st.global.u32", mem{to, 16}, high[h]).under(ok, f)
	}
}

// merge makes half-resolution tokens of 2 x 2 pixels: 16 tokens, two k32 steps,
// 64 channels in two planes.
func (e encoder) merge(f *fn, t tile, w weights, merged, row, quad *reg) {
	at := f.iadd(t.smem, f.iadd(f.shl(f.and(row, 3), 5), f.iadd(f.shl(f.shr(row, 2), 8), f.shl(quad, 2))))
	acc := f.accumulators(w, final+8192, 8)
	for c := range 2 {
		var a vec
		for _, k := range []int{0, 1024} {
			for _, rows := range []int{0, 512} {
				a = append(a, f.word("ld.shared.u32", mem{at, subpixels[3*c] + k + rows}))
			}
		}
		acc = f.product(a, w, final+512*c, 1024, acc)
	}
	e.scatter(f, t, merged, acc)
}

// decoderL is the decoder: for each window eight MMAs of the lower layer and a
// block of 64, then 16 MMAs whose results eight surface stores write.
func decoderL(f *fn) {
	cx, cy := f.special("%ctaid.x"), f.special("%ctaid.y")
	shift, dims := f.ldv("shift_x", "shift_y"), f.ldv("dim_x", "dim_y")
	x, y := f.isub(f.shl(cx, 3), shift[0]), f.isub(f.shl(cy, 3), shift[1])
	lane := f.special("%laneid")
	// two pixels by two for each token: lanes of a token take turns
	outX := f.or(f.shl(f.iadd(x, f.and(f.shr(lane, 2), 3)), 1), f.and(lane, 1))
	outY := f.or(f.shl(f.iadd(y, f.shr(lane, 4)), 1), f.and(f.shr(lane, 1), 1))
	result := f.ld("result")
	w, in, skip := f.pointer("w"), f.pointer("in"), f.pointer("skip")
	at := f.weightsAt(w, lane)
	row, quad := f.shr(lane, 2), f.and(lane, 3)

	windows := make([][]vec, 4)
	for i := range windows {
		windows[i] = f.attend(at, f.lower(at, in, skip, x, y, dims, row, quad, i))
	}
	var results []vec
	for i := range windows {
		results = append(results, f.product(f.operand8(windows[i]), at, final, 512, f.accumulators(at, final+1024, 4))...)
	}
	f.place(f.block()) // what follows stays behind the last MMA
	limit := vec{f.shl(dims[0], 1), f.shl(dims[1], 1)}
	for m := range 4 {
		for h := range 2 {
			c := f.shuffled(results[4*m:4*m+4], h)
			gx, gy := outX, f.iadd(outY, 8*(m>>1)+4*h)
			if m&1 == 1 {
				gx = f.iadd(outX, 8)
			}
			ok := f.pred("and.pred", f.pred("setp.lt.u32", gx, limit[0]), f.pred("setp.lt.u32", gy, limit[1]))
			f.storeColour(result, gx, gy, c).under(ok, f)
		}
	}
	f.do("ret")
}

// shuffled makes a colour of eight columns.
func (f *fn) shuffled(tiles []vec, h int) vec {
	var v vec
	for _, t := range tiles {
		low, high := f.pair(t[h])
		v = append(v, low, high)
	}
	return each(4, func(i int) *reg { return f.sat(f.fma(v[2*i], v[2*i+1], 0.5)) })
}

// lower multiplies the two planes of the lower layer and adds the skip.
func (f *fn) lower(w weights, in, skip, x, y *reg, dims vec, row, quad *reg, window int) []vec {
	px := f.mirror(f.iadd(f.iadd(x, 4*(window&1)), f.and(row, 3)), dims[0])
	halfW := f.shr(f.iadd(dims[0], 1), 1)
	halfH := f.shr(f.iadd(dims[1], 1), 1)
	var low, high vec
	for h := range 2 {
		py := f.mirror(f.iadd(f.iadd(y, 4*(window>>1)+2*h), f.shr(row, 2)), dims[1])
		low = append(low, f.element(in, f.iadd(f.shl(f.imad(f.shr(py, 1), halfW, f.shr(px, 1)), 3), quad), 4))
		high = append(high, f.element(skip, f.iadd(f.shl(f.imad(py, dims[0], px), 3), quad), 4))
	}
	plane := f.long("mul.wide.s32", f.word("mul.lo.s32", halfW, halfH), 32)
	acc := f.accumulators(w, further+4096, 4)
	for c := range 2 {
		var a vec
		for _, k := range []int{0, 16} {
			for h := range 2 {
				from := low[h]
				if c == 1 {
					from = f.long("add.s64", from, plane)
				}
				a = append(a, f.word("ld.global.nc.u32", mem{from, k}))
			}
		}
		acc = f.product(a, w, further+1024*c, 512, acc)
	}
	out := make([]vec, len(acc))
	for i := range out {
		out[i] = each(2, func(h int) *reg {
			c := f.vector(half, 2)
			f.do("mov.b32", c, f.word("ld.global.nc.u32", mem{high[h], 16 * (i >> 1)}))
			return f.pairs2("add.f16x2", acc[i][h], f.decode(c[i&1]))
		})
	}
	return out
}

func decoderLayoutL() []Param {
	shift := func(Frame) uint32 { return 4 }
	return layout(
		memory(0, "w", "e4m3", Fixed, 65536), scalar(8, "shift_x", shift), scalar(12, "shift_y", shift),
		size(16, "dim_x", "dim_y", Input), memory(24, "in", "e4m3", Quarter, 64), memory(32, "skip", "e4m3", Input, 32),
		surface(40, "result", "rgba32f", Twice, "sust.p.2d.v4.b32.zero", "rgba16f"),
	)
}
