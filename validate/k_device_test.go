package validate_test

import (
	"bytes"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// kDevice runs one K layer.
type kDevice struct{ device }

func newKDevice(t *testing.T, p *emu.Program, l layout.Layer) *kDevice {
	return &kDevice{newDevice(t, p, l)}
}

// buffers are a launch's inputs and outputs, on the host and for the model.
func (d *kDevice) buffers(l launch) model.Call {
	weights, tokens := d.layer.GenerateWeights, d.layer.GenerateTokens
	if l.stress {
		weights, tokens = d.layer.StressWeights, d.layer.StressTokens
	}
	c := model.Call{Grid: l.Grid, ShiftX: l.sx, ShiftY: l.sy, Weights: weights(l.seed)}
	out := d.layer.C
	switch {
	case d.layer.Decoder():
		c.In, c.Skip = tokens(l.seed+1, l.Half(), d.layer.Low), tokens(l.seed+2, l.Grid, d.layer.C)
	case d.layer.Embed > 0:
		c.In = tokens(l.seed+1, l.Grid, d.layer.Embed)
	default:
		c.In = tokens(l.seed+1, l.Grid, d.layer.C)
	}
	if d.layer.Head > 0 {
		out = d.layer.Head
	}
	c.Out = bytes.Repeat([]byte{0xa5}, layout.KBytes(l.Grid, out))
	c.Merged = bytes.Repeat([]byte{0xa5}, layout.KBytes(l.Half(), d.layer.Merge))
	return c
}

// run launches the kernel on copies of the outputs of c and returns them; prep
// says whether the prep kernel runs first. weights is the address of the weights,
// 0 for the emulator's choice.
func (d *kDevice) run(c model.Call, weights uint64, prep bool, e emu.Launch) (out, merged []byte, stats *emu.Stats) {
	d.Helper()
	out, merged = bytes.Clone(c.Out), bytes.Clone(c.Merged)
	p := layout.KParams{W: int32(c.Grid.W), H: int32(c.Grid.H), ShiftX: int32(c.ShiftX), ShiftY: int32(c.ShiftY)}
	p.Weights = d.input("weights", weights, c.Weights)
	p.In, p.Skip = d.input("in", 0, c.In), d.input("skip", 0, c.Skip)
	full := d.output("output", out)
	if d.layer.Merge > 0 {
		p.Full, p.Out = full, d.output("merged", merged)
	} else {
		p.Out = full
	}
	e.Args = p.Encode()
	if prep {
		d.prepare(e)
	}
	nx, ny := c.Grid.Blocks(c.ShiftX, c.ShiftY)
	return out, merged, d.launch(e, nx, ny)
}

// same fails the test where a result is not the model's, to the last bit.
func same(t *testing.T, what string, want, got []byte) {
	t.Helper()
	d, err := model.Compare(layout.K, want, got)
	if err != nil {
		t.Fatal(err)
	}
	if d.Equal != d.Values {
		t.Errorf("%s: %v", what, d)
	}
}
