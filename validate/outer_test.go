package validate_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/emu"
	"kmx/internal/num"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// corners are where blocks of the folded layers begin, in pixels of an image of
// outerSize: inside, at its end, beyond it and before it, even and odd.
var (
	outerSize = layout.Grid{W: 37, H: 28}
	corners   = [][2]int{{0, 0}, {8, 16}, {-4, -6}, {-6, 22}, {34, -2}, {-3, -5}, {32, 24}}
)

// outerDevice runs a caller of testdata/outer.
type outerDevice struct {
	device
	paramBytes int    // of the kernel that is replaced
	threads    uint32 // of the caller's blocks
}

// newOuterDevice checks the object against what is promised of a kernel with this
// device source in it, before it is run.
func newOuterDevice(t *testing.T, b texBuild, caller string, prepBlocks, paramBytes int) outerDevice {
	t.Helper()
	object := b.linked(t, caller)
	o, err := codeobj.Read(object)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range o.Kernels {
		if k.WaveSize != 32 || k.Scratch != 0 || k.VGPRSpills != 0 || k.SGPRSpills != 0 {
			t.Errorf("%v: %s has waves of %d, %d bytes of scratch, %d and %d spills", b, k.Name, k.WaveSize, k.Scratch, k.VGPRSpills, k.SGPRSpills)
		}
		t.Logf("%v: %s takes %d VGPRs, %d bytes of LDS, %d bytes of code", b, k.Name, k.VGPRs, k.LDS, k.CodeBytes)
	}
	kernel, _ := o.Kernel("caller")
	d := outerDevice{newDevice(t, load(t, object), layout.Layer{Name: "caller"}), paramBytes, uint32(kernel.MaxWorkgroup)}
	if got := d.symbol("d4r_prep_blocks"); got != uint32(prepBlocks) {
		t.Errorf("d4r_prep_blocks is %d, want %d", got, prepBlocks)
	}
	if got := d.symbol("d4r_prep_key_at"); got != 1 {
		t.Errorf("d4r_prep_key_at is %d, want 1", got)
	}
	if k, ok := o.Kernel("caller_prep"); !ok || k.MaxWorkgroup != 128 || k.Kernarg != paramBytes {
		t.Errorf("caller_prep: %v, %+v", ok, k)
	}
	return d
}

// call prepares weights and launches the caller over nx x ny work-groups. The
// block that prep gets has the weights' address alone.
func (d *outerDevice) call(weights []byte, order emu.Order, nx, ny int, args func(weights uint64) []byte) {
	d.Helper()
	at := d.input("weights", 0, weights)
	block := make([]byte, d.paramBytes)
	binary.LittleEndian.PutUint64(block, at)
	d.prepare(emu.Launch{Args: block, Order: order})
	if _, err := d.program.Launch(d.Context(), d.memory, emu.Launch{
		Kernel: "caller", Grid: [3]uint32{uint32(nx), uint32(ny)}, Block: [3]uint32{d.threads}, Args: args(at), Order: order, CheckUninitialised: true,
	}); err != nil {
		d.Fatal(err)
	}
	for _, at := range d.mapped {
		if err := d.memory.Unmap(at); err != nil {
			d.Fatal(err)
		}
	}
	d.mapped = nil
}

// params puts parameters one after the other.
func params(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		if i, ok := v.(int); ok {
			v = int32(i)
		}
		_ = binary.Write(&b, binary.LittleEndian, v) // fixed-size values into memory
	}
	return b.Bytes()
}

// sameBytes fails the test where bytes differ.
func sameBytes(t *testing.T, what string, want, got []byte) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s: %d bytes, want %d", what, len(got), len(want))
	}
	first, differ := -1, 0
	for i := range want {
		if want[i] != got[i] {
			if differ++; first < 0 {
				first = i
			}
		}
	}
	if differ > 0 {
		t.Errorf("%s: %d of %d bytes differ, the first is %d: %#02x, want %#02x", what, differ, len(want), first, got[first], want[first])
	}
}

// untouched is a buffer that a kernel has not written yet.
func untouched(n int) []byte { return bytes.Repeat([]byte{0xa5}, n) }

// folded are the builds of a head or tail that every target has.
func folded(source string) []texBuild {
	var list []texBuild
	for _, target := range texTargets() {
		list = append(list, texBuild{source: source, target: target})
		if gfx12(target) {
			list = append(list, texBuild{source: source, target: target, defines: []string{"D4R_TEX_FP8=1"}},
				texBuild{source: source, target: target, defines: []string{"D4R_TEX_FP8=1", "D4R_TEX_SOFT_E4M3=1"}})
		}
	}
	return list
}

