package standin

// folded0 is the folded first encoder: the head, and behind its third barrier
// one product of 16 tokens (2 x 2 pixels each), K 128, N 64, whose e4m3 codes
// go to two planes of 32 channels at half resolution.
func (e encoder) folded0(f *fn) {
	dims := f.ldv("dim_x", "dim_y")
	out := f.ld("out")
	w := f.pointer("w")
	x, y := f.origin()
	name := "_ZZ" + f.name + "E8features"
	f.shared = append(f.shared, array{name, 2048})
	t := tile{lane: f.special("%laneid"), smem: f.word("mov.u32", name), x: x, y: y, w: dims[0], h: dims[1]}
	e.features(f, t)
	f.do("bar.warp.sync", -1)
	f.freeze(true)
	acc := e.tail(f, t, f.weightsAt(w, t.lane))
	e.scatter(f, t, out, acc)
	f.do("ret")
}

// tail multiplies: fragments of pair p and chunk c at 4096 + 512*(4p+c), the
// bias at 12288.
func (e encoder) tail(f *fn, t tile, w weights) []vec {
	row, quad := f.shr(t.lane, 2), f.and(t.lane, 3)
	at := f.iadd(t.smem, f.iadd(f.shl(f.and(row, 3), 5), f.iadd(f.shl(f.shr(row, 2), 8), f.shl(quad, 2))))
	var a [4]vec
	for c := range a {
		for _, k := range []int{0, 1024} {
			for _, rows := range []int{0, 512} {
				a[c] = append(a[c], f.word("ld.shared.u32", mem{at, subpixels[c] + k + rows}))
			}
		}
	}
	acc := f.accumulators(w, 12288, 8)
	for c := range a {
		acc = f.product(a[c], w, 4096+512*c, 2048, acc)
	}
	return acc
}

// scatter clamps, encodes and stores.
func (e encoder) scatter(f *fn, t tile, out *reg, acc []vec) {
	for i := range acc {
		acc[i] = f.limit(acc[i])
	}
	row, quad := f.shr(t.lane, 2), f.and(t.lane, 3)
	y := f.iadd(f.halve(t.y), f.shr(row, 2))
	x := f.iadd(f.halve(t.x), f.and(row, 3))
	w, h := f.halve(t.w), f.halve(t.h)
	plane := f.shl(f.word("mul.lo.s32", w, h), 3)
	global := f.long("cvta.to.global.u64", out)
	var words [2][2]vec // [plane][j] rows
	for p := range words {
		for j := range words[p] {
			words[p][j] = f.codes(acc[4*p+j], acc[4*p+2+j])
		}
	}
	inX := f.pred("setp.lt.u32", x, w)
	for rows := range 2 {
		ty := y
		if rows == 1 {
			ty = f.iadd(y, 2)
		}
		ok := f.pred("and.pred", inX, f.pred("setp.lt.u32", ty, h))
		first := f.iadd(f.shl(f.imad(w, ty, x), 3), quad)
		f.when(ok, func() {
			for p := range words {
				index := first
				if p == 1 {
					index = f.iadd(first, plane)
				}
				to := f.element(global, index, 4)
				for j := range words[p] {
					f.do("st.global.u32", mem{to, 16 * j}, words[p][j][rows])
				}
			}
		})
	}
}
