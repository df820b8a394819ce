package model

import (
	"bytes"
	"encoding/hex"
	"math"
	"testing"
)

// words are f32 numbers as a store has them.
func words(v ...float32) (b [4]uint32) {
	for i, x := range v {
		b[i] = math.Float32bits(x)
	}
	return b
}

var nan = float32(math.NaN())

// Formatted stores by hand, to images of integers and f32.
func TestStoreP(t *testing.T) {
	justBelow := math.Nextafter32(0.5, 0)
	for _, c := range []struct {
		name    string
		surface Surface
		v       [4]uint32
		want    string // bytes of the texel
	}{
		{"unorm8", Surface{Type: Uint8, Order: OrderRGBA, Format: 194}, words(-1, 0.5, 1, nan), "0080ff00"}, // 127.5
		{"unorm8 of one channel", Surface{Type: Uint8, Order: OrderR, Format: 192}, words(2), "ff"},
		{"unorm8 just below a half", Surface{Type: Uint8, Order: OrderRG, Format: 193}, words(justBelow/255, 0.5/255), "0001"}, // the second is 0.5 again, in f32
		{"unorm16", Surface{Type: Uint16, Order: OrderRGBA, Format: 197}, words(0.5, 1, 1e-20, -0.1), "0080ffff00000000"},      // 32767.5
		{"snorm8", Surface{Type: Sint8, Order: OrderRGBA, Format: 200}, words(-2, -0.5, 0.5, nan), "81c04000"},                 // 63.5
		{"snorm16", Surface{Type: Sint16, Order: OrderRG, Format: 202}, words(-0.5, 1), "00c0ff7f"},                            // -16383.5
		{"10:10:10:2", Surface{Type: Float, Order: OrderRGBA, Format: 80}, words(0.0004, 0.0005, 7, 0.5), "00000000" + "0820803a" + "0000803f" + "abaa2a3f"},
		{"others", Surface{Type: Float, Order: OrderRG, Format: 0x20}, words(-3, 1e30), "000040c0caf24971"},
		{"to f16", Surface{Type: Half, Order: OrderRGBA, Format: 0x10}, words(1.0009765, -1e9, 65519, 5.9e-8), "003cfffbff7b0000"},
		{"integers saturate", Surface{Type: Uint8, Order: OrderRG, Format: 1}, [4]uint32{300, 7}, "ff07"},
	} {
		s := c.surface
		s.Width, s.Height, s.Row = 2, 1, 64
		s.Texels = make([]byte, 64)
		s.StoreP(1, 0, c.v)
		want, err := hex.DecodeString(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Texels[s.TexelBytes():][:s.TexelBytes()]; !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", c.name, got, want)
		}
	}
}

// Stores of bytes: which texels they reach, and what becomes of bytes that are no
// number of their own.
func TestStoreB(t *testing.T) {
	data := [4]byte{0x80, 0x01, 0x00, 0x80}
	for _, c := range []struct {
		name    string
		surface Surface
		x, y    int
		want    string // the row of four texels, 16 bytes of it at most
	}{
		{"one texel", Surface{Type: Uint8, Order: OrderRGBA}, 4, 0, "00000000800100800000000000000000"},
		{"two", Surface{Type: Uint8, Order: OrderRG}, 2, 0, "0000800100800000"},
		{"two, one outside", Surface{Type: Uint16, Order: OrderR}, 6, 0, "0000000000008001"},
		{"four", Surface{Type: Uint8, Order: OrderR}, 0, 0, "80010080"},
		{"not at a texel", Surface{Type: Uint16, Order: OrderR}, 1, 0, "0000000000000000"},
		{"less than one", Surface{Type: Half, Order: OrderRGBA}, 0, 0, "00000000000000000000000000000000"},
		{"before", Surface{Type: Uint8, Order: OrderRGBA}, -4, 0, "00000000000000000000000000000000"},
		{"below", Surface{Type: Uint8, Order: OrderRGBA}, 0, 1, "00000000000000000000000000000000"},
		{"snorm8", Surface{Type: Snorm8, Order: OrderRGBA}, 0, 0, "81010081000000000000000000000000"},
		{"snorm16", Surface{Type: Snorm16, Order: OrderRG}, 0, 0, "80010180000000000000000000000000"},
	} {
		s := c.surface
		s.Width, s.Height, s.Row = 4, 1, 4*s.TexelBytes()
		s.Texels = make([]byte, s.Row)
		s.StoreB(c.x, c.y, data)
		want, err := hex.DecodeString(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Texels[:min(16, s.Row)]; !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", c.name, got, want)
		}
	}
	s := Surface{Type: Half, Order: OrderR, Width: 2, Height: 1, Row: 4, Texels: make([]byte, 4)}
	s.StoreB(0, 0, [4]byte{0x01, 0x7c, 0x00, 0xfc})
	if want := []byte{0x01, 0x7e, 0x00, 0xfc}; !bytes.Equal(s.Texels, want) {
		t.Errorf("a signalling NaN and an infinity are stored as %x, want %x", s.Texels, want)
	}
}

func TestRedirects(t *testing.T) {
	surface := func(tag, format int) Surface {
		return Surface{Type: Half, Order: OrderRGBA, Format: format, Width: 2, Height: 2, Row: 16, Texels: make([]byte, 32), Tag: tag, Pitch: 24, Linear: make([]byte, 48)}
	}
	v := words(1.0009765, 0.5, -1, 0.7)
	for _, c := range []struct {
		name  string
		s     Surface
		store func(*Surface)
		at    int
		want  string
	}{
		{"f16", surface(TagRGBA16F, 0x20), func(s *Surface) { s.StoreP(1, 1, v) }, 32, "003c003800bc9939"},
		{"f16 of 10:10:10:2", surface(TagRGBA16F, 80), func(s *Surface) { s.StoreP(1, 1, v) }, 32, "003c013800005539"}, // 512/1023, 2/3
		{"packed", surface(TagPacked, 0x20), func(s *Surface) { s.StoreP(1, 1, v) }, 28, "ff030880"},
		{"bytes", surface(TagPacked, 80), func(s *Surface) { s.StoreB(19, 0, [4]byte{1, 2, 3, 4}) }, 19, "01020304"},
		{"half outside of the row", surface(TagRGBA16F, 0x20), func(s *Surface) { s.StoreB(21, 0, [4]byte{1, 2, 3, 4}) }, 21, "00000000"},
		{"beyond the width", surface(TagRGBA16F, 0x20), func(s *Surface) { s.StoreP(2, 0, v) }, 16, "0000000000000000"},
		{"beyond the height", surface(TagRGBA16F, 0x20), func(s *Surface) { s.StoreP(0, 2, v) }, 40, "0000000000000000"},
	} {
		c.store(&c.s)
		want, err := hex.DecodeString(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.s.Linear[c.at:][:len(want)]; !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", c.name, got, want)
		}
		if !bytes.Equal(c.s.Texels, make([]byte, 32)) {
			t.Errorf("%s: the image is written to as well", c.name)
		}
	}
	normalised := surface(TagRGBA16F, 196)
	normalised.Type = Uint16
	normalised.StoreP(0, 0, words(1))
	if normalised.Texels[0] != 0xff || normalised.Linear[0] != 0 {
		t.Error("a normalised format is redirected")
	}
	wide := surface(TagRGBA16F, 0x20)
	wide.StoreV4B16(8, 0, [8]byte{1, 2})
	if wide.Texels[8] != 1 || !bytes.Equal(wide.Linear, make([]byte, 48)) {
		t.Error("a store of four channels is redirected")
	}
}
