package layout

import "kmx/internal/num"

// The heads and tails of the outer layers, which are replaced inside of
// translated kernels. Folded, a token is 2x2 pixels; the layers of preset L work on
// pixels.

// BlockPixels is the edge, in pixels, of the block that a head or tail computes.
const BlockPixels = 8

// PixelFeatures is the number of e4m3 features of a pixel.
const PixelFeatures = 32

// FeatureBytes is the size of a block's features in shared memory.
const FeatureBytes = BlockPixels * BlockPixels * PixelFeatures

// FeatureOffset is the byte of feature k of pixel (x, y) of a block in shared
// memory: two halves of 16 features, each with the pixels in raster order.
func FeatureOffset(x, y, k int) int { return 1024*(k/16) + 128*y + 16*x + k%16 }

// Linear is a matrix product with a bias in M's format: e4m3 weights and an f16
// bias, both with their columns in pair order.
type Linear struct{ W, Bias Field }

func linear(name string, rows, cols, weights, bias int) Linear {
	return Linear{mMatrix(name+".W", rows, cols, weights, 512, 16*rows), mVector(name+".bias", Bias, bias, cols)}
}

// Outer is the weight buffer of a head or tail. Parts that it lacks are not
// Present; what lies before or between the parts belongs to code that is not
// replaced.
type Outer struct {
	Name  string
	Bytes int
	// Folded: the only product, 4*32 features to 64 channels (row 32*q + k is
	// feature k of pixel q = 2*dy + dx), or 64 channels to 4*32 features.
	Linear Linear
	// L: the embedding of enc0, features to hidden features to channels; and the
	// layer behind it, whose own layout begins at byte Block.
	Embed1, Embed2 Linear
	Layer          Layer
	Block          int
}

// The four heads and tails.
var (
	Enc0Tail = Outer{Name: "enc0 tail", Bytes: 12416, Linear: linear("tail", 128, 64, 4096, 12288)}
	Dec0Head = Outer{Name: "dec0 head", Bytes: 8448, Linear: linear("head", 64, 128, 0, 8192)}

	LEnc0Tail = Outer{
		Name: "L enc0 tail", Bytes: 30464,
		Embed1: linear("embed1", 32, 32, 4096, 5120), Embed2: linear("embed2", 32, 32, 5184, 6208),
		Layer: Layer{Name: "L enc0", Family: M, C: 32, Heads: 2, Merge: 64}, Block: 6272,
	}
	LDec0Block = Outer{
		Name: "L dec0 block", Bytes: 24320,
		Layer: Layer{Name: "L dec0", Family: M, C: 32, Heads: 2, Low: 64},
	}
)

// GenerateWeights is a seeded weight buffer as Layer.GenerateWeights makes it;
// bytes that no part covers are NaN.
func (o Outer) GenerateWeights(seed uint64) []byte {
	buf := make([]byte, o.Bytes)
	for i := range buf {
		buf[i] = 0x7f
	}
	rng := newSource(seed, 6)
	for _, l := range []Linear{o.Linear, o.Embed1, o.Embed2} {
		for _, f := range present([]Field{l.W, l.Bias}) {
			fill(rng, Layer{Family: M}, f, buf)
		}
	}
	if o.Layer.C > 0 {
		copy(buf[o.Block:], o.Layer.GenerateWeights(seed))
	}
	return buf
}

// GenerateFeatures is a block of seeded features of about unit variance.
func GenerateFeatures(seed uint64) []byte {
	rng := newSource(seed, 7)
	buf := make([]byte, FeatureBytes)
	for i := range buf {
		v := rng.normal()
		if rng.uniform() < 1.0/64 {
			v *= 64
		}
		if rng.uniform() < 1.0/64 {
			v /= 256 // subnormal
		}
		buf[i] = byte(num.EncodeE4M3(num.F16FromFloat64(v)))
	}
	return buf
}
