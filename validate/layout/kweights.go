package layout

import "fmt"

// KHead is the weights of one attention head of a K layer.
type KHead struct {
	Q, K, V Field // C x 32
	// Table is 64x64, query by key: what the scores start from, or in a
	// position-only layer the probabilities themselves.
	Table Field
	O     Field // 32 x C, this head's rows of the output projection
}

// KChunk is the weights of one hidden chunk of a K layer's MLP.
type KChunk struct {
	W1 Field // C x 32
	B1 Field // 32
	W2 Field // 32 x C
}

// KOffsets are the places that the layer's other offsets are computed from, in
// bytes. All but Core are relative to Core; a part that the layer lacks is 0.
type KOffsets struct {
	Core                       int // from the start of the buffer
	QKV, HeadStride            int
	Table, BO, WO              int
	G2, B2, W1, B1, W2         int
	Merge, MergeBias           int
	HeadBias, HeadWeights      int
	ExpandBias                 int // from the start of the buffer
	MergeColumns, MergePerHead int // allocated columns: in all, and for each head
}

// KWeights is the weight buffer of a K layer. Fields that the layer lacks are
// not Present.
type KWeights struct {
	Offsets KOffsets
	Bytes   int

	Embed, EmbedBias   Field // enc0: 16 x C, C
	Expand, ExpandBias Field // decoders: Low x 4C, 4C; column q*C + c makes channel c of sub-token q

	G1    Field // C
	Heads []KHead
	BO    Field // C
	G2    Field // C
	B2    Field // C
	MLP   []KChunk

	Merge, MergeBias   Field // encoders: 4C x Merge, Merge; row q*C + c is channel c of sub-token q
	Head, HeadBias     Field // dec0: C x 40, 40
	Unused, UnusedBias Field // columns of merge or head that fill up a tile
}

// KLayout computes the weight buffer of a K layer; it fails for other layers.
func KLayout(l Layer) (KWeights, error) {
	if l.Family != K || l.C == 0 {
		return KWeights{}, fmt.Errorf("%q is no layer of K", l.Name)
	}
	var w KWeights
	o := &w.Offsets
	c, h := l.C, l.Heads

	// Before the core: the embedding of enc0, the expansion of decoders.
	if l.Embed > 0 {
		w.EmbedBias = vector("embed.bias", Bias, 0, c)
		w.Embed = kMatrix("embed.W", l.Embed, c, 2*c, 512, 512*l.Embed/16)
		o.Core = 2*c + 2*l.Embed*c
	}
	if l.Decoder() {
		o.ExpandBias = 2 * l.Low * 4 * c
		w.Expand = kMatrix("expand.W", l.Low, 4*c, 0, 512, 32*l.Low)
		w.ExpandBias = vector("expand.bias", Bias, o.ExpandBias, 4*c)
		o.Core = o.ExpandBias + 8*c
	}

	// The core, one part after the other.
	o.QKV = 2 * c
	o.HeadStride = 3 * 2 * c * HeadDim
	o.Table = o.QKV + h*o.HeadStride
	o.BO = o.Table + h*2*64*64
	o.WO = o.BO + 2*c
	o.G2 = o.WO + h*2*HeadDim*c
	o.B2 = o.G2 + 2*c
	o.W1 = o.B2 + 2*c
	o.B1 = o.W1 + l.Chunks()*2*c*HiddenChunk
	o.W2 = o.B1 + l.Chunks()*2*HiddenChunk
	end := o.W2 + l.Chunks()*2*HiddenChunk*c

	core := o.Core
	w.G1 = vector("G1", Gain, core, c)
	for i := range h {
		w.Heads = append(w.Heads, kHead(l, o, i))
	}
	w.BO = vector("BO", Bias, core+o.BO, c)
	w.G2 = vector("G2", Gain, core+o.G2, c)
	w.B2 = vector("B2", Bias, core+o.B2, c)
	for i := range l.Chunks() {
		name := fmt.Sprintf("mlp%d.", i)
		w.MLP = append(w.MLP, KChunk{
			W1: kMatrix(name+"W1", c, HiddenChunk, core+o.W1+64*c*i, 512, 32*c),
			B1: vector(name+"B1", Bias, core+o.B1+64*i, HiddenChunk),
			W2: kMatrix(name+"W2", HiddenChunk, c, core+o.W2+64*c*i, 512, 1024),
		})
	}
	if l.Merge > 0 {
		end = kMerge(l, &w, end)
	}
	if l.Head > 0 {
		o.HeadBias = end
		o.HeadWeights = end + 2*HeadColumns
		all := kMatrix("head.W", c, HeadColumns, core+o.HeadWeights, 512, 32*c)
		w.Head, w.Unused = all, all
		w.Head.Cols = l.Head
		w.Unused.Name, w.Unused.Role, w.Unused.Cols = "head.W.unused", Ignored, HeadColumns-l.Head
		w.Unused.at = func(k, n int) int { return all.at(k, l.Head+n) }
		w.HeadBias = vector("head.bias", Bias, core+o.HeadBias, l.Head)
		w.UnusedBias = vector("head.bias.unused", Ignored, core+o.HeadBias+2*l.Head, HeadColumns-l.Head)
		end = o.HeadWeights + 2*c*HeadColumns
	}
	w.Bytes = core + end
	return w, nil
}

