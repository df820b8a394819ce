package codeobj

import (
	"fmt"
	"maps"
	"slices"
)

// machines are the values of e_flags & 0xff (EF_AMDGPU_MACH) that LLVM assigns.
// Those that d4r does not build for are here to name a stray object.
var machines = map[uint32]string{
	0x2c: "gfx900", 0x2f: "gfx906", 0x30: "gfx908", 0x32: "gfx90c", 0x3f: "gfx90a",
	0x4c: "gfx942",
	0x33: "gfx1010", 0x34: "gfx1011", 0x35: "gfx1012", 0x42: "gfx1013",
	0x36: "gfx1030", 0x37: "gfx1031", 0x38: "gfx1032", 0x39: "gfx1033",
	0x3e: "gfx1034", 0x3d: "gfx1035", 0x45: "gfx1036",
	0x41: "gfx1100", 0x46: "gfx1101", 0x47: "gfx1102", 0x44: "gfx1103",
	0x43: "gfx1150", 0x4a: "gfx1151", 0x55: "gfx1152",
	0x48: "gfx1200", 0x4e: "gfx1201",
	0x54: "gfx11-generic", 0x59: "gfx12-generic",
}

// Bits of e_flags above the machine.
const (
	machineMask  = 0x000000ff
	featureMask  = 0x00000f00 // xnack and sramecc; no GPU of d4r has either
	genericShift = 24         // version of a generic target
)

// machineOf is the value of EF_AMDGPU_MACH for a target.
func machineOf(target string) (uint32, bool) {
	for mach, name := range machines {
		if name == target {
			return mach, true
		}
	}
	return 0, false
}

// targetOf names the GPU that e_flags are for.
func targetOf(flags uint32) string {
	if name, ok := machines[flags&machineMask]; ok {
		return name
	}
	return fmt.Sprintf("an unknown GPU (machine 0x%02x)", flags&machineMask)
}

// versionOf is the code-object version that an EI_ABIVERSION stands for, or 0.
func versionOf(abi int) int {
	if abi >= 1 && abi <= 4 {
		return abi + 2
	}
	return 0
}

// registers describes the vector register file of one SIMD in wave32: how many
// VGPRs each of the 32 lane slots has, and in which steps a wave gets them.
type registers struct{ file, granule int }

// registersOf covers the GPUs that Waves can speak about. gfx1100, gfx1101,
// gfx1151 and gfx12 have the 1.5 times larger register file.
func registersOf(target string) (registers, bool) {
	switch target {
	case "gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201", "gfx12-generic":
		return registers{1536, 24}, true
	case "gfx1102", "gfx1103", "gfx1150", "gfx1152", "gfx11-generic":
		return registers{1024, 16}, true
	}
	return registers{}, false
}

// Known says whether target is the name of a GPU that this package can tell
// from others.
func Known(target string) bool {
	_, ok := machineOf(target)
	return ok
}

// Targets lists the names that Known knows, sorted.
func Targets() []string { return slices.Sorted(maps.Values(machines)) }
