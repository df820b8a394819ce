package standin

// MMAs of 16 tokens, and the packing between them. A fragment of A is four
// words, one of D two: rows lane/4 and lane/4+8, columns 2*(lane%4) and the next.

// mma8 is D = A*B + C for e4m3 operands, K 32, f16 accumulators.
func (f *fn) mma8(a, b, c vec) vec {
	d := f.vector(word, 2)
	f.asm("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", d, a, b, c)
	return d
}

// mma16 is D = A*B + C for f16 operands, K 16.
func (f *fn) mma16(a, b, c vec) vec {
	d := f.vector(word, 2)
	f.asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", d, a, b, c)
	return d
}

// pairs2 is an operation on two f16 at once.
func (f *fn) pairs2(op string, args ...any) *reg {
	d := f.reg(word)
	f.asm(op, append([]any{d}, args...)...)
	return d
}

// encode turns two f16 into two e4m3 codes.
func (f *fn) encode(w *reg) *reg {
	d := f.reg(half)
	f.asm("cvt.rn.satfinite.e4m3x2.f16x2", d, w)
	return d
}

// decode turns two e4m3 codes into two f16.
func (f *fn) decode(h *reg) *reg {
	d := f.reg(word)
	f.asm("cvt.rn.f16x2.e4m3x2", d, h)
	return d
}

// codes encodes two tiles of columns into the words of rows r and r+8.
func (f *fn) codes(first, second vec) vec {
	return each(2, func(h int) *reg {
		return f.word("mov.b32", vec{f.encode(first[h]), f.encode(second[h])})
	})
}

// operand makes an A fragment of four tiles of D.
func (f *fn) operand8(d []vec) vec {
	low, high := f.codes(d[0], d[1]), f.codes(d[2], d[3])
	return vec{low[0], low[1], high[0], high[1]}
}

// weights is a matrix in memory: fragments of 512 bytes, 16 a lane, each for a
// k32 step of two tiles of columns. base is the lane's address.
type weights struct{ base, bias *reg }

// weightsAt prepares the addresses of a lane. w: in global memory.
func (f *fn) weightsAt(w, lane *reg) weights {
	return weights{
		base: f.long("add.s64", w, f.long("mul.wide.u32", lane, 16)),
		bias: f.long("add.s64", w, f.long("mul.wide.u32", f.and(lane, 3), 4)),
	}
}

// accumulators begin with the bias of tiles of eight columns.
func (f *fn) accumulators(w weights, offset, tiles int) []vec {
	acc := make([]vec, tiles)
	for i := range acc {
		b := f.word("ld.global.nc.u32", mem{w.bias, offset + 16*i})
		acc[i] = vec{b, b}
	}
	return acc
}

// product adds a k32 step for all tiles: fragments lie step bytes apart.
func (f *fn) product(a vec, w weights, offset, step int, acc []vec) []vec {
	out := make([]vec, len(acc))
	for i := 0; i < len(acc); i += 2 {
		b := f.vector(word, 4)
		f.do("ld.global.nc.v4.u32", b, mem{w.base, offset + step*i/2})
		out[i] = f.mma8(a, b[:2], acc[i])
		out[i+1] = f.mma8(a, b[2:], acc[i+1])
	}
	return out
}

// limit clamps pairs to what two periods of an angle need: 6.28125 in f16.
func (f *fn) limit(v vec) vec {
	high, low := f.word("mov.u32", 0x46484648), f.word("mov.u32", -0x39b739b8)
	return each(2, func(h int) *reg { return f.pairs2("max.f16x2", f.pairs2("min.f16x2", v[h], high), low) })
}
