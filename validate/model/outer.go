package model

import (
	"encoding/binary"
	"fmt"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// The heads and tails of the outer layers, for one block of 8x8 pixels. All
// builds round alike: to f16 after every 32 inputs, which are taken in plain order,
// 0..15 and then 16..31; to 8 bits between stages.
//
// Sizes and corners are in pixels. What a function reads beyond the image is
// mirrored, what it writes there is dropped. Corners may be negative; half of an odd
// one is taken towards zero.

// twoPi is the bound of what an encoder hands to half resolution, as f16 bits:
// 6.28125.
const twoPi = 0x4648

// Enc0Tail is the tail of the folded enc0: the features of four pixels become one
// token of 64 channels.
//
//	out = encode(clamp(features*W + bias, +-2 pi))
func Enc0Tail(weights, features, out []byte, size layout.Grid, x, y int) error {
	to, err := outer(layout.Enc0Tail, weights, "output", size.Half(), 64, out)
	if err != nil {
		return err
	}
	f, err := blockFeatures(features)
	if err != nil {
		return err
	}
	to.writeHalf(layout.Square{X: x / 2, Y: y / 2}, linear(layout.Enc0Tail.Linear, weights, fold(f)).mapped(boundedByTwoPi))
	return nil
}

// Dec0Head is the head of the folded dec0: a token of 64 channels becomes the
// features of four pixels.
//
//	features = encode(in*W + bias)
func Dec0Head(weights, in, features []byte, size layout.Grid, x, y int) error {
	from, err := outer(layout.Dec0Head, weights, "input", size.Half(), 64, in)
	if err != nil {
		return err
	}
	if len(features) != layout.FeatureBytes {
		return fmt.Errorf("a block has %d bytes of features, not %d", layout.FeatureBytes, len(features))
	}
	v := linear(layout.Dec0Head.Linear, weights, from.readHalf(layout.Square{X: x / 2, Y: y / 2}))
	for m := range quarter {
		for c, f := range v.Row(m) {
			px, py := foldedPixel(m, c/layout.PixelFeatures)
			features[layout.FeatureOffset(px, py, c%layout.PixelFeatures)] = byte(num.EncodeE4M3(f))
		}
	}
	return nil
}

// LCall is a block of an unfolded layer.
type LCall struct {
	Size           layout.Grid
	ShiftX, ShiftY int
	BX, BY         int // the block
	Weights        []byte
}

// LEnc0Tail is the tail of the unfolded enc0: features are embedded, then an
// encoder layer of 32 channels follows.
//
//	x0 = q8(max(features*W1 + b1, 0)) * W2 + b2
//	merged = encode(clamp(merge(y), +-2 pi))
func LEnc0Tail(c LCall, features, out, merged []byte, o Options) error {
	full, err := outer(layout.LEnc0Tail, c.Weights, "output", c.Size, 32, out)
	if err != nil {
		return err
	}
	half, err := outer(layout.LEnc0Tail, c.Weights, "merged output", c.Size.Half(), 64, merged)
	if err != nil {
		return err
	}
	pixels, err := blockFeatures(features)
	if err != nil {
		return err
	}
	block, err := outerBlock(layout.LEnc0Tail, c.Weights, o)
	if err != nil {
		return err
	}
	positive := func(x num.F16) num.F16 { return num.Q8(num.Max(x, 0)) }
	hidden := linear(layout.LEnc0Tail.Embed1, c.Weights, pixels).mapped(positive)
	y := block.body(linear(layout.LEnc0Tail.Embed2, c.Weights, hidden), nil)

	square := layout.SquareOf(c.BX, c.BY, c.ShiftX, c.ShiftY)
	full.writeSquare(square, y)
	half.writeHalf(square.Half(), block.merged(y, nil).mapped(boundedByTwoPi))
	return nil
}

// LDec0Block is the network part of the unfolded dec0, a decoder layer of 32
// channels. Its result is f16 for the code that follows, in the registers that
// the original's products end in: see AccumulatorOffset.
func LDec0Block(c LCall, in, skip, result []byte, o Options) error {
	low, err := outer(layout.LDec0Block, c.Weights, "input", c.Size.Half(), 64, in)
	if err != nil {
		return err
	}
	full, err := outer(layout.LDec0Block, c.Weights, "skip input", c.Size, 32, skip)
	if err != nil {
		return err
	}
	if len(result) != AccumulatorBytes {
		return fmt.Errorf("the results take %d bytes, there are %d", AccumulatorBytes, len(result))
	}
	block, err := outerBlock(layout.LDec0Block, c.Weights, o)
	if err != nil {
		return err
	}
	square := layout.SquareOf(c.BX, c.BY, c.ShiftX, c.ShiftY)
	y := block.body(block.decoded(low.readHalf(square.Half()), full.readSquare(square), nil), nil)
	for t := range tokens {
		for ch, v := range y.Row(t) {
			binary.LittleEndian.PutUint16(result[AccumulatorOffset(t, ch):], uint16(v))
		}
	}
	return nil
}

// AccumulatorBytes is the size of the results of LDec0Block: 32 registers of 32
// lanes, a pair of f16 each.
const AccumulatorBytes = 32 * 32 * 4

// AccumulatorOffset is the byte of channel c of token t among the results. A
// product of the original makes 16 tokens (a window) by 8 columns, and columns are
// in pair order; its two registers hold rows r and r + 8 of lane 4*r + n/2 for
// columns n and n + 1.
func AccumulatorOffset(t, c int) int {
	column := 2*(c>>2) + c&1 + 16*(c>>1&1)
	window, row := t/16, t%16
	register := 2*(4*window+column/8) + row/8
	lane := 4*(row%8) + column%8/2
	return 128*register + 4*lane + 2*(column%2)
}

// outer checks the weights and opens an image.
func outer(part layout.Outer, weights []byte, what string, g layout.Grid, channels int, data []byte) (image, error) {
	if len(weights) < part.Bytes {
		return image{}, fmt.Errorf("the weights of the %s take %d bytes, there are %d", part.Name, part.Bytes, len(weights))
	}
	if g.W < 1 || g.H < 1 || g.W > maxSide || g.H > maxSide {
		return image{}, fmt.Errorf("%s: %dx%d tokens; each side must be 1 to %d", what, g.W, g.H, maxSide)
	}
	return newImage(what, layout.M, g, channels, data)
}

// outerBlock is the Swin layer of a part.
func outerBlock(part layout.Outer, weights []byte, o Options) (*m, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Mode = Exact // in every build
	return newMBlock(part.Layer, weights[part.Block:], o, true)
}

// blockFeatures are the features of 64 pixels, in the order of M's tokens.
func blockFeatures(features []byte) (Values, error) {
	if len(features) != layout.FeatureBytes {
		return Values{}, fmt.Errorf("a block has %d bytes of features, not %d", layout.FeatureBytes, len(features))
	}
	v := NewValues(tokens, layout.PixelFeatures)
	for t := range tokens {
		x, y := layout.MToken(t)
		for k := range v.Cols {
			v.Row(t)[k] = num.E4M3(features[layout.FeatureOffset(x, y, k)]).F16()
		}
	}
	return v, nil
}

// fold puts the features of 2x2 pixels into one row, 16 tokens in raster order.
func fold(pixels Values) Values { return drawIn(layout.M, pixels) }

// foldedPixel is pixel q = 2*dy + dx of token m, 0 to 15 in raster order.
func foldedPixel(m, q int) (x, y int) { return m&3*2 + q&1, m>>2*2 + q>>1 }

// linear is v*W + bias, rounded to f16 after every 32 inputs.
func linear(l layout.Linear, weights []byte, v Values) Values {
	acc := startRow(v.Rows, l.W.Cols, row(weights, l.Bias))
	acc.add(byRow(v, nil), columns(weights, l.W, nil), 2)
	return acc.f16()
}

// boundedByTwoPi limits x to +-2 pi; a NaN becomes -2 pi.
func boundedByTwoPi(x num.F16) num.F16 { return num.Clamp(x, twoPi) }
