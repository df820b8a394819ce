package model

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// identity are weights that copy input i to output to(i) and have no bias.
func identity(o layout.Outer, l layout.Linear, to func(i int) int) []byte {
	buf := make([]byte, o.Bytes)
	for i := range l.W.Rows {
		if c := to(i); c >= 0 {
			l.W.Set(buf, i, c, 0x3c00)
		}
	}
	return buf
}

// A tail that copies shows where features come from and where channels go.
func TestEnc0TailCopies(t *testing.T) {
	// Channel c takes feature c%32 of pixel c/32: the upper two pixels of each four.
	weights := identity(layout.Enc0Tail, layout.Enc0Tail.Linear, func(i int) int {
		if i >= 64 {
			return -1
		}
		return i
	})
	features := make([]byte, layout.FeatureBytes)
	for y := range 8 {
		for x := range 8 {
			for k := range 32 {
				features[layout.FeatureOffset(x, y, k)] = byte(x + 8*y + k&7) // below 2, so that nothing is limited
			}
		}
	}
	size := layout.Grid{W: 13, H: 9} // 6x4 tokens
	out := bytes.Repeat([]byte{0xee}, layout.MBytes(size.Half(), 64))
	if err := Enc0Tail(weights, features, out, size, -4, -3); err != nil {
		t.Fatal(err)
	}
	for y := range 4 {
		for x := range 6 {
			for c := range 64 {
				// The block's tokens begin at (-2, -1): half of -3 is -1.
				m, n := x+2, y+1
				want := byte(0xee)
				if m < 4 && n < 4 {
					want = byte(2*m + c/32 + 8*2*n + c%32&7)
				}
				if got := out[layout.MOffset(size.Half(), x, y, c)]; got != want {
					t.Fatalf("channel %d of token (%d, %d) is %#02x, want %#02x", c, x, y, got, want)
				}
			}
		}
	}
}

func TestEnc0TailLimits(t *testing.T) {
	weights := make([]byte, layout.Enc0Tail.Bytes)
	for c, v := range []num.F16{0x4648, 0x4649, 0xc700, 0x7c00, 0xfc00, 0x7e00, 0x3c00} {
		layout.Enc0Tail.Linear.Bias.Set(weights, 0, c, v)
	}
	size := layout.Grid{W: 2, H: 2}
	out := make([]byte, 64)
	if err := Enc0Tail(weights, make([]byte, layout.FeatureBytes), out, size, 0, 0); err != nil {
		t.Fatal(err)
	}
	// 6.28125 is nearest to 6.5.
	if want := []byte{0x4d, 0x4d, 0xcd, 0x4d, 0xcd, 0xcd, 0x38, 0}; !bytes.Equal(out[:8], want) {
		t.Errorf("the tail stores %x, want %x", out[:8], want)
	}
}

// A head that copies the 64 channels to the features of the upper two pixels.
func TestDec0HeadCopies(t *testing.T) {
	weights := identity(layout.Dec0Head, layout.Dec0Head.Linear, func(i int) int { return i })
	size := layout.Grid{W: 9, H: 6} // 4x3 tokens
	half := size.Half()
	in := make([]byte, layout.MBytes(half, 64))
	for y := range half.H {
		for x := range half.W {
			for c := range 64 {
				in[layout.MOffset(half, x, y, c)] = byte(1 + x + 4*y + c&3*16)
			}
		}
	}
	features := bytes.Repeat([]byte{0xee}, layout.FeatureBytes)
	if err := Dec0Head(weights, in, features, size, 4, -2); err != nil {
		t.Fatal(err)
	}
	for y := range 8 {
		for x := range 8 {
			for k := range 32 {
				want := byte(0)
				if y%2 == 0 {
					// The tokens begin at (2, -1); 4 becomes 2, 5 becomes 1; -1 becomes 1.
					want = byte(1 + []int{2, 3, 2, 1}[x/2] + 4*[]int{1, 0, 1, 2}[y/2] + k&3*16)
				}
				if got := features[layout.FeatureOffset(x, y, k)]; got != want {
					t.Fatalf("feature %d of pixel (%d, %d) is %#02x, want %#02x", k, x, y, got, want)
				}
			}
		}
	}
}

