package layout

import "fmt"

// MHead is the weights of one attention head of an M layer. There is no K
// projection: the scores are Q times Q transposed.
type MHead struct {
	Q, V     Field // C x 32
	Relative Field // 16x16, query by key: what the scores start from
	O        Field // 32 x C, this head's rows of the output projection
}

// MChunk is the weights of one hidden chunk of an M layer's MLP.
type MChunk struct {
	W1 Field // C x 32
	B1 Field // 32
	W2 Field // 32 x C
}

// MOffsets are the places that the layer's other offsets are computed from, in
// bytes from the start of the buffer; a part that the layer lacks is 0.
type MOffsets struct {
	ExpandBias        int
	G1                int // also the size of what comes before it
	Head0, HeadStride int
	BO, G2            int
	Chunk0, B2        int
	Chunk1, Step      int // the chunks from the second on, Step apart
	Merge, MergeBias  int
}

// MWeights is the weight buffer of an M layer. Matrices are e4m3, vectors and
// tables f16. Fields that the layer lacks are not Present.
type MWeights struct {
	Offsets MOffsets
	Bytes   int

	Expand, ExpandBias Field // decoders: Low x 4C, 4C; column q*C + c makes channel c of sub-token q

	G1    Field // C
	Heads []MHead
	BO    Field // C
	G2    Field // C
	B2    Field // C
	MLP   []MChunk

	Merge, MergeBias Field // encoders: 4C x Merge, Merge; row q*C + c is channel c of sub-token q
}

// MLayout computes the weight buffer of an M layer; it fails for other layers.
func MLayout(l Layer) (MWeights, error) {
	if l.Family != M || l.C == 0 {
		return MWeights{}, fmt.Errorf("%q is no layer of M", l.Name)
	}
	var w MWeights
	o := &w.Offsets
	c := l.C
	if l.Decoder() {
		o.ExpandBias = l.Low * 4 * c
		w.Expand = mMatrix("expand.W", l.Low, 4*c, 0, 512, 16*l.Low)
		w.ExpandBias = mVector("expand.bias", Bias, o.ExpandBias, 4*c)
		o.G1 = o.ExpandBias + 2*4*c
	}
	w.G1 = mVector("G1", Gain, o.G1, c)
	o.Head0 = o.G1 + 2*c

	// A head is Wq, Wv, the relative bias and Wo; each matrix has 32C bytes.
	o.HeadStride = 3*HeadDim*c + 2*16*16
	for i := range l.Heads {
		name, base := fmt.Sprintf("head%d.", i), o.Head0+i*o.HeadStride
		table := base + 2*HeadDim*c
		w.Heads = append(w.Heads, MHead{
			Q: mMatrix(name+"Q", c, HeadDim, base, 1024, 512),
			V: mMatrix(name+"V", c, HeadDim, base+HeadDim*c, 1024, 512),
			Relative: Field{name + "relative", F16, Scores, 16, 16, func(query, key int) int {
				return table + 2*mRelative(query, key)
			}},
			O: mMatrix(name+"O", HeadDim, c, table+2*16*16, 0, 512),
		})
	}
	o.BO = o.Head0 + l.Heads*o.HeadStride
	o.G2 = o.BO + 2*c
	w.BO = mVector("BO", Bias, o.BO, c)
	w.G2 = mVector("G2", Gain, o.G2, c)

	// A chunk is W1, b1 and W2. B2 lies after the first of them.
	o.Step = 2*HiddenChunk*c + 2*HiddenChunk
	o.Chunk0 = o.G2 + 2*c
	o.B2 = o.Chunk0 + o.Step
	o.Chunk1 = o.B2 + 2*c
	w.B2 = mVector("B2", Bias, o.B2, c)
	for i := range l.Chunks() {
		base := o.Chunk0
		if i > 0 {
			base = o.Chunk1 + (i-1)*o.Step
		}
		name, w1 := fmt.Sprintf("mlp%d.", i), HiddenChunk*c
		w.MLP = append(w.MLP, MChunk{
			W1: mMatrix(name+"W1", c, HiddenChunk, base, 512, 16*c),
			B1: mVector(name+"B1", Bias, base+w1, HiddenChunk),
			W2: mMatrix(name+"W2", HiddenChunk, c, base+w1+2*HiddenChunk, 0, 512),
		})
	}
	w.Bytes = o.Chunk1 + (l.Chunks()-1)*o.Step
	if l.Merge > 0 {
		o.Merge = w.Bytes
		o.MergeBias = o.Merge + 4*c*l.Merge
		w.Merge = mMatrix("merge.W", 4*c, l.Merge, o.Merge, 512, 64*c)
		w.MergeBias = mVector("merge.bias", Bias, o.MergeBias, l.Merge)
		w.Bytes = o.MergeBias + 2*l.Merge
	}
	return w, nil
}

// mMatrix is a matrix of 32x16 e4m3 fragments at base with its columns in pair
// order; a step of 32 rows is rowStride bytes, of 16 columns colStride. All
// channel counts are multiples of 32, so pair order holds across sub-tokens.
func mMatrix(name string, rows, cols, base, rowStride, colStride int) Field {
	return Field{name, E4M3, Matrix, rows, cols, func(k, c int) int {
		n := pairColumn(c)
		return base + rowStride*(k/32) + colStride*(n/16) + mFragment(k&31, n&15)
	}}
}

// mVector is n f16 at base in pair order.
func mVector(name string, role Role, base, n int) Field {
	return Field{name, F16, role, 1, n, func(_, c int) int { return base + 2*pairColumn(c) }}
}

// fields lists what is present.
func (w MWeights) fields() []Field {
	list := []Field{w.Expand, w.ExpandBias, w.G1}
	for _, h := range w.Heads {
		list = append(list, h.Q, h.V, h.Relative, h.O)
	}
	list = append(list, w.BO, w.G2, w.B2)
	for _, c := range w.MLP {
		list = append(list, c.W1, c.B1, c.W2)
	}
	return present(append(list, w.Merge, w.MergeBias))
}
