// Package emulated runs cases of the package emittest, and kernels made of them,
// on the emulator: it puts their buffers and images into a GPU's memory as a runtime
// would, launches an object's kernel and hands back what is there then. Tests of the
// emitter and of the texture kernels use it.
//
// Invariant: a parameter stands where the PTX has it, and a buffer has not a byte
// more than its contents, so that accesses beyond it are faults.
//
// What does not belong here: making objects, and judging what they store.
package emulated

import (
	"context"
	"encoding/binary"
	"fmt"

	"kmx/amdgpu/emu"
	"kmx/cuda/ptx"
	"kmx/emit/emittest"
)

// Device is the memory of a GPU.
type Device struct {
	*emu.Memory
	Target string // "gfx1201"
}

// NewDevice is a GPU with nothing in its memory.
func NewDevice(target string) Device { return Device{emu.NewMemory(), target} }

// Launch is one launch of a case.
type Launch struct {
	Program *emu.Program
	Entry   *ptx.Function // as the program was made of it
	Case    emittest.Case
	// Contents is what parameters hold before, by name, instead of what the case
	// says: a buffer of any size, all texels of an image.
	Contents map[string][]byte
	// Prepare is the number of blocks of the kernel NAME_prep, which runs before
	// with the same parameters; 0: there is none.
	Prepare int

	Order              emu.Order
	CheckUninitialised bool
}

// blockThreads is the size of a preparation kernel's blocks.
const blockThreads = 128

// Run launches it, one work-group at a time, and gives what each parameter holds
// then: bytes of a buffer, texels of an image without padding, nil for a value.
func (d Device) Run(ctx context.Context, l Launch) ([][]byte, error) {
	c := l.Case
	out := make([][]byte, len(c.Params))
	pictures := make([]Picture, len(c.Params))
	handles := make([]uint64, len(c.Params))
	for i, p := range c.Params {
		data := c.Start(i)
		if other, ok := l.Contents[p.Name]; ok {
			data = append([]byte(nil), other...)
		}
		var err error
		switch p.Kind {
		case emittest.Buffer:
			out[i] = data
			handles[i], err = d.Map(p.Name, 0, data)
		case emittest.Texture, emittest.Surface:
			pictures[i], err = d.Picture(p, data)
			handles[i] = pictures[i].Handle
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	args := c.Arguments(func(i int) uint64 { return handles[i] })
	if len(args) != len(l.Entry.Params) {
		return nil, fmt.Errorf("%s: %d arguments for %d parameters", c.Name, len(args), len(l.Entry.Params))
	}
	block := make([]byte, l.Entry.ParameterBytes())
	for i, a := range args {
		copy(block[l.Entry.Params[i].Offset:], a)
	}
	launch := emu.Launch{Kernel: c.Name, Args: block, MaxInstructions: 20_000_000, Workers: 1, Order: l.Order, CheckUninitialised: l.CheckUninitialised}
	for i := range 3 {
		launch.Grid[i], launch.Block[i] = uint32(max(c.Grid[i], 1)), uint32(max(c.Block[i], 1))
	}
	if l.Prepare > 0 {
		prep := emu.Launch{Kernel: c.Name + "_prep", Args: block, Grid: [3]uint32{uint32(l.Prepare)}, Block: [3]uint32{blockThreads}, Workers: 1}
		if _, err := l.Program.Launch(ctx, d.Memory, prep); err != nil {
			return nil, fmt.Errorf("%s: %w", prep.Kernel, err)
		}
	}
	if _, err := l.Program.Launch(ctx, d.Memory, launch); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	for i, p := range c.Params {
		if p.Kind == emittest.Texture || p.Kind == emittest.Surface {
			out[i] = pictures[i].texels()
		}
	}
	return out, nil
}

// words are dwords as they lie in memory.
func words(list []uint32) []byte {
	b := make([]byte, 0, 4*len(list))
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}