// With weights that do nothing, what is left of L's layers is the residual.
func TestUnfoldedResidual(t *testing.T) {
	o := Options{Generation: 12}
	size := layout.Grid{W: 8, H: 8}

	enc := layout.LEnc0Tail
	weights := make([]byte, enc.Bytes)
	for i := range 32 {
		enc.Embed1.W.Set(weights, i, 31-i, 0x3c00)
		enc.Embed2.W.Set(weights, 31-i, i, 0x4000) // 2
	}
	features := make([]byte, layout.FeatureBytes)
	for i := range features {
		features[i] = byte(0x20 + i%7 | i%2<<7) // every second one is negative
	}
	out, merged := make([]byte, layout.MBytes(size, 32)), make([]byte, layout.MBytes(size.Half(), 64))
	call := LCall{Size: size, Weights: weights}
	if err := LEnc0Tail(call, features, out, merged, o); err != nil {
		t.Fatal(err)
	}
	for p := range 64 {
		for k := range 32 {
			f := num.E4M3(features[layout.FeatureOffset(p%8, p/8, k)])
			want := byte(0) // negative ones do not pass
			if f < 0x80 {
				want = byte(f + 8) // twice as much
			}
			if got := out[layout.MOffset(size, p%8, p/8, k)]; got != want {
				t.Fatalf("channel %d of pixel %d is %#02x, want %#02x", k, p, got, want)
			}
		}
	}

	dec := layout.LDec0Block
	weights = make([]byte, dec.Bytes)
	skip := make([]byte, layout.MBytes(size, 32))
	for i := range skip {
		skip[i] = byte(0x30 + i%11)
	}
	result := make([]byte, AccumulatorBytes)
	call.Weights = weights
	if err := LDec0Block(call, make([]byte, layout.MBytes(size.Half(), 64)), skip, result, o); err != nil {
		t.Fatal(err)
	}
	for tok := range 64 {
		x, y := layout.MToken(tok)
		for c := range 32 {
			want := num.E4M3(skip[layout.MOffset(size, x, y, c)]).F16()
			if got := num.F16(binary.LittleEndian.Uint16(result[AccumulatorOffset(tok, c):])); got != want {
				t.Fatalf("channel %d of token %d is %#04x, want %#04x", c, tok, uint16(got), uint16(want))
			}
		}
	}
}

// The results of L's dec0 fill their registers, each number having its place.
func TestAccumulatorOffsets(t *testing.T) {
	seen := map[int]bool{}
	for tok := range 64 {
		for c := range 32 {
			seen[AccumulatorOffset(tok, c)] = true
		}
	}
	if len(seen) != AccumulatorBytes/2 {
		t.Errorf("%d places, want %d", len(seen), AccumulatorBytes/2)
	}
	for _, c := range []struct{ token, channel, register, lane, half int }{
		{0, 0, 0, 0, 0}, {0, 1, 0, 0, 1}, {0, 4, 0, 1, 0}, {0, 2, 4, 0, 0}, {0, 16, 2, 0, 0}, {9, 0, 1, 4, 0}, {16, 0, 8, 0, 0}, {63, 31, 31, 31, 1},
	} {
		if got, want := AccumulatorOffset(c.token, c.channel), 128*c.register+4*c.lane+2*c.half; got != want {
			t.Errorf("channel %d of token %d is at byte %d, want %d", c.channel, c.token, got, want)
		}
	}
}

func TestOuterErrors(t *testing.T) {
	size := layout.Grid{W: 8, H: 8}
	weights, features, plane := make([]byte, layout.Enc0Tail.Bytes), make([]byte, layout.FeatureBytes), make([]byte, 1024)
	for _, c := range []struct {
		err  error
		want string
	}{
		{Enc0Tail(weights[:100], features, plane, size, 0, 0), "the weights of the enc0 tail take 12416 bytes, there are 100"},
		{Enc0Tail(weights, features[1:], plane, size, 0, 0), "a block has 2048 bytes of features, not 2047"},
		{Enc0Tail(weights, features, plane[:1023], size, 0, 0), "output"},
		{Enc0Tail(weights, features, plane, layout.Grid{W: 1, H: 8}, 0, 0), "0x4 tokens"},
		{Dec0Head(weights, plane, features[1:], size, 0, 0), "a block has 2048 bytes of features, not 2047"},
		{LDec0Block(LCall{Size: size, Weights: make([]byte, layout.LDec0Block.Bytes)}, plane, make([]byte, 2048), plane, Options{Generation: 12}), "the results take 4096 bytes, there are 1024"},
		{LDec0Block(LCall{Size: size, Weights: make([]byte, layout.LDec0Block.Bytes)}, plane, make([]byte, 2048), make([]byte, 4096), Options{}), "generation 0 is not modelled"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
}
