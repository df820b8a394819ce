package emu

// Dot products of packed operands. The manual writes them as a running sum that
// starts at c and takes the elements in order, without saying what is rounded;
// here each step is a fused multiply-add of the result's width.

func dot2F32F16(m fpMode, a, b, c uint32) uint32 {
	for i := 0; i < 32; i += 16 {
		c = fmaF32(m, cvtF32F16(m, uint16(a>>i)), cvtF32F16(m, uint16(b>>i)), c)
	}
	return c
}

func dot2F16F16(m fpMode, a, b uint32, c uint16) uint16 {
	for i := 0; i < 32; i += 16 {
		c = fmaF16(m, uint16(a>>i), uint16(b>>i), c)
	}
	return c
}

func dot2F32BF16(m fpMode, a, b, c uint32) uint32 {
	for i := 0; i < 32; i += 16 {
		c = fmaF32(m, cvtF32BF16(uint16(a>>i)), cvtF32BF16(uint16(b>>i)), c)
	}
	return c
}

func dot2BF16BF16(m fpMode, a, b uint32, c uint16) uint16 {
	for i := 0; i < 32; i += 16 {
		c = cvtBF16F32(m, fmaF32(m, cvtF32BF16(uint16(a>>i)), cvtF32BF16(uint16(b>>i)), cvtF32BF16(c)))
	}
	return c
}

// dot4F32 multiplies four 8-bit floats; aBF8 and bBF8 say which encoding.
func dot4F32(m fpMode, aBF8, bBF8 bool, a, b, c uint32) uint32 {
	widen := func(x uint32, bf8 bool) uint32 {
		if bf8 {
			return cvtF32BF8(uint8(x))
		}
		return cvtF32FP8(uint8(x))
	}
	for i := 0; i < 32; i += 8 {
		c = fmaF32(m, widen(a>>i, aBF8), widen(b>>i, bBF8), c)
	}
	return c
}
