package standin

import "fmt"

// Group is a row of the list of kernels that are replaced.
type Group string

// Groups.
const (
	KOutput     Group = "k-output"     // 24
	KInput      Group = "k-input"      // 8
	KLayer      Group = "k-layer"      // 11
	MPost       Group = "m-post"       // 8, folded
	MDownsample Group = "m-downsample" // 4
	MEnc0       Group = "m-enc0"       // 4, folded
	MDec0       Group = "m-dec0"       // 1, folded
	MLayer      Group = "m-layer"      // 5
	LPost       Group = "l-post"       // 8
	LEnc0       Group = "l-enc0"       // 4
	LDec0       Group = "l-dec0"       // 1
	Other       Group = "other"        // names that nobody replaces
)

// Kernel describes one entry and how it is launched.
type Kernel struct {
	Name       string
	Group      Group
	Module     string // its Module.Name
	Target     string
	ParamBytes int // of the parameter block, one struct by value, aligned to 8
	Params     []Param
	Block      [3]int
	Tile       [2]int // pixels of Extent that a block covers
	Over       Extent
	Margin     int // pixels that tiles reach over, at the left and above
}

// Runs says whether the program is complete: made to be launched on a GPU or an
// emulator and compared. The others are valid, and short.
func (k Kernel) Runs() bool {
	switch k.Group {
	case KOutput, MPost, MDownsample, LPost:
		return true
	}
	return false
}

// Grid is the number of blocks for a frame.
func (k Kernel) Grid(f Frame) [3]int {
	w, h := k.Over.Of(f)
	up := func(n, tile int) int { return max((n+k.Margin+tile-1)/tile, 1) }
	return [3]int{up(w, k.Tile[0]), up(h, k.Tile[1]), 1}
}

// kernel makes the description of one that covers tiles.
func kernel(g Group, name string, bytes int, params []Param, block [3]int, tile [2]int, over Extent) Kernel {
	return Kernel{Name: name, Group: g, Params: params, ParamBytes: bytes, Block: block, Tile: tile, Over: over}
}

var (
	wide   = [3]int{32, 8, 1}
	square = [3]int{16, 16, 1}
	warp   = [3]int{32, 1, 1}
)

// variants calls back for each motion and range, in the order of the names.
func variants(call func(high, hdr bool, suffix string)) {
	for _, high := range []bool{true, false} {
		for _, hdr := range []bool{true, false} {
			motion, colour := "mvlo", "ldr"
			if high {
				motion = "mvhi"
			}
			if hdr {
				colour = "hdr"
			}
			call(high, hdr, motion+"_"+colour)
		}
	}
}

func outputs() []program {
	var all []program
	for kind, name := range []string{"v1_rel", "v2_rel", "max_v2_rel"} {
		for _, inverted := range []bool{true, false} {
			depth := "depthreg"
			if inverted {
				depth = "depthinv"
			}
			variants(func(high, hdr bool, suffix string) {
				s := shading{inverted, high, hdr, outputKind(kind)}
				l := outputLayout(s.kind, high)
				for i := range l {
					if l[i].Name == "history" && s.kind != outputV1 {
						l[i].Filter = "linear"
					}
				}
				k := kernel(KOutput, fmt.Sprintf("hiluma_engine_output_%s_%s_%s", depth, suffix, name), outputSize(s.kind), l, wide, [2]int{32, 8}, Output)
				all = append(all, program{Kernel: k, round: form(kind), body: s.output})
			})
		}
	}
	return all
}

func inputs() []program {
	var all []program
	for _, inverted := range []bool{true, false} {
		depth := "depthreg"
		if inverted {
			depth = "depthinv"
		}
		variants(func(high, hdr bool, suffix string) {
			s := shading{inverted: inverted, highMotion: high, hdr: hdr}
			k := kernel(KInput, fmt.Sprintf("hiluma_engine_input_%s_%s_v2_rel", depth, suffix), 96, inputLayout(s), wide, [2]int{32, 8}, Input)
			all = append(all, program{Kernel: k, round: copySign, body: s.input})
		})
	}
	return all
}

func posts(folded bool) []program {
	group, end := LPost, ""
	if folded {
		group, end = MPost, "_folded"
	}
	var all []program
	for _, lanes := range []bool{false, true} {
		part := "3_1"
		if lanes {
			part = "3_2"
		}
		variants(func(high, hdr bool, suffix string) {
			p := post{lanes, high, hdr, folded}
			k := kernel(group, "rrlite_post_"+part+"_"+suffix+end, p.size(), postLayout(p), wide, [2]int{32, 8}, Output)
			all = append(all, program{Kernel: k, body: p.program})
		})
	}
	return all
}

func downsamples() []program {
	var all []program
	for _, dynamic := range []bool{false, true} {
		part := "static"
		if dynamic {
			part = "dynamic"
		}
		for _, hdr := range []bool{true, false} {
			d := downsample{dynamic, hdr}
			colour := "ldr"
			if hdr {
				colour = "hdr"
			}
			k := kernel(MDownsample, "rrlite_downsample_kernel_"+part+"_"+colour, d.size(), downsampleLayout(d), square, [2]int{16, 16}, Output)
			all = append(all, program{Kernel: k, body: d.program})
		}
	}
	return all
}

func encoders(folded bool) []program {
	var all []program
	variants(func(high, hdr bool, suffix string) {
		e := encoder{high, hdr, folded}
		group, end, body := LEnc0, "", e.unfolded0
		if folded {
			group, end, body = MEnc0, "_folded", e.folded0
		}
		k := kernel(group, "rrlite_enc0_4x4_"+suffix+end, encoderBlock, encoderLayout(e), warp, [2]int{8, 8}, Input)
		k.Margin = 4
		all = append(all, program{Kernel: k, body: body})
	})
	return all
}

func decoders(folded bool) []program {
	k, body := kernel(LDec0, "rrlite_dec0_4x4", decoderBlock, decoderLayoutL(), warp, [2]int{8, 8}, Input), decoderL
	if folded {
		k, body = kernel(MDec0, "rrlite_dec0_4x4_folded", decoderBlock, decoderLayout(), warp, [2]int{8, 8}, Input), decoder0
	}
	k.Margin = 4
	return []program{{Kernel: k, body: body}}
}

func layers(g Group, bytes int, params []Param, pattern string, ids ...string) []program {
	var all []program
	for _, id := range ids {
		k := kernel(g, fmt.Sprintf(pattern, id), bytes, params, warp, [2]int{8, 8}, Input)
		k.Margin = 4
		all = append(all, program{Kernel: k, body: layer})
	}
	return all
}

func others(names ...string) []program {
	var all []program
	for _, n := range names {
		all = append(all, program{Kernel: kernel(Other, n, 16, clearLayout(), [3]int{8, 8, 1}, [2]int{8, 8}, Input), body: clearSurface})
	}
	return all
}
