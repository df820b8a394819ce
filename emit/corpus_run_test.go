package emit_test

import (
	"testing"

	"kmx/amdgpu/emu"
	"kmx/cuda/ptx"
	"kmx/emit"
	"kmx/emit/emittest"
	"kmx/emit/emittest/emulated"
)

// launchCase runs a kernel and gives what its outputs hold.
func launchCase(t *testing.T, c emittest.Case, m *ptx.Module, p *emu.Program, o emit.Options) [][]byte {
	t.Helper()
	out, err := emulated.NewDevice(o.Target).Run(t.Context(), emulated.Launch{Program: p, Entry: m.Function(c.Name), Case: c})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// compareCodes compares images field by field: neighbours are equal.
func compareCodes(t *testing.T, p emittest.Param, got, want []byte, fields []int) {
	t.Helper()
	for i := range p.Count {
		g, w := p.Type.Get(got, i), p.Type.Get(want, i)
		at := 0
		for _, n := range fields {
			a, b := int64(g>>at&(1<<n-1)), int64(w>>at&(1<<n-1))
			if p.Type.Base == 's' {
				a, b = sign(uint64(a), n), sign(uint64(b), n)
			}
			if d := a - b; d < -1 || d > 1 {
				t.Fatalf("%s[%d]: %#x, the GPU gave %#x", p.Name, i, g, w)
			}
			at += n
		}
	}
}
