package validate_test

import (
	"bytes"
	"fmt"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/matrix"
	"kmx/validate/layout"
)

// mLaunches have borders on all sides, odd sizes, shifts, several windows each
// way, and grids smaller than a window.
var mLaunches = []launch{
	{layout.Grid{W: 13, H: 17}, 2, 2, 1, false},
	{layout.Grid{W: 17, H: 9}, 6, 4, 2, true},
	{layout.Grid{W: 8, H: 8}, 0, 0, 3, false},
	{layout.Grid{W: 24, H: 16}, 0, 2, 4, false},
	{layout.Grid{W: 11, H: 23}, 4, 6, 5, false},
	{layout.Grid{W: 16, H: 16}, 2, 0, 6, true},
	{layout.Grid{W: 3, H: 5}, 2, 4, 7, false},
	{layout.Grid{W: 2, H: 2}, 4, 6, 8, false},
}

// mCells are the cells of M that a test runs: gfx1101 and gfx1201, or all.
func mCells(t *testing.T, selector string) []*matrix.Cell {
	var list []*matrix.Cell
	for _, cell := range cells(t, selector) {
		if everything() || cell.Target.Name == "gfx1101" || cell.Target.Name == "gfx1201" {
			list = append(list, cell)
		}
	}
	return list
}

