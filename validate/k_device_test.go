package validate_test

import (
	"bytes"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// kDevice is an address space with the buffers of one K layer. Every buffer has
// the size the layer needs and not a byte more: the emulator faults on what is
// read or written beyond.
type kDevice struct {
	*testing.T
	program *emu.Program
	memory  *emu.Memory
	layer   layout.Layer
}

func newKDevice(t *testing.T, p *emu.Program, l layout.Layer) *kDevice {
	return &kDevice{t, p, emu.NewMemory(), l}
}

func (d *kDevice) symbol(name string) uint32 {
	d.Helper()
	v, ok := d.program.Symbol(name)
	if !ok {
		d.Fatalf("the object has no %s", name)
	}
	return v
}

// kBuffers are a launch's inputs and outputs, on the host and for the model.
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
	p := layout.KParams{W: int32(c.Grid.W), H: int32(c.Grid.H), ShiftX: int32(c.ShiftX), ShiftY: int32(c.ShiftY)}
	p.Weights = put("weights", weights, c.Weights, true)
	p.In, p.Skip = put("in", 0, c.In, true), put("skip", 0, c.Skip, true)
	full := put("output", 0, out, false)
	if d.layer.Merge > 0 {
		p.Full, p.Out = full, put("merged", 0, merged, false)
	} else {
		p.Out = full
	}
	e.Args = p.Encode()
	if prep {
		e := e
		e.Kernel, e.Grid, e.Block = d.layer.Name+"_prep", [3]uint32{d.symbol("d4r_prep_blocks")}, [3]uint32{128}
		if _, err := d.program.Launch(d.Context(), d.memory, e); err != nil {
			d.Fatalf("prep: %v", err)
		}
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
	return out, merged, stats
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
