package emu

// Minimum and maximum come in two kinds. minNum and maxNum (v_min, v_max; in
// gfx12 v_min_num, v_max_num) return the other operand for NaN. minimum and
// maximum (gfx12) keep NaN, as IEEE 754-2019 has it. Both place -0 before +0, and
// both follow MODE for denormals, as LLVM has it of all of them since gfx9
// (supportsMinMaxDenormModes).
// With the IEEE flag, which compute kernels of gfx11 run with, a signalling NaN
// operand of the first kind is returned quiet.

func minNumF32(m fpMode, a, b uint32) uint32 {
	a, b = m.source32(a), m.source32(b)
	if isNaNF32(a) || isNaNF32(b) {
		return numberF32(m, a, b)
	}
	if orderedF32(b) < orderedF32(a) {
		return m.resultF32(b)
	}
	return m.resultF32(a)
}

func maxNumF32(m fpMode, a, b uint32) uint32 {
	a, b = m.source32(a), m.source32(b)
	if isNaNF32(a) || isNaNF32(b) {
		return numberF32(m, a, b)
	}
	if orderedF32(b) > orderedF32(a) {
		return m.resultF32(b)
	}
	return m.resultF32(a)
}

// numberF32 is the result of minNum and maxNum when an operand is NaN.
func numberF32(m fpMode, a, b uint32) uint32 {
	if m&modeIEEE != 0 {
		for _, x := range [2]uint32{a, b} {
			if isNaNF32(x) && x&(1<<22) == 0 {
				return quietF32(x)
			}
		}
	}
	switch {
	case !isNaNF32(b):
		return m.resultF32(b)
	case !isNaNF32(a):
		return m.resultF32(a)
	}
	return quietF32(a)
}

// resultF32 flushes a result that is one of the operands.
func (m fpMode) resultF32(x uint32) uint32 {
	if x&infF32 == 0 && m.denorm32()&denormKeepResult == 0 {
		return x & signF32
	}
	return x
}

func (m fpMode) resultF16(x uint16) uint16 {
	if x&infF16 == 0 && m.denorm16()&denormKeepResult == 0 {
		return x & signF16
	}
	return x
}

func (m fpMode) resultF64(x uint64) uint64 {
	if x&infF64 == 0 && m.denorm16()&denormKeepResult == 0 {
		return x & signF64
	}
	return x
}

func minimumF32(m fpMode, a, b uint32) uint32 {
	if isNaNF32(a) || isNaNF32(b) {
		return quietF32(a, b)
	}
	return minNumF32(m, a, b)
}

func maximumF32(m fpMode, a, b uint32) uint32 {
	if isNaNF32(a) || isNaNF32(b) {
		return quietF32(a, b)
	}
	return maxNumF32(m, a, b)
}

// med3F32 is the middle of three numbers; with a NaN among them, the least.
func med3F32(m fpMode, a, b, c uint32) uint32 {
	if isNaNF32(a) || isNaNF32(b) || isNaNF32(c) {
		return minNumF32(m, minNumF32(m, a, b), c)
	}
	return maxNumF32(m, minNumF32(m, a, b), minNumF32(m, maxNumF32(m, a, b), c))
}

func minNumF16(m fpMode, a, b uint16) uint16 {
	a, b = m.source16(a), m.source16(b)
	if isNaNF16(a) || isNaNF16(b) {
		return numberF16(m, a, b)
	}
	if orderedF16(b) < orderedF16(a) {
		return m.resultF16(b)
	}
	return m.resultF16(a)
}

func maxNumF16(m fpMode, a, b uint16) uint16 {
	a, b = m.source16(a), m.source16(b)
	if isNaNF16(a) || isNaNF16(b) {
		return numberF16(m, a, b)
	}
	if orderedF16(b) > orderedF16(a) {
		return m.resultF16(b)
	}
	return m.resultF16(a)
}

func numberF16(m fpMode, a, b uint16) uint16 {
	if m&modeIEEE != 0 {
		for _, x := range [2]uint16{a, b} {
			if isNaNF16(x) && x&(1<<9) == 0 {
				return quietF16(x)
			}
		}
	}
	switch {
	case !isNaNF16(b):
		return m.resultF16(b)
	case !isNaNF16(a):
		return m.resultF16(a)
	}
	return quietF16(a)
}

func minimumF16(m fpMode, a, b uint16) uint16 {
	if isNaNF16(a) || isNaNF16(b) {
		return quietF16(a, b)
	}
	return minNumF16(m, a, b)
}

func maximumF16(m fpMode, a, b uint16) uint16 {
	if isNaNF16(a) || isNaNF16(b) {
		return quietF16(a, b)
	}
	return maxNumF16(m, a, b)
}

// med3F16 is the middle of three numbers; with a NaN among them, the least.
func med3F16(m fpMode, a, b, c uint16) uint16 {
	if isNaNF16(a) || isNaNF16(b) || isNaNF16(c) {
		return minNumF16(m, minNumF16(m, a, b), c)
	}
	return maxNumF16(m, minNumF16(m, a, b), minNumF16(m, maxNumF16(m, a, b), c))
}

func minNumF64(m fpMode, a, b uint64) uint64 {
	a, b = m.source64(a), m.source64(b)
	if isNaNF64(a) || isNaNF64(b) {
		return numberF64(m, a, b)
	}
	if orderedF64(b) < orderedF64(a) {
		return m.resultF64(b)
	}
	return m.resultF64(a)
}

func maxNumF64(m fpMode, a, b uint64) uint64 {
	a, b = m.source64(a), m.source64(b)
	if isNaNF64(a) || isNaNF64(b) {
		return numberF64(m, a, b)
	}
	if orderedF64(b) > orderedF64(a) {
		return m.resultF64(b)
	}
	return m.resultF64(a)
}

func numberF64(m fpMode, a, b uint64) uint64 {
	if m&modeIEEE != 0 {
		for _, x := range [2]uint64{a, b} {
			if isNaNF64(x) && x&(1<<51) == 0 {
				return quietF64(x)
			}
		}
	}
	switch {
	case !isNaNF64(b):
		return m.resultF64(b)
	case !isNaNF64(a):
		return m.resultF64(a)
	}
	return quietF64(a)
}

func minimumF64(m fpMode, a, b uint64) uint64 {
	if isNaNF64(a) || isNaNF64(b) {
		return quietF64(a, b)
	}
	return minNumF64(m, a, b)
}

func maximumF64(m fpMode, a, b uint64) uint64 {
	if isNaNF64(a) || isNaNF64(b) {
		return quietF64(a, b)
	}
	return maxNumF64(m, a, b)
}