// stressed is a weight buffer with biases beyond what the product's results may
// have, infinite ones among them. The tail of enc0 limits NaN as well.
func stressed(o layout.Outer, seed uint64) []byte {
	buf := o.GenerateWeights(seed)
	for c := 0; c < o.Linear.Bias.Cols; c += 5 {
		v := num.F16(0x6000) // 512
		switch {
		case c%3 == 0:
			v = 0x7c00
		case c%3 == 1 && o.Name == layout.Enc0Tail.Name:
			v = 0x7e00
		}
		if c%2 == 0 {
			v = v.Neg()
		}
		o.Linear.Bias.Set(buf, 0, c, v)
	}
	return buf
}

// The two of each 32 inputs whose products cancel in cancelling weights: one of
// 0..15, one of 16..31, but both of the first half in the order in which the M network
// itself takes inputs.
const cancelling, cancelled = 3, 19

// cancel makes two rows of each 32 of a matrix large, of opposite sign. Where their
// inputs are large and equal, the small products that are added to one of them
// before the other are lost to the rounding of f32 between two steps of 16: the
// result shows which inputs a step takes.
func cancel(buf []byte, f layout.Field) {
	for r := 0; r < f.Rows; r += 32 {
		for c := range f.Cols {
			f.Set(buf, r+cancelling, c, 0x5f00) // 448
			f.Set(buf, r+cancelled, c, 0xdf00)
		}
	}
}

// outerWeights are the weights of launch i: as they come, beyond what results may
// be, or cancelling.
func outerWeights(o layout.Outer, i int) []byte {
	switch i % 3 {
	case 0:
		buf := o.GenerateWeights(uint64(i))
		cancel(buf, o.Linear.W)
		return buf
	case 1:
		return stressed(o, uint64(i))
	}
	return o.GenerateWeights(uint64(i))
}

// outerFeatures are the features for outerWeights.
func outerFeatures(i int) []byte {
	buf := layout.GenerateFeatures(uint64(10 + i))
	if i%3 == 0 {
		for p := range layout.BlockPixels * layout.BlockPixels {
			for _, k := range []int{cancelling, cancelled} {
				buf[layout.FeatureOffset(p%8, p/8, k)] = 0x7e
			}
		}
	}
	return buf
}

// outerTokens are tokens of 64 channels for outerWeights.
func outerTokens(i int, g layout.Grid) []byte {
	buf := layout.Layer{Family: layout.M}.GenerateTokens(uint64(20+i), g, 64)
	if i%3 == 0 {
		for t := range g.Tokens() {
			for c := 0; c < 64; c += 32 {
				buf[layout.MOffset(g, t%g.W, t/g.W, c+cancelling)] = 0x7e
				buf[layout.MOffset(g, t%g.W, t/g.W, c+cancelled)] = 0x7e
			}
		}
	}
	return buf
}

func TestEnc0Tail(t *testing.T) {
	for _, b := range folded("enc0_tail") {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			d := newOuterDevice(t, b, "enc0", 4, 360)
			for i, c := range corners {
				weights, features := outerWeights(layout.Enc0Tail, i), outerFeatures(i)
				want := untouched(layout.MBytes(outerSize.Half(), 64))
				got := bytes.Clone(want)
				if err := model.Enc0Tail(weights, features, want, outerSize, c[0], c[1]); err != nil {
					t.Fatal(err)
				}
				if bytes.Equal(want, got) {
					t.Errorf("corner %v: the model writes nothing", c)
				}
				d.call(weights, emu.Order(i%3), 1, 1, func(at uint64) []byte {
					return params(at, d.input("features", 0, features), d.output("out", got), outerSize.W, outerSize.H, c[0], c[1])
				})
				sameBytes(t, fmt.Sprintf("corner %v", c), want, got)
			}
		})
	}
}

func TestDec0Head(t *testing.T) {
	for _, b := range folded("dec0_head") {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			d := newOuterDevice(t, b, "dec0", 4, 168)
			for i, c := range corners {
				weights := outerWeights(layout.Dec0Head, i)
				in := outerTokens(i, outerSize.Half())
				want, got := untouched(layout.FeatureBytes), untouched(layout.FeatureBytes)
				if err := model.Dec0Head(weights, in, want, outerSize, c[0], c[1]); err != nil {
					t.Fatal(err)
				}
				d.call(weights, emu.Order(i%3), 1, 1, func(at uint64) []byte {
					return params(at, d.output("features", got), d.input("in", 0, in), outerSize.W, outerSize.H, c[0], c[1])
				})
				sameBytes(t, fmt.Sprintf("corner %v", c), want, got)
			}
		})
	}
}

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
