package emittest

import (
	"fmt"
	"regexp"
	"strconv"
)

// Format is how a texel is stored: 1, 2 or 4 channels of 8, 16 or 32 bits. A
// Packed texel counts as one channel.
type Format struct {
	Channels int
	Bits     int // of a channel
	Class    Class
}

// Class is what the bits of a channel mean.
type Class int

const (
	Float Class = iota
	Unorm
	Snorm
	Unsigned // integers, read as such
	Signed
	Packed // 10, 10, 10 and 2 bits of one word, each from 0 to 1
)

var formatWord = regexp.MustCompile(`^(r|rg|rgba)(8|16|32)(f|n|sn|u|s)$`)

// ParseFormat reads rgba16f and so on.
func ParseFormat(s string) (f Format, ok bool) {
	if s == "rgb10a2" {
		return Format{Channels: 1, Bits: 32, Class: Packed}, true
	}
	m := formatWord.FindStringSubmatch(s)
	if m == nil {
		return f, false
	}
	f.Channels = map[string]int{"r": 1, "rg": 2, "rgba": 4}[m[1]]
	f.Bits, _ = strconv.Atoi(m[2])
	f.Class = map[string]Class{"f": Float, "n": Unorm, "sn": Snorm, "u": Unsigned, "s": Signed}[m[3]]
	switch f.Class {
	case Float:
		return f, f.Bits >= 16
	case Unorm, Snorm:
		return f, f.Bits <= 16
	}
	return f, true
}

// Texel is the bytes of one.
func (f Format) Texel() int { return f.Channels * f.Bits / 8 }

// channel is the type of one channel's bits.
func (f Format) channel() Type {
	switch f.Class {
	case Float:
		return Type{'f', f.Bits}
	case Signed, Snorm:
		return Type{'s', f.Bits}
	}
	return Type{'u', f.Bits}
}

// Word is CUDA's number of the format (CUarray_format) for a surface: 1 to 3 and
// 8 to 10 integers, 0x10 and 0x20 floats, 0x50 packed, 0xc0 to 0xcb numbers from 0
// or -1 to 1 by bits and channels.
func (f Format) Word() uint32 {
	log := map[int]uint32{8: 0, 16: 1, 32: 2}[f.Bits]
	channels := map[int]uint32{1: 0, 2: 1, 4: 2}[f.Channels]
	switch f.Class {
	case Float:
		return map[int]uint32{16: 0x10, 32: 0x20}[f.Bits]
	case Unorm:
		return 0xc0 + 3*log + channels
	case Snorm:
		return 0xc6 + 3*log + channels
	case Signed:
		return 8 + log
	case Packed:
		return 0x50
	}
	return 1 + log
}

// Image is a texture or a surface of one level: Height rows of Width texels,
// without padding.
type Image struct {
	Format        Format
	Width, Height int

	// Textures.
	Linear     bool
	Address    Address
	Normalized bool // coordinates of 0 to 1 rather than texels
}

// Address is what happens to coordinates outside.
type Address int

const (
	Clamp Address = iota
	Wrap
	Mirror
	Border // zeros
)

// one takes the word off the front and looks it up.
func one[T any](words *[]string, what string, of map[string]T) (T, error) {
	var none T
	if len(*words) == 0 {
		return none, fmt.Errorf("its %s is missing", what)
	}
	v, ok := of[(*words)[0]]
	if !ok {
		return none, fmt.Errorf("%q is no %s", (*words)[0], what)
	}
	*words = (*words)[1:]
	return v, nil
}

func (h *header) image(kind string, w []string) {
	if len(w) < 4 {
		h.fail("%s takes name, format, size and more", kind)
		return
	}
	f, ok := ParseFormat(w[1])
	var size [3]int
	if !ok || !shape(w[2], &size) || size[2] != 1 {
		h.fail("%s %s is no format and size", w[1], w[2])
		return
	}
	p := Param{Name: w[0], Kind: Surface, Type: f.channel(), Count: size[0] * size[1] * f.Channels, In: true, Out: kind == "surf",
		Image: Image{Format: f, Width: size[0], Height: size[1]}}
	w = w[3:]
	if kind == "tex" {
		p.Kind = Texture
		if err := p.Image.sampling(&w); err != nil {
			h.fail("%s: %v", p.Name, err)
			return
		}
	}
	h.add(p, w)
}

func (m *Image) sampling(w *[]string) (err error) {
	if m.Linear, err = one(w, "filter", map[string]bool{"nearest": false, "linear": true}); err != nil {
		return err
	}
	if m.Address, err = one(w, "address mode", map[string]Address{"clamp": Clamp, "wrap": Wrap, "mirror": Mirror, "border": Border}); err != nil {
		return err
	}
	if m.Normalized, err = one(w, "kind of coordinates", map[string]bool{"texels": false, "normalized": true}); err != nil {
		return err
	}
	if !m.Normalized && (m.Address == Wrap || m.Address == Mirror) {
		return fmt.Errorf("wrap and mirror take normalized coordinates")
	}
	if m.Linear && (m.Format.Class == Unsigned || m.Format.Class == Signed) {
		return fmt.Errorf("integers are not filtered")
	}
	return nil
}
