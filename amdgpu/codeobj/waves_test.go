package codeobj_test

import (
	"testing"

	"kmx/amdgpu/codeobj"
)

func TestWaves(t *testing.T) {
	for _, c := range []struct {
		target string
		k      codeobj.Kernel
		want   int
	}{
		{"gfx1101", codeobj.Kernel{WaveSize: 32, MaxWorkgroup: 128, VGPRs: 96, WGPMode: true}, 16},
		{"gfx1101", codeobj.Kernel{WaveSize: 32, MaxWorkgroup: 128, VGPRs: 97, WGPMode: true}, 12},
		{"gfx1201", codeobj.Kernel{WaveSize: 32, MaxWorkgroup: 128, VGPRs: 192, WGPMode: true}, 8},
		{"gfx1201", codeobj.Kernel{WaveSize: 32, MaxWorkgroup: 128, VGPRs: 256, WGPMode: true}, 5},
		{"gfx1102", codeobj.Kernel{WaveSize: 32, MaxWorkgroup: 128, VGPRs: 192, WGPMode: true}, 5},
		{"gfx1103", codeobj.Kernel{WaveSize: 32, MaxWorkgroup: 128, VGPRs: 256, WGPMode: true}, 4},
		{"gfx1200", codeobj.Kernel{WaveSize: 64, MaxWorkgroup: 128, VGPRs: 96, WGPMode: true}, 8},
		{"gfx1200", codeobj.Kernel{WaveSize: 32, MaxWorkgroup: 128, VGPRs: 20, LDS: 24576, WGPMode: true}, 5},
		{"gfx1200", codeobj.Kernel{WaveSize: 32, MaxWorkgroup: 128, VGPRs: 20, LDS: 24576}, 4},
		{"gfx1200", codeobj.Kernel{WaveSize: 32, MaxWorkgroup: 32, VGPRs: 20, LDS: 65536}, 1},
		{"gfx1200", codeobj.Kernel{WaveSize: 32, MaxWorkgroup: 128, VGPRs: 20, AllocatedVGPRs: 192}, 8},
		{"gfx1200", codeobj.Kernel{}, 0},
		{"gfx900", codeobj.Kernel{WaveSize: 32, MaxWorkgroup: 128, VGPRs: 96}, 0},
	} {
		if got := c.k.Waves(c.target); got != c.want {
			t.Errorf("%s %+v: %d waves, want %d", c.target, c.k, got, c.want)
		}
	}
}
