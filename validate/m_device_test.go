package validate_test

import (
	"bytes"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// mDevice is an address space with the object of one M layer. Buffers have the
// size that the layer needs and not a byte more: the emulator faults on what is
// read or written beyond.
type mDevice struct {
	*testing.T
	program *emu.Program
	memory  *emu.Memory
	layer   layout.Layer
	key     uint64 // of the weights prepared last
}

func newMDevice(t *testing.T, p *emu.Program, l layout.Layer) *mDevice {
	return &mDevice{T: t, program: p, memory: emu.NewMemory(), layer: l}
}

func (d *mDevice) symbol(name string) uint32 {
	d.Helper()
	v, ok := d.program.Symbol(name)
	if !ok {
		d.Fatalf("the object has no %s", name)
	}
	return v
}

// mCall is a launch of a layer with its buffers on the host; flags are the
// tube's.
type mCall struct {
	model.Call
	weightsAt         uint64 // 0: the emulator's choice
	inFlags, outFlags []byte
	boundX, boundY    int32
	dx, dy            int32
}

// generated is a call with seeded weights and tokens, and outputs that hold
// 0xa5.
func (d *mDevice) generated(l launch) mCall {
	weights, tokens := d.layer.GenerateWeights, d.layer.GenerateTokens
	if l.stress {
		weights, tokens = d.layer.StressWeights, d.layer.StressTokens
	}
	c := model.Call{Grid: l.Grid, ShiftX: l.sx, ShiftY: l.sy, Weights: weights(l.seed)}
	if d.layer.Decoder() {
		c.In, c.Skip = tokens(l.seed+1, l.Half(), d.layer.Low), tokens(l.seed+2, l.Grid, d.layer.C)
	} else {
		c.In = tokens(l.seed+1, l.Grid, d.layer.C)
	}
	return mCall{Call: d.outputs(c)}
}

// outputs gives a call outputs of its own.
func (d *mDevice) outputs(c model.Call) model.Call {
	c.Out = bytes.Repeat([]byte{0xa5}, layout.MBytes(c.Grid, d.layer.C))
	c.Merged = bytes.Repeat([]byte{0xa5}, layout.MBytes(c.Grid.Half(), d.layer.Merge))
	return c
}

// expected is what the model writes for a call.
func (d *mDevice) expected(c mCall, o model.Options) model.Call {
	d.Helper()
	want := d.outputs(c.Call)
	if err := model.Apply(d.layer, want, o); err != nil {
		d.Fatal(err)
	}
	return want
}

// run launches the kernel into the call's outputs, after the prep kernel where
// the hook's values ask for it: without a key always, else when the address of
// the weights differs from the last one.
func (d *mDevice) run(c mCall, e emu.Launch) *emu.Stats {
	d.Helper()
	var mapped []uint64
	put := func(name string, at uint64, data []byte, readOnly bool) uint64 {
		if len(data) == 0 {
			return 0
		}
		place := d.memory.Map
		if readOnly {
			place = d.memory.MapReadOnly
		}
		at, err := place(name, at, data)
		if err != nil {
			d.Fatal(err)
		}
		mapped = append(mapped, at)
		return at
	}
	p := layout.MParams{W: int32(c.Grid.W), H: int32(c.Grid.H), ShiftX: int32(c.ShiftX), ShiftY: int32(c.ShiftY),
		BoundX: c.boundX, BoundY: c.boundY, DX: c.dx, DY: c.dy}
	p.Weights = put("weights", c.weightsAt, c.Weights, true)
	p.In, p.Skip = put("in", 0, c.In, true), put("skip", 0, c.Skip, true)
	p.Out, p.Merged = put("out", 0, c.Out, false), put("merged", 0, c.Merged, false)
	p.InFlags, p.OutFlags = put("in flags", 0, c.inFlags, true), put("out flags", 0, c.outFlags, false)
	e.Args = p.Encode(d.layer.Tube)

	if keyed := d.symbol("d4r_prep_key_at") == 1; !keyed || p.Weights != d.key {
		prep := e
		prep.Kernel, prep.Grid, prep.Block = d.layer.Name+"_prep", [3]uint32{d.symbol("d4r_prep_blocks")}, [3]uint32{128}
		if _, err := d.program.Launch(d.Context(), d.memory, prep); err != nil {
			d.Fatalf("prep: %v", err)
		}
		d.key = p.Weights
	}
	nx, ny := c.Grid.Blocks(c.ShiftX, c.ShiftY)
	e.Kernel, e.Grid = d.layer.Name, [3]uint32{uint32(nx), uint32(ny)}
	e.Block = [3]uint32{32, 1, d.symbol("d4r_block_z")}
	e.CheckUninitialised = true
	stats, err := d.program.Launch(d.Context(), d.memory, e)
	if err != nil {
		d.Fatal(err)
	}
	for _, at := range mapped {
		if err := d.memory.Unmap(at); err != nil {
			d.Fatal(err)
		}
	}
	return stats
}

// agrees fails the test where outputs are not the model's, to the last bit.
func (d *mDevice) agrees(what string, want model.Call, got mCall) {
	d.Helper()
	for _, o := range []struct {
		name      string
		want, got []byte
	}{{"output", want.Out, got.Out}, {"merged", want.Merged, got.Merged}} {
		diff, err := model.Compare(layout.M, o.want, o.got)
		if err != nil {
			d.Fatal(err)
		}
		if diff.Equal != diff.Values {
			d.Errorf("%s: %s: %v", what, o.name, diff)
		}
	}
}
