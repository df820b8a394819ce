package validate_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/cuda/standin"
	"kmx/emit/emittest"
	"kmx/emit/emittest/emulated"
	"kmx/internal/num"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// The kernels with heads and tails as wholes: what the built-in emitter makes of the
// kept part, with the device function that it calls. Tiles begin before the image,
// inside and at its end, at even and odd places.

// wholeFrame is the size of the image, wholeShifts how far tiles begin before it. Half
// of a negative odd number is taken towards zero, so that tokens of neighbouring tiles
// would meet: there is one tile where the shift is odd.
var (
	wholeFrame  = standin.Frame{InWidth: 19, InHeight: 14, OutWidth: 41, OutHeight: 27}
	wholeSize   = layout.Grid{W: wholeFrame.InWidth, H: wholeFrame.InHeight}
	wholeShifts = [][2]int{{4, 4}, {3, 5}, {0, 6}}
)

// wholeGrid is the number of tiles.
func wholeGrid(shift [2]int) (nx, ny int) {
	if shift[0]%2 != 0 || shift[1]%2 != 0 {
		return 1, 1
	}
	return wholeSize.Blocks(shift[0], shift[1])
}

// featureRow is how many blocks testdata/outer/features.hip counts in a row.
const featureRow = 8

// run launches a kernel with tiles shifted and gives what its parameters hold then,
// by name. Parameters in contents hold that before.
func (k *wholeKernel) run(t *testing.T, b wholeBuild, i int, prepare int, contents map[string][]byte) (out map[string][]byte, nx, ny int) {
	t.Helper()
	c, err := emittest.Standin(k.Kernel, k.text, emittest.Launch{Frame: wholeFrame, Seed: fmt.Sprintf("whole %d", i)})
	if err != nil {
		t.Fatal(err)
	}
	for j := range c.Params {
		switch p := &c.Params[j]; p.Name {
		case "shift_x":
			p.Bits = uint64(wholeShifts[i][0])
		case "shift_y":
			p.Bits = uint64(wholeShifts[i][1])
		}
	}
	nx, ny = wholeGrid(wholeShifts[i])
	c.Grid = [3]int{nx, ny, 1}
	all, err := emulated.NewDevice(b.target).Run(t.Context(), emulated.Launch{
		Program: k.program, Entry: k.entry, Case: c, Contents: contents, Prepare: prepare, Order: emu.Order(i % 3), CheckUninitialised: true,
	})
	if err != nil {
		t.Fatalf("%v: %v", b, err)
	}
	out = map[string][]byte{}
	for j, p := range c.Params {
		out[p.Name] = all[j]
	}
	return out, nx, ny
}

// tailInputs runs the kept part of an encoder and gives the features that it hands to
// its tail, by block.
func tailInputs(t *testing.T, b wholeBuild) (kernel wholeKernel, features func(i int, weights []byte) [][]byte) {
	t.Helper()
	kernel, m := b.edit(t)
	probe := kernel
	b.link(t, &probe, m, b.features(t), false)
	b.link(t, &kernel, m, b.bitcode(t), true)
	return kernel, func(i int, weights []byte) [][]byte {
		out, nx, ny := probe.run(t, b, i, 0, map[string][]byte{"w": weights, "out": untouched(layout.FeatureBytes * featureRow * 8)})
		var list [][]byte
		seen := map[byte]int{}
		for block := range nx * ny {
			f := out["out"][layout.FeatureBytes*(block%nx+featureRow*(block/nx)):][:layout.FeatureBytes]
			for _, code := range f {
				seen[code]++
			}
			list = append(list, f)
		}
		if len(seen) < 100 {
			t.Errorf("%v: the features have %d codes only", b, len(seen))
		}
		return list
	}
}

// variants are the names of an encoder, the one that others are compared with first.
func variants(end string) []string {
	var list []string
	for _, v := range []string{"mvhi_hdr", "mvhi_ldr", "mvlo_ldr", "mvlo_hdr"} {
		list = append(list, "rrlite_enc0_4x4_"+v+end)
	}
	return list
}

func TestWholeEnc0(t *testing.T) {
	kernels := variants("_folded")
	sample := func(b texBuild) bool { return b.target == texTargets()[0] && len(b.defines) == 0 }
	for _, b := range wholes(t, kernels, "enc0-tail", kernels[0], 4, folded("enc0_tail"), sample) {
		t.Run(short(b), func(t *testing.T) {
			t.Parallel()
			kernel, features := tailInputs(t, b)
			for i, shift := range wholeShifts {
				weights := outerWeights(layout.Enc0Tail, i)
				blank := untouched(layout.MBytes(wholeSize.Half(), 64))
				want := bytes.Clone(blank)
				got, nx, _ := kernel.run(t, b, i, b.prep, map[string][]byte{"w": weights, "out": blank})
				for block, f := range features(i, weights) {
					x, y := 8*(block%nx)-shift[0], 8*(block/nx)-shift[1]
					if err := model.Enc0Tail(weights, f, want, wholeSize, x, y); err != nil {
						t.Fatal(err)
					}
				}
				if bytes.Equal(want, blank) {
					t.Errorf("shift %v: the model writes nothing", shift)
				}
				sameBytes(t, fmt.Sprintf("shift %v", shift), want, got["out"])
			}
		})
	}
}