// TestM runs the object of every M layer on the emulator and compares it with the
// model in the build's own mode: they agree to the last bit, in every order of
// waves. By default gfx1101 and gfx1201 run one launch each and every second build
// another; KMX_TEST_ALL=1 runs all six GPUs and all launches.
func TestM(t *testing.T) {
	builds := 0
	for _, cell := range mCells(t, "m+numerics=*+fp8=*") {
		l, err := layout.Find(cell.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		if brief(cell) {
			continue
		}
		count := 1 + builds%2
		if everything() {
			count = len(mLaunches)
		}
		builds++
		t.Run(cell.Address(), func(t *testing.T) {
			t.Parallel()
			p := load(t, compile(t, cell))
			for i, launch := range mLaunches[:count] {
				d := newMDevice(t, p, l)
				c := d.generated(launch)
				want := d.expected(c, options(cell))
				if bytes.Equal(want.Out, c.Out) {
					t.Errorf("%v: the model writes nothing", launch)
				}
				for _, order := range []emu.Order{emu.Forward, emu.Reverse, emu.Interleaved} {
					if !everything() && i > 0 && order != emu.Reverse {
						continue
					}
					got := c
					got.Call = d.outputs(c.Call)
					stats := d.run(got, emu.Launch{Order: order})
					d.agrees(fmt.Sprintf("%v, %v", launch, order), want, got)
					if order == emu.Forward {
						nx, ny := launch.Blocks(launch.sx, launch.sy)
						blocks := int64(nx * ny)
						t.Logf("%v, a block: %d wave instructions, %d products, %d cycles of LDS and %d of bank conflicts", launch,
							stats.Total()/blocks, stats.WMMAs()/blocks, stats.LDSAccesses/blocks, stats.LDSConflicts/blocks)
					}
				}
			}
		})
	}
}

// network is the five objects of one build, each with its address space.
type network map[string]*mDevice

func newNetwork(t *testing.T, axes string) (network, *matrix.Cell) {
	n := network{}
	var last *matrix.Cell
	for _, cell := range cells(t, "m"+axes) {
		l, err := layout.Find(cell.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		n[l.Short], last = newMDevice(t, load(t, compile(t, cell)), l), cell
	}
	return n, last
}

// TestMFrames chains eight frames of the whole network: each layer reads what the
// one before it wrote, the next frame what the last one left. Addresses of weights
// are recycled: in every second frame each layer's weights lie where another's
// have been. The tube runs six times a frame with weights of its own in turn at
// two addresses, and with flags.
func TestMFrames(t *testing.T) {
	builds := []string{"@gfx1101", "@gfx1201+fp8"}
	if everything() {
		builds = []string{"@gfx1101", "@gfx1101+accuracy", "@gfx1201", "@gfx1201+accuracy", "@gfx1201+fp8", "@gfx1201+fp8+accuracy"}
	}
	if testing.Short() {
		builds = nil // TestM has shown the race detector what there is
	}
	for _, build := range builds {
		t.Run(build, func(t *testing.T) {
			t.Parallel()
			n, cell := newNetwork(t, build)
			grids := map[string]layout.Grid{"enc1": {W: 18, H: 14}, "enc2": {W: 9, H: 7}, "enc3_tube": {W: 4, H: 3}}
			grids["dec1"], grids["dec2"] = grids["enc1"], grids["enc2"]
			names := []string{"enc1", "enc2", "enc3_tube", "dec2", "dec1"}
			first := n["enc1"].layer.GenerateTokens(50, grids["enc1"], 64)
			for frame := range 8 {
				step := func(name string, shift int, at uint64, seed uint64, in, skip []byte, flags *tubeFlags) mCall {
					d := n[name]
					c := mCall{weightsAt: at}
					c.Grid, c.ShiftX, c.ShiftY, c.In, c.Skip = grids[name], shift, shift, in, skip
					c.Weights = d.layer.GenerateWeights(seed)
					c.Call = d.outputs(c.Call)
					flags.before(&c)
					want := d.expected(c, options(cell))
					d.run(c, emu.Launch{Order: emu.Order(frame % 3)})
					d.agrees(fmt.Sprintf("frame %d, %s, shift %d", frame, name, shift), want, c)
					flags.after(t, c)
					return c
				}
				place := func(layer int) uint64 { return uint64(1+(layer+frame/2)%len(names)) << 32 }
				enc1 := step(names[0], 2, place(0), 60, first, nil, nil)
				enc2 := step(names[1], 2, place(1), 61, enc1.Merged, nil, nil)
				x := enc2.Merged
				flags := &tubeFlags{}
				for i := range 6 {
					seed := uint64(70 + 6*frame + i)
					x = step(names[2], 2-i%2*2, place(2)+uint64(i%2)<<30, seed, x, nil, flags).Out
				}
				dec2 := step(names[3], 0, place(3), 63, x, enc2.Out, nil)
				first = step(names[4], 0, place(4), 64, dec2.Out, enc1.Out, nil).Out
			}
		})
	}
}

// TestMTubeGivesUp holds that the tube goes on without a flag that is never
// raised, and computes what it computes.
func TestMTubeGivesUp(t *testing.T) {
	if !everything() {
		t.Skip("4 million looks at a flag; KMX_TEST_ALL=1 runs them")
	}
	for _, cell := range cells(t, "m/rrlite_enc3_tube_4x4@gfx1101") {
		l, err := layout.Find(cell.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		d := newMDevice(t, load(t, compile(t, cell)), l)
		c := d.generated(launch{Grid: layout.Grid{W: 8, H: 8}, seed: 90})
		c.inFlags, c.boundX, c.boundY = make([]byte, layout.FlagStride), 1, 1
		want := d.expected(c, options(cell))
		stats := d.run(c, emu.Launch{})
		d.agrees("without the flag", want, c)
		if stats.Total() < 1<<22 {
			t.Errorf("%d wave instructions: it has not waited", stats.Total())
		}
	}
}

// tubeFlags carries the flags of one launch of the tube to the next; nil for
// other layers.
type tubeFlags struct {
	last   []byte
	nx, ny int
}

func (f *tubeFlags) before(c *mCall) {
	if f == nil {
		return
	}
	// Windows of a shifted launch reach into the block before, those of an
	// unshifted one into the block after.
	c.inFlags, c.boundX, c.boundY = f.last, int32(f.nx), int32(f.ny)
	if c.ShiftX > 0 {
		c.dx, c.dy = -1, -1
	}
	f.nx, f.ny = c.Grid.Blocks(c.ShiftX, c.ShiftY)
	c.outFlags = bytes.Repeat([]byte{0}, layout.FlagOffset(f.nx-1, f.ny-1, f.nx)+layout.FlagStride)
}

func (f *tubeFlags) after(t *testing.T, c mCall) {
	t.Helper()
	if f == nil {
		return
	}
	want := make([]byte, len(c.outFlags))
	for y := range f.ny {
		for x := range f.nx {
			want[layout.FlagOffset(x, y, f.nx)] = 1
		}
	}
	if !bytes.Equal(want, c.outFlags) {
		t.Errorf("flags: want %v, got %v", want, c.outFlags)
	}
	f.last = c.outFlags
}
