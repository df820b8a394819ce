package validate_test

import (
	"testing"

	"kmx/amdgpu/emu"
	"kmx/validate/capture"
	"kmx/validate/layout"
)

// TestFaint runs layers that read tokens as they are on tokens that are nearly
// zero: what M's norm adds to the sum of squares is most of it there, and the
// squares are subnormal numbers.
func TestFaint(t *testing.T) {
	for _, cell := range mCells(t, "m/rrlite_enc1_4x4+numerics=*+fp8=*,m/rrlite_enc3_tube_4x4+numerics=*+fp8=*,k/dltss_pwin_enc2_layer+numerics=*,k/dltss_pwin_enc3_layer") {
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
			launch, err := capture.Generate(l, capture.Case{Name: "faint", Grid: layout.Grid{W: 9, H: 8}, Seed: 9, Faint: true})
			if err != nil {
				t.Fatal(err)
			}
			ran, err := capture.Replay(t.Context(), object, launch, capture.ReplayOptions{Objdump: objdump})
			if err != nil {
				t.Fatal(err)
			}
			want, err := capture.Model(launch, options(cell))
			if err != nil {
				t.Fatal(err)
			}
			r, err := capture.Compare(want, ran.After)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Equal() || r.Outputs[0].ReferenceNaN > 0 {
				t.Error(r)
			}
		})
	}
}
