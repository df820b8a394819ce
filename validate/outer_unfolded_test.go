package validate_test

import (
	"bytes"
	"fmt"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// unfolded are the builds of a replaced part of an unfolded layer.
func unfolded(source string) []texBuild {
	var list []texBuild
	for _, target := range texTargets() {
		if gfx12(target) {
			list = append(list, texBuild{source: source, target: target, defines: []string{"D4R_TEX_FP8=1"}},
				texBuild{source: source, target: target, defines: []string{"D4R_TEX_FP8=1", "D4R_TEX_SOFT_E4M3=1"}})
		}
	}
	return list
}

// lLaunches of unfolded layers cover an image in blocks, shifted ones beginning
// before it.
var lLaunches = []launch{
	{layout.Grid{W: 13, H: 17}, 2, 2, 1, false},
	{layout.Grid{W: 24, H: 9}, 6, 4, 2, true},
	{layout.Grid{W: 8, H: 8}, 0, 0, 3, false},
	{layout.Grid{W: 3, H: 5}, 2, 4, 4, false},
}

// cancelBlock makes the products that follow a norm cancel, for tokens whose
// channels cancelling and cancelled are large.
func cancelBlock(t *testing.T, l layout.Layer, buf []byte) {
	t.Helper()
	w, err := layout.MLayout(l)
	if err != nil {
		t.Fatal(err)
	}
	for _, gain := range []layout.Field{w.G1, w.G2} {
		gain.Set(buf, 0, cancelling, 0x6800) // 2048
		gain.Set(buf, 0, cancelled, 0x6800)
	}
	for _, h := range w.Heads {
		cancel(buf, h.Q)
		cancel(buf, h.V)
	}
	for _, c := range w.MLP {
		cancel(buf, c.W1)
	}
}

func TestLEnc0Tail(t *testing.T) {
	for _, b := range unfolded("l_enc0_tail") {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			d := newOuterDevice(t, b, "lenc0", 12, 360)
			for i, l := range lLaunches {
				weights := layout.LEnc0Tail.GenerateWeights(l.seed)
				if l.stress {
					copy(weights[layout.LEnc0Tail.Block:], layout.LEnc0Tail.Layer.StressWeights(l.seed))
				}
				if i == 0 {
					cancel(weights, layout.LEnc0Tail.Embed1.W)
					cancelBlock(t, layout.LEnc0Tail.Layer, weights[layout.LEnc0Tail.Block:])
					layout.LEnc0Tail.Embed2.Bias.Set(weights, 0, cancelling, 0x5640) // 100
					layout.LEnc0Tail.Embed2.Bias.Set(weights, 0, cancelled, 0x5640)
				}
				nx, ny := l.Blocks(l.sx, l.sy)
				want, wantMerged := untouched(layout.MBytes(l.Grid, 32)), untouched(layout.MBytes(l.Half(), 64))
				got, gotMerged := bytes.Clone(want), bytes.Clone(wantMerged)
				var features []byte
				for block := range nx * ny {
					f := outerFeatures(3*block + i%3)
					features = append(features, f...)
					call := model.LCall{Size: l.Grid, ShiftX: l.sx, ShiftY: l.sy, BX: block % nx, BY: block / nx, Weights: weights}
					if err := model.LEnc0Tail(call, f, want, wantMerged, model.Options{Generation: 12}); err != nil {
						t.Fatal(err)
					}
				}
				d.call(weights, emu.Order(i%3), nx, ny, func(at uint64) []byte {
					return params(at, d.input("features", 0, features), d.output("out", got), d.output("merged", gotMerged),
						l.sx, l.sy, l.W, l.H, nx, int32(0))
				})
				sameBytes(t, fmt.Sprintf("%v: output", l), want, got)
				sameBytes(t, fmt.Sprintf("%v: merged", l), wantMerged, gotMerged)
			}
		})
	}
}

func TestLDec0Block(t *testing.T) {
	for _, b := range unfolded("l_dec0_block") {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			d := newOuterDevice(t, b, "ldec0", 11, 168)
			part := layout.LDec0Block
			for i, l := range lLaunches {
				weights, tokens := part.GenerateWeights(l.seed), part.Layer.GenerateTokens
				if l.stress {
					weights, tokens = part.Layer.StressWeights(l.seed), part.Layer.StressTokens
				}
				in, skip := tokens(l.seed+1, l.Half(), 64), tokens(l.seed+2, l.Grid, 32)
				if i == 0 {
					expansion, err := layout.MLayout(part.Layer)
					if err != nil {
						t.Fatal(err)
					}
					cancel(weights, expansion.Expand)
					in = outerTokens(0, l.Half())
					cancelBlock(t, part.Layer, weights)
					for p := range l.Tokens() {
						skip[layout.MOffset(l.Grid, p%l.W, p/l.W, cancelling)] = 0x6c // 96
						skip[layout.MOffset(l.Grid, p%l.W, p/l.W, cancelled)] = 0x6c
					}
				}
				nx, ny := l.Blocks(l.sx, l.sy)
				want, got := untouched(model.AccumulatorBytes*nx*ny), untouched(model.AccumulatorBytes*nx*ny)
				for block := range nx * ny {
					call := model.LCall{Size: l.Grid, ShiftX: l.sx, ShiftY: l.sy, BX: block % nx, BY: block / nx, Weights: weights}
					if err := model.LDec0Block(call, in, skip, want[model.AccumulatorBytes*block:][:model.AccumulatorBytes], model.Options{Generation: 12}); err != nil {
						t.Fatal(err)
					}
				}
				d.call(weights, emu.Order(i%3), nx, ny, func(at uint64) []byte {
					return params(at, d.output("results", got), d.input("in", 0, in), d.input("skip", 0, skip),
						l.sx, l.sy, l.W, l.H, nx, int32(0))
				})
				sameBytes(t, l.String(), want, got)
			}
		})
	}
}
