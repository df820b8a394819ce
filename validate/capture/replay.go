package capture

import (
	"context"
	"fmt"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/emu"
)

// ReplayOptions choose how a replay deviates from what the runtime does.
type ReplayOptions struct {
	Objdump string // of emu.FindObjdump
	// NoPrep leaves the prep kernel out.
	NoPrep bool
	// GridX and GridY replace the sizes of the grid when they are not 0, to run
	// a part of a large launch.
	GridX, GridY uint32
	Order        emu.Order
	ULP, Workers int
	Poison       uint32
	// MaxInstructions and CheckUninitialised are the emulator's (emu.Launch).
	MaxInstructions    int64
	CheckUninitialised bool
}

// Replayed is what a launch left.
type Replayed struct {
	After    *Capture // the capture with the memory as it is now
	Target   string
	Hook     Hook
	Prepared bool
	Prep     *emu.Stats // nil when it did not run
	Stats    *emu.Stats
}

// Device runs the launches of one code object one after the other, as a process
// does: the object's variables and the prep keys live on between them.
type Device struct {
	Hook
	program *emu.Program
	memory  *emu.Memory
	state   PrepState
	options ReplayOptions
}

// NewDevice loads an object for one of its kernels.
func NewDevice(ctx context.Context, object []byte, kernel string, o ReplayOptions) (*Device, error) {
	parsed, err := codeobj.Read(object)
	if err != nil {
		return nil, err
	}
	hook, err := HookOf(parsed, kernel)
	if err != nil {
		return nil, err
	}
	p, err := emu.Load(ctx, object, o.Objdump)
	if err != nil {
		return nil, err
	}
	return &Device{Hook: hook, program: p, memory: emu.NewMemory(), options: o}, nil
}

// Launch runs a captured launch. The capture stays as it is.
func (d *Device) Launch(ctx context.Context, c *Capture) (*Replayed, error) {
	if err := c.Unreplayable(); err != nil {
		return nil, err
	}
	if c.Kernel != d.Kernel {
		return nil, fmt.Errorf("the capture is of %s, not of %s", c.Kernel, d.Kernel)
	}
	r := &Replayed{After: c.Clone(), Target: d.program.Target(), Hook: d.Hook}
	for _, a := range r.After.Allocations {
		if len(a.Data) == 0 {
			continue
		}
		at, err := d.memory.Map(allocationName(a.Number), a.Base, a.Data)
		if err != nil {
			return nil, fmt.Errorf("allocation %d: %w", a.Number, err)
		}
		defer func() { _ = d.memory.Unmap(at) }()
	}
	run, err := d.Prepares(&d.state, c.Args)
	if err != nil {
		return nil, err
	}
	if r.Prepared = run && !d.options.NoPrep; r.Prepared {
		if r.Prep, err = d.launch(ctx, c, d.Kernel+"_prep", [3]uint32{d.PrepBlocks, 1, 1}, [3]uint32{PrepThreads, 1, 1}); err != nil {
			return nil, err
		}
	}
	grid, block := d.Shape(c.Grid, c.Block)
	if d.options.GridX != 0 {
		grid[0] = d.options.GridX
	}
	if d.options.GridY != 0 {
		grid[1] = d.options.GridY
	}
	if r.Stats, err = d.launch(ctx, c, d.Kernel, grid, block); err != nil {
		return nil, err
	}
	return r, nil
}

func (d *Device) launch(ctx context.Context, c *Capture, kernel string, grid, block [3]uint32) (*emu.Stats, error) {
	return d.program.Launch(ctx, d.memory, emu.Launch{
		Kernel: kernel, Grid: grid, Block: block, Args: c.Args, DynamicLDS: int(c.SharedBytes),
		Order: d.options.Order, ULP: d.options.ULP, Workers: d.options.Workers, Poison: d.options.Poison,
		MaxInstructions: d.options.MaxInstructions, CheckUninitialised: d.options.CheckUninitialised,
	})
}

// Replay runs a capture once on a fresh device.
func Replay(ctx context.Context, object []byte, c *Capture, o ReplayOptions) (*Replayed, error) {
	if err := c.Unreplayable(); err != nil {
		return nil, err
	}
	d, err := NewDevice(ctx, object, c.Kernel, o)
	if err != nil {
		return nil, err
	}
	return d.Launch(ctx, c)
}
