package main

import (
	"context"
	"errors"
	"fmt"

	"kmx/amdgpu/emu"
	"kmx/validate/capture"
	"kmx/validate/layout"
)

// polling is more instructions than a wave of the tube runs that does not wait.
const polling = 1_000_000

// waits holds that the tube waits for the flags that it has to wait for: with one
// of them down, the first work-group that waits for it, and in the other order the
// last one, run until the emulator stops them.
func (c *court) waits(ctx context.Context, l layout.Layer, object []byte) (verdict, error) {
	k := capture.Case{Name: "a flag down", Grid: layout.Grid{W: 24, H: 16}, ShiftX: 2, ShiftY: 2, Seed: 8, Flags: true}
	launch, err := capture.Generate(l, k)
	if err != nil {
		return verdict{}, err
	}
	p, err := layout.DecodeMParams(launch.Args, true)
	if err != nil {
		return verdict{}, err
	}
	nx, ny := int(p.BoundX), int(p.BoundY)
	for _, at := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {nx - 1, ny - 1}} {
		down := launch.Clone()
		flag, err := down.Read(p.InFlags+uint64(layout.FlagOffset(at[0], at[1], nx)), 1)
		if err != nil {
			return verdict{}, err
		}
		flag[0] = 0
		// A work-group waits for its own place and those left and above of it.
		first := [3]uint32{uint32(at[0]), uint32(at[1]), 0}
		last := [3]uint32{uint32(min(at[0]+1, nx-1)), uint32(min(at[1]+1, ny-1)), 0}
		for order, block := range [][3]uint32{emu.Forward: first, emu.Reverse: last} {
			s := step{Case: k, order: emu.Order(order)}
			_, err := capture.Replay(ctx, object, down, capture.ReplayOptions{Objdump: c.objdump, Order: s.order, Workers: 1,
				MaxInstructions: polling, CheckUninitialised: true})
			var fault *emu.Fault
			switch {
			case ctx.Err() != nil:
				return verdict{}, ctx.Err()
			case err == nil:
				return verdict{true, "bytes", fmt.Sprintf("%v: nobody waits for flag %v", s, at)}, nil
			case errors.As(err, &fault) && fault.Kind == emu.EndlessLoop && fault.Block == block:
			default:
				return verdict{true, "emulator", fmt.Sprintf("%v: flag %v: %v", s, at, err)}, nil
			}
		}
	}
	return verdict{}, nil
}
