package validate_test

import (
	"bytes"
	"fmt"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// launch is one launch of a K layer: a grid, shifts and a seed for weights and
// tokens.
type launch struct {
	layout.Grid
	sx, sy int
	seed   uint64
	stress bool // numbers that reach for the ends of f16
}

func (l launch) String() string {
	s := fmt.Sprintf("%dx%d,shift(%d,%d)", l.W, l.H, l.sx, l.sy)
	if l.stress {
		s += ",stress"
	}
	return s
}

// launches have borders on all sides, odd sizes, every even shift, several
// windows each way, and grids smaller than a window.
var launches = []launch{
	{layout.Grid{W: 13, H: 17}, 2, 6, 1, false},
	{layout.Grid{W: 17, H: 9}, 6, 4, 2, true},
	{layout.Grid{W: 8, H: 8}, 0, 0, 3, false},
	{layout.Grid{W: 24, H: 16}, 0, 4, 4, false},
	{layout.Grid{W: 11, H: 23}, 4, 2, 5, false},
	{layout.Grid{W: 16, H: 16}, 6, 0, 6, true},
	{layout.Grid{W: 3, H: 5}, 2, 4, 7, false},
	{layout.Grid{W: 2, H: 2}, 4, 6, 8, false},
}

// TestK runs the object of every K layer on the emulator and compares it with the
// model in the build's own mode: they agree to the last bit, in every order of
// waves. By default gfx1101 and gfx1201 run one launch each and every second build
// another; KMX_TEST_ALL=1 runs all six GPUs and all launches.
func TestK(t *testing.T) {
	builds := 0
	for _, cell := range cells(t, "k+numerics=*") {
		l, err := layout.Find(cell.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		if brief(cell) {
			continue
		}
		var count int
		switch target := cell.Target.Name; {
		case everything():
			count = len(launches)
		case target == "gfx1101" || target == "gfx1201":
			count = 1 + builds%2
			builds++
		default:
			continue
		}
		t.Run(cell.Address(), func(t *testing.T) {
			t.Parallel()
			p := load(t, compile(t, cell))
			for i, launch := range launches[:count] {
				if l.Decoder() && launch.Half().Tokens() == 0 {
					continue
				}
				d := newKDevice(t, p, l)
				c := d.buffers(launch)
				want := c
				want.Out, want.Merged = bytes.Clone(c.Out), bytes.Clone(c.Merged)
				if err := model.Apply(l, want, options(cell)); err != nil {
					t.Fatal(err)
				}
				if bytes.Equal(want.Out, c.Out) {
					t.Errorf("%v: the model writes nothing", launch)
				}
				for _, order := range []emu.Order{emu.Forward, emu.Reverse, emu.Interleaved} {
					if !everything() && i > 0 && order != emu.Reverse {
						continue
					}
					out, merged, stats := d.run(c, 0, true, emu.Launch{Order: order})
					if order == emu.Forward {
						nx, ny := launch.Blocks(launch.sx, launch.sy)
						windows := int64(nx * ny)
						t.Logf("%v, a window: %d wave instructions, %d products, %d cycles of LDS and %d of bank conflicts", launch,
							stats.Total()/windows, stats.WMMAs()/windows, stats.LDSAccesses/windows, stats.LDSConflicts/windows)
					}
					same(t, fmt.Sprintf("%v, %v: output", launch, order), want.Out, out)
					if l.Merge > 0 {
						same(t, fmt.Sprintf("%v, %v: merged", launch, order), want.Merged, merged)
					}
				}
			}
		})
	}
}

// TestKFrames chains eight frames: each reads what the last one wrote, with
// weights of its own. The runtime prepares when the weights' address changes, so
// weights that take the place of others go unnoticed: the kernel computes with
// the old ones. That is the risk of address keys, and it is as documented.
func TestKFrames(t *testing.T) {
	for _, cell := range cells(t, "k/dltss_pwin_enc1_layer@gfx1201") {
		l, err := layout.Find(cell.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		d := newKDevice(t, load(t, compile(t, cell)), l)
		if key := d.symbol("d4r_prep_key_offset"); key != layout.KWeightsAt {
			t.Fatalf("the key is at %d", key)
		}
		c := d.buffers(launch{Grid: layout.Grid{W: 11, H: 9}, seed: 20})
		places := []uint64{1 << 32, 1 << 33, 1 << 32, 1 << 32, 1 << 33, 1 << 34, 1 << 32, 1 << 33}
		var key uint64
		var prepared []byte
		for frame, at := range places {
			c.ShiftX, c.ShiftY = 2*frame%8, (2*frame+4)%8
			c.Weights = l.GenerateWeights(30 + uint64(frame))
			if at != key {
				prepared = c.Weights
			}
			want := c
			want.Out, want.Merged = bytes.Clone(c.Out), bytes.Clone(c.Merged)
			want.Weights = prepared
			if at == key {
				// Only what the prep kernel copies is stale.
				want.Weights = stale(t, l, prepared, c.Weights)
			}
			if err := model.Apply(l, want, options(cell)); err != nil {
				t.Fatal(err)
			}
			out, merged, _ := d.run(c, at, at != key, emu.Launch{})
			same(t, fmt.Sprintf("frame %d: output", frame), want.Out, out)
			same(t, fmt.Sprintf("frame %d: merged", frame), want.Merged, merged)
			key, c.In = at, out
		}
	}
}

// stale is what a kernel reads after weights have replaced others at the same
// address: matrices and tables of the old, which are prepared, and vectors of the
// new, which are not.
func stale(t *testing.T, l layout.Layer, before, now []byte) []byte {
	t.Helper()
	w, err := layout.KLayout(l)
	if err != nil {
		t.Fatal(err)
	}
	mixed := bytes.Clone(before)
	vectors := []layout.Field{w.G1, w.BO, w.G2, w.B2, w.MergeBias, w.UnusedBias, w.EmbedBias, w.ExpandBias, w.HeadBias}
	for _, chunk := range w.MLP {
		vectors = append(vectors, chunk.B1)
	}
	for _, f := range vectors {
		if !f.Present() {
			continue
		}
		for n := range f.Cols {
			f.Set(mixed, 0, n, f.Get(now, 0, n))
		}
	}
	return mixed
}
