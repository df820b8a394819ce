package emit_test

import (
	"testing"

	"kmx/amdgpu/emu"
	"kmx/cuda/ptx"
	"kmx/emit"
	"kmx/emit/emittest"
)

// launchCase runs a kernel and gives what its outputs hold.
func launchCase(t *testing.T, c emittest.Case, m *ptx.Module, p *emu.Program, o emit.Options) [][]byte {
	d := newDevice(t)
	out := make([][]byte, len(c.Params))
	pictures := make([]picture, len(c.Params))
	handles := make([]uint64, len(c.Params))
	for i, param := range c.Params {
		switch param.Kind {
		case emittest.Buffer:
			out[i] = c.Start(i)
			at, err := d.Map(param.Name, 0, out[i])
			if err != nil {
				t.Fatal(err)
			}
			handles[i] = at
		case emittest.Texture, emittest.Surface:
			pictures[i] = d.picture(o.Target, param, c.Start(i))
			handles[i] = pictures[i].handle
		}
	}
	// The block is that of PTX: what stands at an offset there stands there here.
	fn := m.Function(c.Name)
	args := c.Arguments(func(i int) uint64 { return handles[i] })
	if len(args) != len(fn.Params) {
		t.Fatalf("%d arguments for %d parameters", len(args), len(fn.Params))
	}
	block := make([]byte, fn.ParameterBytes())
	for i, a := range args {
		copy(block[fn.Params[i].Offset:], a)
	}
	launch := emu.Launch{Kernel: c.Name, Args: block, MaxInstructions: 20_000_000, Workers: 1}
	for i := range 3 {
		launch.Grid[i], launch.Block[i] = uint32(max(c.Grid[i], 1)), uint32(max(c.Block[i], 1))
	}
	if _, err := p.Launch(t.Context(), d.Memory, launch); err != nil {
		t.Fatal(err)
	}
	for i, param := range c.Params {
		if param.Kind == emittest.Surface {
			out[i] = pictures[i].texels()
		}
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
