package emu

import (
	"fmt"
	"math"
	"strings"
)

// samplerState is a sampler descriptor as an instruction sees it.
type samplerState struct {
	modes        [2]AddressMode
	unnormalised bool
	truncate     bool
	linear       bool
	border       BorderColour
}

// readSampler takes a descriptor apart. Level of detail has no part here: images
// have one level, and the two filters that it would choose between must agree.
func readSampler(d *[4]uint32) (s samplerState, err error) {
	get := func(b bitField) uint64 { return b.get(d[:]) }
	var problems []string
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for i := range s.modes {
		if s.modes[i] = AddressMode(get(samplerClamps[i])); !s.modes[i].modelled() {
			wrong("address mode %d", s.modes[i])
		}
	}
	s.unnormalised, s.truncate = get(samplerUnnormalised) != 0, get(samplerTruncate) != 0
	s.border = BorderColour(get(samplerBorderType))
	if s.border > BorderWhite {
		wrong("a border colour from a table")
	}
	magnify, minify := get(samplerMagnify), get(samplerMinify)
	switch {
	case magnify > 1 || minify > 1 || get(samplerAniso) != 0:
		wrong("anisotropic filtering")
	case magnify != minify:
		wrong("different filters for magnification and minification")
	}
	s.linear = magnify == 1
	for name, b := range map[string]bitField{"coarse blending": samplerCoarse, "forced sRGB": samplerDegamma, "minimum or maximum instead of blending": samplerReduction} {
		if get(b) != 0 {
			wrong("%s", name)
		}
	}
	if problems != nil {
		return s, fmt.Errorf("its sampler asks for what is not modelled: %s", strings.Join(problems, "; "))
	}
	return s, nil
}

// scaled is a coordinate in texels. NaN is 0; what is far outside stays so.
func (s *samplerState) scaled(c float64, size uint64) float64 {
	if c != c {
		return 0
	}
	if !s.unnormalised {
		c *= float64(size)
	}
	return max(min(c, 1<<40), -1<<40)
}

// nearest is the texel of a coordinate. Without TRUNC_COORD the hardware rounds to
// 1/64 first ("round to nearest even to n.6 and drop the fraction", as the
// commits to Mesa that set the bit say).
func (s *samplerState) nearest(c float64) int64 {
	if s.truncate {
		return int64(math.Floor(c))
	}
	return int64(math.RoundToEven(c*64)) >> 6
}

// filterBits is the precision of a filter's weights and of the footprint: 8 bits
// of fraction, what Direct3D asks for at least (functional specification, 7.18.8)
// and this hardware has.
const filterBits = 8

// footprint is the first of the two texels that a linear filter blends, and the
// weight of the second in 256ths.
func footprint(c float64) (first, weight int64) {
	f := int64(math.RoundToEven((c - 0.5) * (1 << filterBits)))
	return f >> filterBits, f & (1<<filterBits - 1)
}

// resolve brings a texel's number into the image; inside is false for the border.
func (m AddressMode) resolve(i int64, size uint64) (at uint64, inside bool) {
	n := int64(size)
	switch m {
	case AddressWrap:
		return uint64((i%n + n) % n), true
	case AddressMirror:
		if i = (i%(2*n) + 2*n) % (2 * n); i >= n {
			i = 2*n - 1 - i
		}
		return uint64(i), true
	case AddressMirrorOnce, AddressMirrorOnceBorder:
		if i < 0 {
			i = -1 - i
		}
	}
	if i >= 0 && i < n {
		return uint64(i), true
	}
	return uint64(max(0, min(i, n-1))), m == AddressClamp || m == AddressMirrorOnce
}

// colour is the border's.
func (s *samplerState) colour(f *texelFormat) [4]uint32 {
	one := f.one()
	switch s.border {
	case BorderBlack:
		return [4]uint32{3: one}
	case BorderWhite:
		return [4]uint32{one, one, one, one}
	}
	return [4]uint32{}
}
