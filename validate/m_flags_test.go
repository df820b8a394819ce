package validate_test

import (
	"errors"
	"fmt"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/validate/capture"
	"kmx/validate/layout"
)

// TestMTubeWaits holds that the tube waits for the flags that it has to wait for.
// With one of them down, the work-groups that wait for it, at its own place and
// right and below of it, go on asking: the first of them in either order of
// work-groups runs until the emulator stops it, and none before it does.
func TestMTubeWaits(t *testing.T) {
	for _, cell := range mCells(t, "m/rrlite_enc3_tube_4x4@gfx1101,m/rrlite_enc3_tube_4x4@gfx1201+fp8") {
		t.Run(cell.Address(), func(t *testing.T) {
			t.Parallel()
			l, err := layout.Find(cell.Kernel)
			if err != nil {
				t.Fatal(err)
			}
			object := compile(t, cell)
			objdump, err := emu.FindObjdump()
			if err != nil {
				t.Skip(err)
			}
			launch, err := capture.Generate(l, capture.Case{Name: "a flag down", Grid: layout.Grid{W: 24, H: 16}, ShiftX: 2, ShiftY: 2, Seed: 8, Flags: true})
			if err != nil {
				t.Fatal(err)
			}
			p, err := layout.DecodeMParams(launch.Args, true)
			if err != nil {
				t.Fatal(err)
			}
			nx, ny := int(p.BoundX), int(p.BoundY)
			for _, at := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {nx - 1, ny - 1}} {
				down := launch.Clone()
				flag, err := down.Read(p.InFlags+uint64(layout.FlagOffset(at[0], at[1], nx)), 1)
				if err != nil {
					t.Fatal(err)
				}
				flag[0] = 0
				first := [3]uint32{uint32(at[0]), uint32(at[1])}
				last := [3]uint32{uint32(min(at[0]+1, nx-1)), uint32(min(at[1]+1, ny-1))}
				for order, want := range [][3]uint32{emu.Forward: first, emu.Reverse: last} {
					what := fmt.Sprintf("flag %v down, %v", at, emu.Order(order))
					_, err := capture.Replay(t.Context(), object, down, capture.ReplayOptions{Objdump: objdump, Order: emu.Order(order), Workers: 1, MaxInstructions: 1e6})
					var fault *emu.Fault
					if !errors.As(err, &fault) || fault.Kind != emu.EndlessLoop || fault.Block != want {
						t.Errorf("%s: work-group %v should wait: %v", what, want, err)
					}
				}
			}
		})
	}
}
