package codeobj

// The most waves that a SIMD keeps, and the shared memory of the block whose
// waves share it (CU mode: one CU of two SIMDs; WGP mode: both CUs).
const (
	maxWaves     = 16
	ldsPerCU     = 64 << 10
	simdsPerCU   = 2
	groupsPerCU  = 16 // work-groups of more than one wave that a CU tracks
	waveUnitSize = 32 // register files are stated for waves of 32
)

// Waves is how many waves of the kernel one SIMD can keep at a time, 1 to 16,
// or 0 for a target it knows nothing about; where work-groups cannot be spread
// evenly, the fullest SIMD counts. It is the smallest of
//   - the registers: the file of a SIMD has 1536 VGPRs a lane on gfx1100,
//     gfx1101 and gfx12, given out in steps of 24, and 1024 in steps of 16 on
//     gfx1102 and gfx1103 (half of all four numbers in wave64);
//   - LDS: 64 KiB for a CU with two SIMDs in CU mode, 128 KiB for a WGP with
//     four in WGP mode, shared by work-groups of MaxWorkgroup items each, at
//     least one of which always counts as fitting;
//   - work-groups: at most 16 of more than one wave on a CU, 32 on a WGP.
//
// This agrees with the "Occupancy" that clang 19 remarks on kernels. It ignores
// SGPRs (a wave always has enough on these GPUs), the granularity in which LDS
// is given out, LDS asked for at launch, and launches with fewer work-items
// than MaxWorkgroup.
func (k Kernel) Waves(target string) int {
	regs, ok := registersOf(target)
	if !ok || k.WaveSize != 32 && k.WaveSize != 64 {
		return 0
	}
	shrink := k.WaveSize / waveUnitSize
	return max(1, min(maxWaves, wavesByRegisters(regs, shrink, max(k.VGPRs, k.AllocatedVGPRs, 1)), k.wavesByGroup()))
}

func wavesByRegisters(r registers, shrink, vgprs int) int {
	granule := r.granule / shrink
	return r.file / shrink / roundUp(vgprs, granule)
}

// wavesByGroup is the bound from LDS and from the number of work-groups.
func (k Kernel) wavesByGroup() int {
	blocks := 1
	if k.WGPMode {
		blocks = 2
	}
	simds := simdsPerCU * blocks
	waves := max(1, roundUp(k.MaxWorkgroup, k.WaveSize)/k.WaveSize)
	groups := maxWaves * simds / waves
	if waves > 1 {
		groups = min(groups, groupsPerCU*blocks)
	}
	if k.LDS > 0 {
		groups = min(groups, ldsPerCU*blocks/k.LDS)
	}
	return roundUp(max(1, groups)*waves, simds) / simds
}

func roundUp(n, step int) int { return (n + step - 1) / step * step }
