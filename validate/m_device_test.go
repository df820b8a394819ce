package validate_test

import (
	"bytes"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// mDevice runs one M layer.
type mDevice struct {
	device
	key uint64 // of the weights prepared last
}

func newMDevice(t *testing.T, p *emu.Program, l layout.Layer) *mDevice {
	return &mDevice{device: newDevice(t, p, l)}
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
	p := layout.MParams{W: int32(c.Grid.W), H: int32(c.Grid.H), ShiftX: int32(c.ShiftX), ShiftY: int32(c.ShiftY),
		BoundX: c.boundX, BoundY: c.boundY, DX: c.dx, DY: c.dy}
	p.Weights = d.input("weights", c.weightsAt, c.Weights)
	p.In, p.Skip = d.input("in", 0, c.In), d.input("skip", 0, c.Skip)
	p.Out, p.Merged = d.output("out", c.Out), d.output("merged", c.Merged)
	p.InFlags, p.OutFlags = d.input("in flags", 0, c.inFlags), d.output("out flags", c.outFlags)
	e.Args = p.Encode(d.layer.Tube)

	if keyed := d.symbol("d4r_prep_key_at") == 1; !keyed || p.Weights != d.key {
		d.prepare(e)
		d.key = p.Weights
	}
	nx, ny := c.Grid.Blocks(c.ShiftX, c.ShiftY)
	return d.launch(e, nx, ny)
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
