package validate_test

import (
	"testing"

	"kmx/amdgpu/emu"
	"kmx/validate/layout"
)

// device is an address space with the object of one layer. Buffers have the size
// that the layer needs and not a byte more: the emulator faults on what is read
// or written beyond.
type device struct {
	*testing.T
	program *emu.Program
	memory  *emu.Memory
	layer   layout.Layer
	mapped  []uint64
}

func newDevice(t *testing.T, p *emu.Program, l layout.Layer) device {
	return device{T: t, program: p, memory: emu.NewMemory(), layer: l}
}

func (d *device) symbol(name string) uint32 {
	d.Helper()
	v, ok := d.program.Symbol(name)
	if !ok {
		d.Fatalf("the object has no %s", name)
	}
	return v
}

// input maps data that must not be written, at an address or, for 0, anywhere;
// no data is the address 0.
func (d *device) input(name string, at uint64, data []byte) uint64 {
	d.Helper()
	return d.put(d.memory.MapReadOnly, name, at, data)
}

// output maps data that may be written.
func (d *device) output(name string, data []byte) uint64 {
	d.Helper()
	return d.put(d.memory.Map, name, 0, data)
}

func (d *device) put(place func(string, uint64, []byte) (uint64, error), name string, at uint64, data []byte) uint64 {
	d.Helper()
	if len(data) == 0 {
		return 0
	}
	at, err := place(name, at, data)
	if err != nil {
		d.Fatal(err)
	}
	d.mapped = append(d.mapped, at)
	return at
}

// prepare runs the prep kernel with the parameters of e.
func (d *device) prepare(e emu.Launch) {
	d.Helper()
	e.Kernel, e.Grid, e.Block = d.layer.Name+"_prep", [3]uint32{d.symbol("d4r_prep_blocks")}, [3]uint32{128}
	if _, err := d.program.Launch(d.Context(), d.memory, e); err != nil {
		d.Fatalf("prep: %v", err)
	}
}

// launch runs the kernel over so many work-groups with the parameters of e, and
// unmaps its buffers.
func (d *device) launch(e emu.Launch, nx, ny int) *emu.Stats {
	d.Helper()
	e.Kernel, e.Grid = d.layer.Name, [3]uint32{uint32(nx), uint32(ny)}
	e.Block = [3]uint32{32, 1, d.symbol("d4r_block_z")}
	e.CheckUninitialised = true
	stats, err := d.program.Launch(d.Context(), d.memory, e)
	if err != nil {
		d.Fatal(err)
	}
	for _, at := range d.mapped {
		if err := d.memory.Unmap(at); err != nil {
			d.Fatal(err)
		}
	}
	d.mapped = nil
	return stats
}
