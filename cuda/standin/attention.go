package standin

// window block of preset L's kernels: one window of 4 x 4 tokens with 32
// channels, two heads of 16. 64 MMAs: 12 for Q, K and V, 4 for the scores, 4
// for the values, 4 for the projection, 40 for the hidden layer of 160.

// stateOf names where a window's weights begin.
const (
	queries    = 6272
	projection = queries + 3*2*512 + 64*3
	hidden     = projection + 1024 + 64
	hiddenStep = 2*1024 + 64
	further    = hidden + 5*hiddenStep + 64
	final      = further + 4*1024 + 256
)

// attend runs the block on the D tiles of a window (four of eight columns).
func (f *fn) attend(w weights, x []vec) []vec {
	a := f.operand8(x)
	qkv := f.product(a, w, queries, 512, f.accumulators(w, queries+6*512, 12))
	var heads []vec
	for h := range 2 {
		heads = append(heads, f.head(qkv[2*h:2*h+2], qkv[4+2*h:6+2*h], qkv[8+2*h:10+2*h])...)
	}
	out := f.product(f.operand8(heads), w, projection, 512, f.accumulators(w, projection+1024, 4))
	x = f.residual(x, out)

	a = f.operand8(x)
	sum := f.accumulators(w, hidden+5*hiddenStep, 4)
	for c := range 5 {
		at := hidden + c*hiddenStep
		mid := f.product(a, w, at, 512, f.accumulators(w, at+2048, 4))
		zero := f.word("mov.u32", 0)
		for i := range mid {
			m := mid[i]
			mid[i] = each(2, func(j int) *reg { return f.pairs2("max.f16x2", m[j], zero) })
		}
		sum = f.product(f.operand8(mid), w, at+1024, 512, sum)
	}
	return f.residual(x, sum)
}

// residual adds tile by tile.
func (f *fn) residual(x, y []vec) []vec {
	out := make([]vec, len(x))
	for i := range x {
		out[i] = each(2, func(h int) *reg { return f.pairs2("add.f16x2", x[i][h], y[i][h]) })
	}
	return out
}

// head is one head of 16 tokens and 16 channels: two tiles each of queries,
// keys and values.
func (f *fn) head(q, k, v []vec) []vec {
	zero := f.word("mov.u32", 0)
	a := vec{q[0][0], q[0][1], q[1][0], q[1][1]}
	scores := make([]vec, 2)
	for n := range scores {
		scores[n] = f.mma16(a, vec{k[0][n], k[1][n]}, vec{zero, zero})
	}
	scale := f.word("mov.u32", 0x35C535C5)
	var p [2]vec
	for n := range p {
		p[n] = each(2, func(h int) *reg {
			return f.pairs2("ex2.approx.f16x2", f.pairs2("min.f16x2", f.pairs2("mul.f16x2", scores[n][h], scale), f.word("mov.u32", 0x48004800)))
		})
	}
	// rows are spread over four lanes
	down := each(2, func(h int) *reg {
		s := f.pairs2("add.f16x2", p[0][h], p[1][h])
		for _, lanes := range []int{1, 2} {
			s = f.pairs2("add.f16x2", s, f.exchange("bfly", s, lanes))
		}
		low, high := f.pair(s)
		r := f.rcp(f.fadd(low, high))
		return f.pack2(r, r)
	})
	out := make([]vec, 2)
	pa := vec{p[0][0], p[0][1], p[1][0], p[1][1]}
	for n := range out {
		b := each(2, func(h int) *reg { return f.transpose(v[n][h]) })
		o := f.mma16(pa, b, vec{zero, zero})
		out[n] = each(2, func(h int) *reg { return f.pairs2("mul.f16x2", o[h], down[h]) })
	}
	return out
}

// transpose turns an 8 x 8 matrix of f16 that the warp holds.
func (f *fn) transpose(w *reg) *reg {
	return f.word("movmatrix.sync.aligned.m8n8.trans.b16", w)
}
