package standin

import "strings"

// Kinds of things that Counts tells of, besides opcodes.
const (
	Roundf    = "roundf"   // both forms
	MMA       = "mma.sync" // of all shapes
	DecodeFP8 = "cvt.rn.f16x2.e4m3x2"
	WarpSync  = "bar.warp.sync"
)

const (
	pairStore   = "sust.b.2d.v2.b16.zero"
	wordStore   = "sust.b.2d.b32.zero"
	colourStore = "sust.p.2d.v4.b32.zero"
	quadStore   = "sust.b.2d.v4.b16.zero"
)

// Counts is how often each kind of statement that recipes edit or look for is
// in the text of the kernel. Kinds that are missing are not in it. It is stated
// here, not counted.
func (k Kernel) Counts() map[string]int {
	switch k.Group {
	case KOutput:
		switch {
		case strings.HasSuffix(k.Name, "_max_v2_rel"):
			return map[string]int{Roundf: 6, colourStore: 2, pairStore: 2, wordStore: 3}
		case strings.HasSuffix(k.Name, "_v2_rel"):
			return map[string]int{Roundf: 6, colourStore: 2, pairStore: 2, wordStore: 2}
		}
		return map[string]int{Roundf: 8, colourStore: 2, pairStore: 2, wordStore: 2}
	case KInput:
		if strings.Contains(k.Name, "_mvhi_") {
			return map[string]int{Roundf: 4}
		}
		return map[string]int{Roundf: 2}
	case MPost, LPost:
		c := map[string]int{colourStore: 2, pairStore: 3}
		if strings.Contains(k.Name, "_3_2_") {
			c[wordStore] = 1
		}
		if k.Group == LPost {
			c[pairStore] = 4
		}
		return c
	case MDownsample:
		return map[string]int{colourStore: 1, wordStore: 2}
	case MEnc0:
		return map[string]int{WarpSync: 3, MMA: 32}
	case LEnc0:
		return map[string]int{WarpSync: 3, MMA: 336}
	case MDec0:
		return map[string]int{WarpSync: 1, MMA: 32, DecodeFP8: 32, colourStore: 2, pairStore: 2, wordStore: 2}
	case LDec0:
		return map[string]int{MMA: 304, DecodeFP8: 32, colourStore: 8}
	case Other:
		return map[string]int{quadStore: 1}
	}
	return map[string]int{}
}
