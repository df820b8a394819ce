package validate_test

import (
	"testing"

	"kmx/amdgpu/emu"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// TestMVariants runs the builds of M that join no set. In which lanes and in which
// order of tokens a layer works, and with how many waves a window, changes no
// byte. The order of channels and the place where a sum is rounded may, rarely: at
// least 98 of 100 values must be the model's.
func TestMVariants(t *testing.T) {
	for _, cell := range mCells(t, "m+numerics=*+fp8=*+variant=*") {
		variant, ok := cell.Axis("variant")
		if !ok || variant.Text == "" {
			continue
		}
		l, err := layout.Find(cell.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		// By default dec1, fast where there is a choice.
		numerics, _ := cell.Axis("numerics")
		if !everything() && (l.Short != "dec1" || numerics.Text == "accuracy" && variant.Text != "k32_mix") {
			continue
		}
		if brief(cell) {
			continue
		}
		t.Run(cell.Address(), func(t *testing.T) {
			t.Parallel()
			d := newMDevice(t, load(t, compile(t, cell)), l)
			c := d.generated(mLaunches[0])
			want := d.expected(c, options(cell))
			d.run(c, emu.Launch{Order: emu.Reverse})
			if variant.Text != "natural_order" && variant.Text != "k32_mix" {
				d.agrees(variant.Text, want, c)
				return
			}
			diff, err := model.Compare(layout.M, want.Out, c.Out)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(diff)
			if float64(diff.Equal) < 0.98*float64(diff.Values) {
				t.Errorf("%s: %v", variant.Text, diff)
			}
		})
	}
}
