package standin

// folded decoder: one warp multiplies 16 tokens (K 64 in two planes, N 128),
// leaves 32 codes for each of 8 x 8 pixels in shared memory, and makes colours
// of them.

const decoderBlock = 168

func decoderLayout() []Param {
	shift := func(Frame) uint32 { return 4 }
	return layout(
		memory(0, "w", "e4m3", Fixed, 16384), size(8, "dim_x", "dim_y", Input),
		scalar(16, "shift_x", shift), scalar(20, "shift_y", shift),
		memory(24, "in", "e4m3", Quarter, 64),
		surface(32, "result", "rgba32f", Input, "sust.p.2d.v4.b32.zero", "rgba16f"),
		surface(40, "warm", "rg16f", Input, "sust.b.2d.v2.b16.zero"),
		surface(48, "mask", "r32f", Input, "sust.b.2d.b32.zero"),
		constant(56, "gain", 0.125), constant(60, "offset", 0.5),
	)
}

func decoder0(f *fn) {
	dims := f.ldv("dim_x", "dim_y")
	x, y := f.origin()
	w, in := f.pointer("w"), f.pointer("in")
	thread := f.special("%tid.x")
	name := "_ZZ" + f.name + "E8features"
	f.shared = append(f.shared, array{name, 2048})

	f.freeze(true)
	smem := decoderHead(f, name, w, in, dims, x, y)
	f.freeze(false)
	f.do("bar.warp.sync", -1)
	for i := range 2 {
		decoderPixel(f, smem, thread, x, y, dims, i)
	}
	f.do("ret")
}

// decoderHead begins with the lane's number and ends with a shared store.
// Fragments of pair p and plane c lie at 512*(2p+c), the bias at 8192.
func decoderHead(f *fn, name string, w, in *reg, dims vec, x, y *reg) *reg {
	lane := f.special("%laneid")
	row, quad := f.shr(lane, 2), f.and(lane, 3)
	halfW, halfH := f.halve(dims[0]), f.halve(dims[1])
	// the reflection of half coordinates at both edges
	reflect := func(v, full, half *reg) *reg {
		a := f.word("abs.s32", v)
		back := f.iadd(f.isub(f.and(full, -2), a), -2)
		return f.imax(f.imin(f.imin(a, back), f.iadd(half, -1)), 0)
	}
	tx := reflect(f.iadd(f.halve(x), f.and(row, 3)), dims[0], halfW)
	baseY := f.iadd(f.halve(y), f.shr(row, 2))
	var rows [2]*reg
	for i := range rows {
		ty := reflect(f.iadd(baseY, 2*i), dims[1], halfH)
		index := f.iadd(f.shl(f.imad(halfW, ty, tx), 3), quad)
		rows[i] = f.element(in, index, 4)
	}
	plane := f.long("mul.wide.s32", f.word("mul.lo.s32", halfW, halfH), 32)
	at := f.weightsAt(w, lane)
	acc := f.accumulators(at, 8192, 16)
	for c := range 2 {
		var a vec
		for _, k := range []int{0, 16} {
			for i := range rows {
				from := rows[i]
				if c == 1 {
					from = f.long("add.s64", rows[i], plane)
				}
				a = append(a, f.word("ld.global.nc.u32", mem{from, k}))
			}
		}
		acc = f.product(a, at, 512*c, 1024, acc)
	}
	smem := f.word("mov.u32", name)
	to := f.iadd(smem, f.iadd(f.shl(f.and(row, 3), 5), f.iadd(f.shl(f.shr(row, 2), 8), f.shl(quad, 2))))
	for p := range 8 {
		words := f.codes(acc[2*p], acc[2*p+1])
		for i, word := range words {
			f.do("st.shared.u32", mem{to, 1024*(p&1) + subpixels[p>>1] + 512*i}, word)
		}
	}
	return smem
}

// decoderPixel decodes 32 codes of one of a lane's two pixels.
func decoderPixel(f *fn, smem, thread, x, y *reg, dims vec, i int) {
	px, py := f.and(thread, 7), f.iadd(f.shr(thread, 3), 4*i)
	at := f.iadd(smem, f.iadd(f.shl(py, 7), f.shl(px, 4)))
	var pairs vec
	for group := range 2 {
		words := f.vector(word, 4)
		f.do("ld.shared.v4.u32", words, mem{at, 1024 * group})
		for _, w := range words {
			h := f.vector(half, 2)
			f.do("mov.b32", h, w)
			pairs = append(pairs, f.decode(h[0]), f.decode(h[1]))
		}
	}
	// 16 pairs to four: sums of four, weighed
	quarter := f.word("mov.u32", 0x34003400)
	sums := each(4, func(j int) *reg {
		s := f.pairs2("mul.f16x2", pairs[j], quarter)
		for k := 1; k < 4; k++ {
			s = f.pairs2("fma.rn.f16x2", pairs[j+4*k], quarter, s)
		}
		return s
	})
	var v vec
	for _, s := range sums {
		low, high := f.pair(s)
		v = append(v, low, high)
	}
	scale := f.ldv("gain", "offset")
	c := each(4, func(j int) *reg { return f.sat(f.fma(v[j], scale[0], scale[1])) })
	gx, gy := f.iadd(x, px), f.iadd(y, py)
	ok := f.pred("and.pred", f.pred("setp.lt.u32", gx, dims[0]), f.pred("setp.lt.u32", gy, dims[1]))
	result, warm, mask := f.ld("result"), f.ld("warm"), f.ld("mask")
	f.when(ok, func() {
		f.storeColour(result, gx, gy, c)
		f.storePair(warm, gx, gy, v[4], v[5])
		f.storeWord(mask, gx, gy, f.bits(f.fma(v[6], v[7], 0.5)))
	})
}
