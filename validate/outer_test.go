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