func TestWholeLEnc0(t *testing.T) {
	kernels := variants("")
	sample := func(b texBuild) bool { return b.target == "gfx1201" && len(b.defines) == 1 }
	for _, b := range wholes(t, kernels, "l-enc0-tail", kernels[0], 12, unfolded("l_enc0_tail"), sample) {
		t.Run(short(b), func(t *testing.T) {
			t.Parallel()
			kernel, features := tailInputs(t, b)
			for i, shift := range wholeShifts {
				weights := layout.LEnc0Tail.GenerateWeights(uint64(i))
				blank, blankMerged := untouched(layout.MBytes(wholeSize, 32)), untouched(layout.MBytes(wholeSize.Half(), 64))
				want, wantMerged := bytes.Clone(blank), bytes.Clone(blankMerged)
				got, nx, _ := kernel.run(t, b, i, b.prep, map[string][]byte{"w": weights, "out": blank, "merged": blankMerged})
				for block, f := range features(i, weights) {
					call := model.LCall{Size: wholeSize, ShiftX: shift[0], ShiftY: shift[1], BX: block % nx, BY: block / nx, Weights: weights}
					if err := model.LEnc0Tail(call, f, want, wantMerged, model.Options{Generation: 12}); err != nil {
						t.Fatal(err)
					}
				}
				sameBytes(t, fmt.Sprintf("shift %v: output", shift), want, got["out"])
				sameBytes(t, fmt.Sprintf("shift %v: merged", shift), wantMerged, got["merged"])
			}
		})
	}
}

func TestWholeDec0(t *testing.T) {
	sample := func(b texBuild) bool { return b.target == "gfx1201" && len(b.defines) == 1 }
	for _, b := range wholes(t, []string{"rrlite_dec0_4x4_folded"}, "dec0-head", "", 4, folded("dec0_head"), sample) {
		t.Run(short(b), func(t *testing.T) {
			t.Parallel()
			kernel, m := b.edit(t)
			b.link(t, &kernel, m, b.bitcode(t), true)
			for i, shift := range wholeShifts {
				weights, in := outerWeights(layout.Dec0Head, i), outerTokens(i, wholeSize.Half())
				got, nx, ny := kernel.run(t, b, i, b.prep, map[string][]byte{"w": weights, "in": in})
				want := colours{untouched(16 * wholeSize.Tokens()), untouched(4 * wholeSize.Tokens()), untouched(4 * wholeSize.Tokens())}
				for block := range nx * ny {
					x, y := 8*(block%nx)-shift[0], 8*(block/nx)-shift[1]
					features := untouched(layout.FeatureBytes)
					if err := model.Dec0Head(weights, in, features, wholeSize, x, y); err != nil {
						t.Fatal(err)
					}
					want.draw(features, x, y)
				}
				sameBytes(t, fmt.Sprintf("shift %v: result", shift), want.result, got["result"])
				sameBytes(t, fmt.Sprintf("shift %v: warm", shift), want.warm, got["warm"])
				sameBytes(t, fmt.Sprintf("shift %v: mask", shift), want.mask, got["mask"])
			}
		})
	}
}

// colours are the surfaces of the stand-in's decoder: four f32, two f16 and one f32
// a pixel.
type colours struct{ result, warm, mask []byte }

// draw does what the stand-in's decoder does behind its head, for a block from (x, y).
func (c colours) draw(features []byte, x, y int) {
	const gain, offset = 0.125, 0.5
	for py := range layout.BlockPixels {
		for px := range layout.BlockPixels {
			if !wholeSize.Contains(x+px, y+py) {
				continue
			}
			at := (y+py)*wholeSize.W + x + px
			var v [8]num.F16 // sums of every eighth feature, of a quarter of each
			for j := range v {
				code := func(k int) num.F16 {
					return num.E4M3(features[layout.FeatureOffset(px, py, j+8*k)]).F16()
				}
				v[j] = num.Mul(code(0), quarter)
				for k := 1; k < 4; k++ {
					v[j] = num.FMA(code(k), quarter, v[j])
				}
			}
			for i := range 4 {
				sum := float32(v[i].Float64()*gain + offset) // exact before it is rounded
				binary.LittleEndian.PutUint32(c.result[16*at+4*i:], math.Float32bits(min(max(sum, 0), 1)))
			}
			binary.LittleEndian.PutUint16(c.warm[4*at:], uint16(v[4]))
			binary.LittleEndian.PutUint16(c.warm[4*at+2:], uint16(v[5]))
			mask := new(big.Float).SetPrec(200).Mul(big.NewFloat(v[6].Float64()), big.NewFloat(v[7].Float64()))
			f, _ := mask.Add(mask, big.NewFloat(0.5)).Float32()
			binary.LittleEndian.PutUint32(c.mask[4*at:], math.Float32bits(f))
		}
	}
}

// quarter is 0.25.
const quarter num.F16 = 0x3400
