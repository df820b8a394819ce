package validate_test

import (
	"bytes"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/validate/layout"
)

// TestKLayout holds that no source depends on a register layout: a gfx11 build
// that computes in the layout of gfx12 writes the bytes of the usual build.
func TestKLayout(t *testing.T) {
	for _, cell := range cells(t, "k@gfx11+numerics=*+shim12") {
		name := cell.Kernel + "@" + cell.Target.Name
		numerics, _ := cell.Axis("numerics")
		// By default one layer with attention by position and one with learned.
		if !everything() && (numerics.Text != "fast" || name != "dltss_pwin_enc0_layer@gfx1101" && name != "dltss_pwin_dec1_layer@gfx1101") {
			continue
		}
		if brief(cell) {
			continue
		}
		t.Run(cell.Address(), func(t *testing.T) {
			t.Parallel()
			l, err := layout.Find(cell.Kernel)
			if err != nil {
				t.Fatal(err)
			}
			usual := cells(t, "k/"+name+"+"+numerics.Text)
			a, b := newKDevice(t, load(t, compile(t, usual[0])), l), newKDevice(t, load(t, compile(t, cell)), l)
			c := a.buffers(launches[1])
			outA, mergedA, _ := a.run(c, 0, true, emu.Launch{})
			outB, mergedB, _ := b.run(c, 0, true, emu.Launch{})
			same(t, "output", outA, outB)
			same(t, "merged", mergedA, mergedB)
		})
	}
}

// TestKWave64 holds that preparing weights does not depend on the wave size.
func TestKWave64(t *testing.T) {
	images := map[string][]byte{}
	for _, cell := range cells(t, "k/k_prepare@gfx1101+variant=*,k/k_prepare@gfx1201+variant=*") {
		l, err := layout.Find("k/enc2")
		if err != nil {
			t.Fatal(err)
		}
		p := load(t, compile(t, cell))
		memory := emu.NewMemory()
		weights := l.GenerateWeights(40)
		image := make([]byte, 512*(288+16*l.Heads))
		var params layout.KParams
		if params.Weights, err = memory.MapReadOnly("weights", 0, weights); err != nil {
			t.Fatal(err)
		}
		if params.Out, err = memory.Map("image", 0, image); err != nil {
			t.Fatal(err)
		}
		launch := emu.Launch{Kernel: "k_prepare", Grid: [3]uint32{44}, Block: [3]uint32{128}, Args: params.Encode()}
		if _, err := p.Launch(t.Context(), memory, launch); err != nil {
			t.Fatal(err)
		}
		if want := p.Kernels()[0].WaveSize == 64; want != cell.Wave64 {
			t.Errorf("%s: waves of %d", cell.Address(), p.Kernels()[0].WaveSize)
		}
		if bytes.Equal(image, make([]byte, len(image))) {
			t.Errorf("%s writes nothing", cell.Address())
		}
		if before, ok := images[cell.Target.Name]; ok && !bytes.Equal(before, image) {
			t.Errorf("%s: wave64 and wave32 prepare other images", cell.Target.Name)
		}
		images[cell.Target.Name] = image
	}
	if len(images) != 2 {
		t.Errorf("%d GPUs", len(images))
	}
}