// kHead places head i.
func kHead(l Layer, o *KOffsets, i int) KHead {
	name := fmt.Sprintf("head%d.", i)
	// Q, K and V alternate every two fragments of K rows; a fragment pair
	// holds 32 rows by 16 columns.
	project := func(part string, j int) Field {
		base := o.Core + o.QKV + o.HeadStride*i
		return Field{name + part, F16, Matrix, l.C, HeadDim, func(k, n int) int {
			kt, nt := k/16, n/16
			return base + 2048*(3*(kt>>1)+j) + 512*(kt&1) + 1024*nt + kFragment(k&15, n&15)
		}}
	}
	table := o.Core + o.Table + 8192*i
	head := KHead{
		Q: project("Q", 0), K: project("K", 1), V: project("V", 2),
		Table: Field{name + "table", F16, Scores, 64, 64, func(query, key int) int {
			return table + 512*(4*(key/16)+query/16) + kTile(query&15, key&15)
		}},
		O: kMatrix(name+"O", HeadDim, l.C, o.Core+o.WO+64*l.C*i, 512, 1024),
	}
	if l.PositionOnly {
		head.Q.Role, head.K.Role, head.Table.Role = Ignored, Ignored, Probabilities
	}
	return head
}

// kMerge places the merge at end, which it returns moved past it. The buffer
// gives each of the original's warps, one for each head, an equal share of the
// output channels, filled up to whole tiles of 16 columns.
func kMerge(l Layer, w *KWeights, end int) int {
	o := &w.Offsets
	share := l.Merge / l.Heads
	alloc := (share + 15) / 16 * 16
	o.MergePerHead, o.MergeColumns = alloc, alloc*l.Heads
	o.Merge = end
	o.MergeBias = end + 2*4*l.C*o.MergeColumns
	base, bias := o.Core+o.Merge, o.Core+o.MergeBias

	column := func(n int) int { return n/share*alloc + n%share }
	all := kMatrix("merge.W", 4*l.C, o.MergeColumns, base, 512, 128*l.C)
	w.Merge = Field{"merge.W", F16, Matrix, 4 * l.C, l.Merge, func(k, n int) int { return all.at(k, column(n)) }}
	w.MergeBias = Field{"merge.bias", F16, Bias, 1, l.Merge, func(_, n int) int { return bias + 2*column(n) }}
	if pad := alloc - share; pad > 0 {
		spare := func(n int) int { return n/pad*alloc + share + n%pad }
		w.Unused = Field{"merge.W.unused", F16, Ignored, 4 * l.C, pad * l.Heads, func(k, n int) int { return all.at(k, spare(n)) }}
		w.UnusedBias = Field{"merge.bias.unused", F16, Ignored, 1, pad * l.Heads, func(_, n int) int { return bias + 2*spare(n) }}
	}
	return o.MergeBias + 2*o.MergeColumns
}

// kMatrix is a matrix of 16x16 fragments at base; a step of 16 rows is
// rowStride bytes, of 16 columns colStride.
func kMatrix(name string, rows, cols, base, rowStride, colStride int) Field {
	return Field{name, F16, Matrix, rows, cols, func(k, n int) int {
		return base + rowStride*(k/16) + colStride*(n/16) + kFragment(k&15, n&15)
	}}
}

// fields lists what is present.
func (w KWeights) fields() []Field {
	list := []Field{w.EmbedBias, w.Embed, w.Expand, w.ExpandBias, w.G1}
	for _, h := range w.Heads {
		list = append(list, h.Q, h.K, h.V, h.Table, h.O)
	}
	list = append(list, w.BO, w.G2, w.B2)
	for _, c := range w.MLP {
		list = append(list, c.W1, c.B1, c.W2)
	}
	return present(append(list, w.Merge, w.MergeBias, w.Head, w.HeadBias, w.Unused, w.UnusedBias))
}

func present(list []Field) []Field {
	var out []Field
	for _, f := range list {
		if f.Present() {
			out = append(out, f)
		}
	}
	return out
}
