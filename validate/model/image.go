package model

import (
	"encoding/binary"
	"fmt"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// image is an activation as it lies in memory: f16 tokens in K, e4m3 planes in
// M.
type image struct {
	family   layout.Family
	grid     layout.Grid
	channels int
	data     []byte
}

func newImage(what string, f layout.Family, g layout.Grid, channels int, data []byte) (image, error) {
	need := layout.KBytes(g, channels)
	if f == layout.M {
		need = layout.MBytes(g, channels)
	}
	if len(data) < need {
		return image{}, fmt.Errorf("%s: %d channels of %dx%d tokens take %d bytes, there are %d", what, channels, g.W, g.H, need, len(data))
	}
	return image{f, g, channels, data}, nil
}

// read is the token at (x, y), mirrored into the image, decoded to f16.
func (im image) read(x, y int, token []num.F16) {
	x, y = im.grid.Mirror(x, y)
	for c := range token {
		if im.family == layout.M {
			token[c] = num.E4M3(im.data[layout.MOffset(im.grid, x, y, c)]).F16()
		} else {
			token[c] = num.F16(binary.LittleEndian.Uint16(im.data[layout.KOffset(im.grid, im.channels, x, y, c):]))
		}
	}
}

// write stores the token at (x, y), encoded to 8 bits in M; outside the image
// it is dropped.
func (im image) write(x, y int, token []num.F16) {
	if !im.grid.Contains(x, y) {
		return
	}
	for c, v := range token {
		if im.family == layout.M {
			im.data[layout.MOffset(im.grid, x, y, c)] = byte(num.EncodeE4M3(v))
		} else {
			binary.LittleEndian.PutUint16(im.data[layout.KOffset(im.grid, im.channels, x, y, c):], uint16(v))
		}
	}
}

// place is where the token of a square stands in it.
func place(f layout.Family, t int) (x, y int) {
	if f == layout.M {
		return layout.MToken(t)
	}
	return layout.KToken(t)
}

// tokens is the number of tokens of a square, and quarter of its
// half-resolution form.
const (
	tokens  = layout.Side * layout.Side
	quarter = tokens / 4
)

// readSquare is the 64 tokens of a square.
func (im image) readSquare(sq layout.Square) Values {
	v := NewValues(tokens, im.channels)
	for t := range tokens {
		x, y := place(im.family, t)
		im.read(sq.X+x, sq.Y+y, v.Row(t))
	}
	return v
}

// readHalf is the 4x4 tokens that lie under a square of twice the resolution,
// in raster order. half is its corner on this image's grid.
func (im image) readHalf(half layout.Square) Values {
	v := NewValues(quarter, im.channels)
	for t := range quarter {
		im.read(half.X+t&3, half.Y+t>>2, v.Row(t))
	}
	return v
}

// writeSquare stores 64 tokens; what lies outside the image is dropped.
func (im image) writeSquare(sq layout.Square, v Values) {
	for t := range tokens {
		x, y := place(im.family, t)
		im.write(sq.X+x, sq.Y+y, v.Row(t))
	}
}

// writeHalf stores 4x4 tokens of half the resolution.
func (im image) writeHalf(half layout.Square, v Values) {
	for t := range quarter {
		im.write(half.X+t&3, half.Y+t>>2, v.Row(t))
	}
}

// under is, for token t of a square, the half-resolution token it is a part of
// (0 to 15, raster order) and which of its four sub-tokens it is: 2*dy + dx.
func under(f layout.Family, t int) (low, sub int) {
	x, y := place(f, t)
	return y>>1*4 + x>>1, y&1*2 + x&1
}
